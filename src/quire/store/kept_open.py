"""A read-only database that stays open for a moment, so that a burst of questions opens it once.

Opening and closing a DuckDB file takes 5 to 15 ms, more than most questions. While it is open no other
process can write, so it is kept only for `SECONDS` after the last use, and not at all while another process
holds the library's writer's lock. Each use gets a connection of its own and sees whatever was committed
before.

An instance keeps a kilobyte or two of every query until it is closed, so a busy one is opened anew after
`USES`.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import duckdb

from quire.store.locks import held_here

SECONDS = 0.25
USES = 300


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
