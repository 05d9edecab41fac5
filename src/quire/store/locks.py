"""Who may use a library, between processes and between the threads of this one.

Three locks, each held as shortly as its work allows:

- `WriterLock`: one process at a time changes a library (`add`, `remove`, `repair`), for as long as that
  takes. It is an advisory lock of the operating system on `library.lock`, so it ends with its process,
  kill -9 too.
- DuckDB's own lock on `library.duckdb`: one process writes or several read, for one transaction or query.
- `SharedFile`, between the threads of a process, where DuckDB refuses a read-only and a writing instance of a
  file at once:

    shared = shared_file(path)
    with shared.reading(10.0, opened) as connection: ...    # `opened` makes an instance that only reads
    with shared.writing(10.0):                              # no reader is there
        with shared.lending(instance): ...                  # from now on readers use it

A writer waits for the readers that are there, opens its instance, and lends it: who reads meanwhile gets a
connection to the writer's instance, and sees what was committed before. Readers thus wait for a writer to
come in, never for its work; a writer waits for the readers before it, never for those that come later.

Opening and closing a DuckDB file takes 5 to 15 ms, more than most questions, so the instance of the readers
stays open. While it is open no other process can write: it is kept only for `SECONDS` after the last use, and
not at all while another process holds the library's writer's lock. Each use gets a connection of its own and
sees whatever was committed before. An instance keeps a kilobyte or two of every query until it is closed, so
a busy one is opened anew after `USES`.

A library may come from somebody else: a link in its folder would have quire read, overwrite or delete what it
leads to, so a folder with links is not used at all.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import fcntl
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb

from quire.errors import LibraryError, LibraryFull, LibraryLocked, LibraryUnsafe
from quire.store.hints import ROOM

_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC  # a link would have its target overwritten
_DEEPEST = 6  # folders within each other; quire makes four
SECONDS = 0.25
USES = 300
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


class SharedFile:
    """Many readers, and one writer at a time. Raises LibraryLocked who gets no turn in time."""

    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        self._changed = threading.Condition()
        self._readers = 0  # on the instance that only reads
        self._guests = 0  # on the writer's
        self._writing = False
        self._lent: duckdb.DuckDBPyConnection | None = None
        self._closing = False
        self._mine = threading.local()  # how many turns this thread has: who has one gets another
        self._guard = threading.Lock()  # of the instance that only reads
        self._base: duckdb.DuckDBPyConnection | None = None
        self._users = self._uses = 0
        self._last = 0.0
        self._watched = False

    @contextmanager
    def reading(
        self, patience: float, opened: Callable[[], duckdb.DuckDBPyConnection]
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """Take a reader's turn, within `patience` seconds; gives a connection of the caller's own."""
        held = getattr(self._mine, "held", 0)
        with self._changed:
            if not self._changed.wait_for(
                lambda: held or not self._writing or (self._lent is not None and not self._closing), patience
            ):
                raise self._taken()
            guest = self._lent.cursor() if self._lent else None
            self._guests += guest is not None
            self._readers += guest is None
        self._mine.held = held + 1
        try:
            if guest is not None:
                with closing(guest):  # which ends its transaction, too
                    guest.execute("BEGIN TRANSACTION READ ONLY")
                    yield guest
            else:
                with self._reader(opened) as connection:
                    yield connection
        finally:
            self._mine.held = held
            with self._changed:
                self._guests -= guest is not None
                self._readers -= guest is None
                self._changed.notify_all()

    @contextmanager
    def writing(self, patience: float) -> Iterator[None]:
        """Take the writer's turn, within `patience` seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._writing, patience):
                raise self._taken()
            self._writing = True  # readers that come now wait
            self._writing = self._changed.wait_for(lambda: not self._readers, patience)
            self._changed.notify_all()
            if not self._writing:
                raise self._taken()
        try:
            self.drop()
            yield
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()

    @contextmanager
    def lending(self, instance: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Within the writer's turn: let readers in on its instance; ends when the last of them has gone."""
        with self._changed:
            self._lent = instance
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._closing = True
                self._changed.wait_for(lambda: not self._guests)
                self._lent, self._closing = None, False

    def drop(self) -> None:
        """Close the instance that only reads, if nobody uses it."""
        with self._guard:
            if not self._users:
                self._close()

    def _taken(self) -> Exception:
        return locked(self._folder, None, "(a thread of this one) is using it")

    @contextmanager
    def _reader(self, opened: Callable[[], duckdb.DuckDBPyConnection]) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection to the instance that only reads, which stays open unless somebody wants to write."""
        with self._guard:
            if not self._users and (self._uses >= USES or held_elsewhere(self._folder)):
                self._close()
            if self._base is None:
                self._base, self._uses = opened(), 0
            self._users += 1
            self._uses += 1
            connection = self._base.cursor()
        try:
            yield connection
        finally:
            connection.close()
            with self._guard:
                self._users -= 1
                self._last = time.monotonic()
                if not self._users and held_elsewhere(self._folder):
                    self._close()
                elif not self._users and not self._watched:
                    self._watch(SECONDS)

    def _watch(self, seconds: float) -> None:
        self._watched = True
        timer = threading.Timer(seconds, self._look)
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        with self._guard:
            self._watched = False
            left = self._last + SECONDS - time.monotonic()
            if self._users or self._base is None:
                return
            if left > 0 and not held_elsewhere(self._folder):
                self._watch(left)
            else:
                self._close()

    def _close(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None


_files: dict[Path, SharedFile] = {}
_guard = threading.Lock()


def shared_file(path: Path) -> SharedFile:
    """That file, the same object for every caller of this process."""
    with _guard:
        return _files.setdefault(path.resolve(), SharedFile(path))


@atexit.register
def _end() -> None:
    # DuckDB complains on standard error of what is open when the interpreter ends.
    for shared in list(_files.values()):
        shared.drop()
