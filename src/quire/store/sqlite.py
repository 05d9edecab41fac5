"""A small SQLite file for many threads and processes: each change is one transaction, or nothing.

    class Notes(SqliteFile): ...
    with notes.transaction() as db:
        db.execute("INSERT INTO ...")
    notes.read("SELECT ...")

What was committed survives `kill -9`. The schema moves by the numbered scripts in the `migrations/` of a
package, which are never edited; a file of a newer quire is refused.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Self

from quire.errors import QuireError


class SqliteFile:
    """One file. Safe to share between threads; other processes open their own."""

    def __init__(
        self, path: Path | None, package: str, failure: type[QuireError], *, synchronous: str = "NORMAL"
    ) -> None:
        """Open or make the file; None keeps everything in this process's memory.

        `synchronous = FULL` survives power failure too. Raises `failure` where the file cannot be used.
        """
        self.path = path
        self._lock = threading.RLock()
        self._depth = 0
        try:
            self._db = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA busy_timeout = 10000")
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute(f"PRAGMA synchronous = {synchronous}")
            self._db.execute("PRAGMA foreign_keys = ON")
            self._migrate(package, failure)
        except sqlite3.DatabaseError as error:
            raise failure(f"Cannot use the file {path}: {error}.", hint="Move the file away.") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; may be nested, the outermost commits."""
        with self._lock:
            if self._depth == 0:
                self._db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield self._db
            except BaseException:
                self._depth -= 1
                if self._depth == 0:
                    self._db.execute("ROLLBACK")
                raise
            self._depth -= 1
            if self._depth == 0:
                self._db.execute("COMMIT")

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Rows of one of quire's own queries."""
        with self._lock:
            return self._db.execute(sql, parameters).fetchall()

    def _migrate(self, package: str, failure: type[QuireError]) -> None:
        folder = resources.files(package).joinpath("migrations")
        scripts = sorted((each for each in folder.iterdir() if each.name.endswith(".sql")), key=str)
        with self.transaction() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > len(scripts):
                told = f"The file {self.path} has version {version}; this quire knows {len(scripts)}."
                raise failure(told, hint="Update quire.")
            for number, script in enumerate(scripts[version:], start=version + 1):
                for statement in _statements(script.read_text(encoding="utf-8")):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {number}")


def _statements(script: str) -> Iterator[str]:
    pending = ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
