"""One file among the threads of a process: readers and the writer take turns, readers keep it open a moment.

    shared = shared_file(path)
    with shared.reading(10.0, opened) as connection: ...    # `opened` makes an instance that only reads
    with shared.writing(10.0):                              # no reader is there
        with shared.lending(instance): ...                  # from now on readers use it

DuckDB refuses a read-only and a writing instance of a file in one process. So a writer waits for the readers
that are there, opens its instance, and lends it: who reads meanwhile gets a connection to the writer's
instance, and sees what was committed before. Readers thus wait for a writer to come in, never for its work;
a writer waits for the readers before it, never for those that come later.

Opening and closing a DuckDB file takes 5 to 15 ms, more than most questions, so the instance of the readers
stays open. While it is open no other process can write: it is kept only for `SECONDS` after the last use, and
not at all while another process holds the library's writer's lock. Each use gets a connection of its own and
sees whatever was committed before. An instance keeps a kilobyte or two of every query until it is closed, so
a busy one is opened anew after `USES`.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb

from quire.store.locks import held_elsewhere, locked

SECONDS = 0.25
USES = 300


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


def drop(path: Path) -> None:
    """Close what stays open of a file that is read in this process, if nobody uses it."""
    shared_file(path).drop()


@atexit.register
def _end() -> None:
    # DuckDB complains on standard error of what is open when the interpreter ends.
    for shared in list(_files.values()):
        shared.drop()
