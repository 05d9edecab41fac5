"""Who may use a library, between processes and between the threads of this one.

Three locks, each held as shortly as its work allows:

- `WriterLock`: one process at a time changes a library (`add`, `remove`, `repair`), for as long as that
  takes. It is an advisory lock of the operating system on `library.lock`, so it ends with its process,
  kill -9 too.
- DuckDB's own lock on `library.duckdb`: one process writes or several read, for one transaction or query.
- `quire.store.sharing`: within a process DuckDB refuses a read-only and a writing instance at once.

A library may come from somebody else: a link in its folder would have quire read, overwrite or delete what it
leads to, so a folder with links is not used at all.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from quire.errors import LibraryError, LibraryFull, LibraryLocked, LibraryUnsafe
from quire.store.hints import ROOM

_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC  # a link would have its target overwritten
_DEEPEST = 6  # folders within each other; quire makes four
_HOLDER = re.compile(r"\(PID (\d+)\)")


def refuse_links(folder: Path) -> None:
    """Look through a library's folder for links, and other things that are neither files nor folders.

    Raises:
        LibraryUnsafe: there is one; the message names it.
    """
    if strange := next(_strange(folder, _DEEPEST), None):
        raise LibraryUnsafe(
            f"{strange} is a link to another place, or no file: quire follows none in a library.",
            hint="Put the file or folder itself there, or remove it.",
        )


def _strange(folder: Path | str, deep: int) -> Iterator[str]:
    try:
        entries = os.scandir(folder)
    except OSError:
        return  # not there yet, or not ours to read: whoever needs it says so
    with entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if deep:
                    yield from _strange(entry.path, deep - 1)
            elif not entry.is_file(follow_symlinks=False):
                yield entry.path


def holder_of(message: str) -> int | None:
    """The process id in DuckDB's message about a held lock; None if it is another message."""
    found = _HOLDER.search(message)
    return int(found[1]) if found and "lock" in message.lower() else None


def locked(folder: Path, pid: int | None, doing: str = "is using it") -> LibraryLocked:
    """The error that names the process that holds a library."""
    who = f"process {pid}{_command(pid)}" if pid else "another process"
    return LibraryLocked(
        f"The library {folder} cannot be used now: {who} {doing}.",
        hint="Wait until it has finished, or stop it.",
    )


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    told = " ".join(Path(w.decode(errors="replace")).name for w in words[:3] if w)
    return f" ({told})" if told else ""


def unwritable(folder: Path, error: OSError) -> LibraryError:
    """The error for a library folder that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return LibraryFull(f"The library {folder} cannot be changed: {error.strerror}.", hint=ROOM)
    return LibraryError(
        f"The library {folder} cannot be changed: {error.strerror or error}.",
        hint="What was finished is kept. Make room or get the right to write, then run the command again.",
    )


_held: set[Path] = set()  # folders whose writer's lock is with this process


def held_here(folder: Path) -> bool:
    """Whether this process has the writer's lock of a library folder."""
    return folder.resolve() in _held


def held_elsewhere(folder: Path) -> bool:
    """Whether another process has the writer's lock of a library folder."""
    try:
        handle = os.open(folder / "library.lock", os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False  # never written to by this version, or not ours to lock
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return not held_here(folder)
    finally:
        os.close(handle)
    return False


class WriterLock:
    """A context manager: the right to change the library in `folder`, for this process alone.

    Raises:
        LibraryLocked: another process (or thread) still holds it after `patience` seconds.
        LibraryError: the folder cannot be written, at the beginning or inside the block.
    """

    def __init__(self, folder: Path, patience: float = 2.0) -> None:
        self.folder = folder
        self.patience = patience
        self._file = -1

    def __enter__(self) -> WriterLock:
        try:
            handle = os.open(self.folder / "library.lock", _FLAGS | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritable(self.folder, error) from error
        try:
            refuse_links(self.folder)  # what is changed in it stands in it
        except LibraryUnsafe:
            os.close(handle)
            raise
        end = time.monotonic() + self.patience
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    words = os.pread(handle, 20, 0).strip()
                    os.close(handle)
                    pid = int(words) if words.isdigit() else None
                    raise locked(self.folder, pid, "is changing it") from None
                time.sleep(0.05)
        self._file = handle
        _held.add(self.folder.resolve())
        with contextlib.suppress(OSError):  # a full disk: the name is a courtesy
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        _held.discard(self.folder.resolve())
        os.close(self._file)
        if isinstance(error, OSError):
            raise unwritable(self.folder, error) from error
