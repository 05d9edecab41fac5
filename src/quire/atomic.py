"""A file that is written whole or not at all, whatever moment its writer dies at.

atomic.write(folder / "state.json", text)      # readers see what was there before, or all of this
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write(place: Path, content: str | bytes, *, mode: int = 0o666, lasting: bool = False) -> None:
    """Write a file in place of another; text as UTF-8. `lasting`: it is on the disk before it is in place.

    Raises:
        OSError: it cannot be written; what was there before is there.
    """
    draft = place.with_name(f".{place.name}.{os.getpid()}.draft")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(draft, flags, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
