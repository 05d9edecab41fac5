"""One file among the threads of a process: readers and the writer take turns, readers keep it open a moment.

    turns = turns_of(path)
    with turns.reading(10.0) as turn: ...       # turn.guest: a connection, or None: open your own
    with turns.writing(10.0) as got:            # no reader is there
        with turns.lending(instance): ...       # from now on readers use it

DuckDB refuses a read-only and a writing instance of a file in one process. So a writer waits for the readers
that are there, opens its instance, and lends it: who reads meanwhile gets a connection to the writer's
instance, and sees what was committed before. Readers thus wait for a writer to come in, never for its work;
a writer waits for the readers before it, never for those that come later.

Opening and closing a DuckDB file takes 5 to 15 ms, more than most questions, so what was read stays open
(`Lingering`). While it is open no other process can write: it is kept only for `SECONDS` after the last use,
and not at all while another process holds the library's writer's lock. Each use gets a connection of its own
and sees whatever was committed before. An instance keeps a kilobyte or two of every query until it is closed,
so a busy one is opened anew after `USES`.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from quire.store.locks import held_here

SECONDS = 0.25
USES = 300


@dataclass(frozen=True, slots=True)
class Turn:
    """A reader's turn."""

    guest: duckdb.DuckDBPyConnection | None = None


class Turns:
    """Many readers, and one writer at a time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0  # on instances of their own
        self._guests = 0  # on the writer's
        self._writing = False
        self._lent: duckdb.DuckDBPyConnection | None = None
        self._closing = False
        self._mine = threading.local()  # how many turns this thread has: who has one gets another

    @contextmanager
    def reading(self, patience: float) -> Iterator[Turn | None]:
        """Take a reader's turn; gives None if there was none within `patience` seconds."""
        held = getattr(self._mine, "held", 0)
        turn = None
        with self._changed:
            if self._changed.wait_for(lambda: held or self._lets_in(), patience):
                turn = Turn(self._lent.cursor() if self._lent else None)
                self._guests += self._lent is not None
                self._readers += self._lent is None
        if turn is None:
            yield None
            return
        self._mine.held = held + 1
        try:
            yield turn
        finally:
            self._mine.held = held
            with self._changed:
                self._guests -= turn.guest is not None
                self._readers -= turn.guest is None
                self._changed.notify_all()

    @contextmanager
    def writing(self, patience: float) -> Iterator[bool]:
        """Take the writer's turn; gives False if there was none within `patience` seconds."""
        with self._changed:
            got = self._changed.wait_for(lambda: not self._writing, patience)
            if got:
                self._writing = True  # readers that come now wait
                got = self._changed.wait_for(lambda: not self._readers, patience)
                self._writing = got
                self._changed.notify_all()
        try:
            yield got
        finally:
            if got:
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

    def _lets_in(self) -> bool:
        return not self._writing or (self._lent is not None and not self._closing)


_turns: dict[Path, Turns] = {}
_guard = threading.Lock()


def turns_of(path: Path) -> Turns:
    """The turns of that file, the same object for every caller of this process."""
    with _guard:
        return _turns.setdefault(path.resolve(), Turns())


def writer_waits(folder: Path) -> bool:
    """Whether another process holds the writer's lock of a library folder."""
    if held_here(folder):
        return False  # who writes here closes what lingers
    try:
        handle = os.open(folder / "library.lock", os.O_RDWR | os.O_NOFOLLOW)
    except OSError:
        return False  # never written to by this version, or not ours to lock
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


_all: weakref.WeakSet[Lingering] = weakref.WeakSet()


@atexit.register
def _end() -> None:
    # DuckDB complains on standard error of what is open when the interpreter ends.
    for lingering in list(_all):
        lingering.drop()


def drop(path: Path) -> None:
    """Close whatever lingers on a file in this process; the caller has the writer's turn."""
    for lingering in list(_all):
        if lingering.path == path.resolve():
            lingering.drop()


class Lingering:
    """One read-only instance, opened by `open_` when needed. Thread-safe."""

    def __init__(self, path: Path, open_: Callable[[], duckdb.DuckDBPyConnection]) -> None:
        self.path = path.resolve()
        self._folder = path.parent
        self._open = open_
        self._guard = threading.Lock()
        self._base: duckdb.DuckDBPyConnection | None = None
        self._users = 0
        self._uses = 0
        self._last = 0.0
        self._watched = False
        _all.add(self)

    def take(self) -> duckdb.DuckDBPyConnection:
        """A connection of the caller's own; give it back with `release`."""
        with self._guard:
            if self._base is not None and not self._users:
                if self._uses >= USES or writer_waits(self._folder):
                    self._close()
            if self._base is None:
                self._base = self._open()
                self._uses = 0
            self._users += 1
            self._uses += 1
            return self._base.cursor()

    def release(self, connection: duckdb.DuckDBPyConnection) -> None:
        """End a use; the instance stays for a moment unless somebody wants to write."""
        connection.close()
        with self._guard:
            self._users -= 1
            self._last = time.monotonic()
            if self._users:
                return
            if writer_waits(self._folder):
                self._close()
            elif not self._watched:
                self._watch(SECONDS)

    def drop(self) -> None:
        """Close now, if nobody uses it."""
        with self._guard:
            if not self._users:
                self._close()

    def _watch(self, seconds: float) -> None:
        self._watched = True
        timer = threading.Timer(seconds, self._look)
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        with self._guard:
            self._watched = False
            if self._users or self._base is None:
                return
            left = self._last + SECONDS - time.monotonic()
            if left > 0 and not writer_waits(self._folder):
                self._watch(left)
            else:
                self._close()

    def _close(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None
