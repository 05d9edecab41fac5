"""Who may use a library, between processes and between the threads of this one.

Three locks, each held as shortly as its work allows:

- `WriterLock`: one process at a time changes a library (`add`, `remove`, `repair`), for as long as that
  takes. It is an advisory lock of the operating system on `library.lock`, so it ends with its process,
  kill -9 too.
- DuckDB's own lock on `library.duckdb`: one process writes or several read, for one transaction or query.
- `Turns`: within a process DuckDB refuses a read-only and a writing connection at once; threads take turns.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quire.errors import LibraryError, LibraryLocked

_HOLDER = re.compile(r"\(PID (\d+)\)")


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
    return LibraryError(
        f"The library {folder} cannot be changed: {error.strerror or error}.",
        hint="What was finished is kept. Make room or get the right to write, then run the command again.",
    )


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
            handle = os.open(self.folder / "library.lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise unwritable(self.folder, error) from error
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
        with contextlib.suppress(OSError):  # a full disk: the name is a courtesy
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        os.close(self._file)
        if isinstance(error, OSError):
            raise unwritable(self.folder, error) from error


class Turns:
    """Many readers or one writer among the threads of this process."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False

    @contextmanager
    def reading(self, patience: float) -> Iterator[bool]:
        """Take a reader's turn; gives False if there was none within `patience` seconds."""
        with self._changed:
            got = self._changed.wait_for(lambda: not self._writing, patience)
            self._readers += got
        try:
            yield got
        finally:
            with self._changed:
                self._readers -= got
                self._changed.notify_all()

    @contextmanager
    def writing(self, patience: float) -> Iterator[bool]:
        """Take the writer's turn; gives False if there was none within `patience` seconds."""
        with self._changed:
            got = self._changed.wait_for(lambda: not self._writing and not self._readers, patience)
            self._writing = self._writing or got
        try:
            yield got
        finally:
            if got:
                with self._changed:
                    self._writing = False
                    self._changed.notify_all()


_turns: dict[Path, Turns] = {}
_turns_guard = threading.Lock()


def turns_of(path: Path) -> Turns:
    """The turns of that file, the same object for every caller of this process."""
    with _turns_guard:
        return _turns.setdefault(path.resolve(), Turns())
