"""Readers and the writer of one file among the threads of a process.

DuckDB refuses a read-only and a writing instance of a file in one process. So a writer waits for the readers
that are there, opens its instance, and lends it: who reads meanwhile gets a connection to the writer's
instance, and sees what was committed before. Readers thus wait for a writer to come in, never for its work;
a writer waits for the readers before it, never for those that come later.

    turns = turns_of(path)
    with turns.reading(10.0) as turn: ...       # turn.guest: a connection, or None: open your own
    with turns.writing(10.0) as got:            # no reader is there
        with turns.lending(instance): ...       # from now on readers use it
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb


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
