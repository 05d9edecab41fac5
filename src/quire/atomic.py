"""A file that is written whole or not at all, whatever moment its writer dies at.

atomic.write(folder / "state.json", text)      # readers see what was there before, or all of this
with atomic.draft(place) as draft: ...         # whatever is made at `draft` takes its place
atomic.scratch(owner)                          # a folder for what cannot stand where it belongs
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def draft(place: Path) -> Iterator[Path]:
    """A name for a draft; what the block makes under it replaces the file at `place`.

    If the block raises, what was there before is there.
    """
    part = place.with_name(f".{place.name}.{os.getpid()}.draft")
    try:
        yield part
        part.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            if not part.is_symlink():  # somebody's link that was in the way stays
                part.unlink(missing_ok=True)
        raise


def write(place: Path, content: str | bytes, *, mode: int = 0o666, lasting: bool = False) -> None:
    """Write a file in place of another; text as UTF-8. `lasting`: it is on the disk before it is in place.

    Raises:
        OSError: it cannot be written; what was there before is there.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with draft(place) as part, os.fdopen(os.open(part, flags, mode), "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
        if lasting:
            file.flush()
            os.fsync(file.fileno())


def scratch(owner: object) -> Path:
    """A new folder outside of any library; it goes with its owner, at the latest with the process."""
    folder = Path(tempfile.mkdtemp(prefix="quire-"))
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return folder
