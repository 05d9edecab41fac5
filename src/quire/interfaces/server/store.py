"""What a server itself keeps: jobs, threads of questions, what was removed. One SQLite file in the library.

    store = Store(folder / "serve.sqlite")
    with store.changing() as db:
        db.execute("INSERT INTO ...")
    store.read("SELECT id FROM jobs")

What was committed survives kill -9 and power failure. The schema moves by the numbered scripts in
`migrations/`, which are never edited.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

from quire.errors import LibraryError, QuireError


class NotFound(QuireError):
    """The server keeps nothing of that id."""


def now() -> str:
    """The time as it is stored: ISO 8601, UTC, sortable."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store:
    """One file. Safe to share between threads."""

    def __init__(self, path: Path) -> None:
        """Open or make the file.

        Raises:
            LibraryError: it cannot be used, or is of a newer version.
        """
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.row_factory = sqlite3.Row
            self._db.execute("PRAGMA busy_timeout = 10000")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA foreign_keys = ON")
            self._migrate(path)
        except sqlite3.DatabaseError as error:
            raise LibraryError(f"Cannot use {path}: {error}.", hint="Move the file away.") from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it is kept, or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Rows of one of the server's own queries."""
        with self._lock:
            return self._db.execute(sql, parameters).fetchall()

    def _migrate(self, path: Path) -> None:
        folder = resources.files("quire.interfaces.server") / "migrations"
        scripts = sorted((each for each in folder.iterdir() if each.name.endswith(".sql")), key=str)
        ((have,),) = self._db.execute("PRAGMA user_version").fetchall()
        if have > len(scripts):
            raise LibraryError(f"{path} was written by a newer quire.", hint="Update quire.")
        for number, script in enumerate(scripts[have:], have + 1):
            text = script.read_text(encoding="utf-8")
            self._db.executescript(f"BEGIN; {text}; PRAGMA user_version = {number}; COMMIT;")
