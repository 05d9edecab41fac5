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
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from quire.errors import QuireError
from quire.store.migrate import migrations

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_DISK = "See to the disk: it must be there, and be ours to write."
_HINTS = {
    sqlite3.SQLITE_FULL: "Make room on the disk. Nothing of what was kept is lost.",
    sqlite3.SQLITE_IOERR: "See to the disk: it may be full. Nothing of what was kept is lost.",
    sqlite3.SQLITE_READONLY: _DISK,
    sqlite3.SQLITE_CANTOPEN: _DISK,
    sqlite3.SQLITE_PERM: _DISK,
    sqlite3.SQLITE_BUSY: "Another process is writing it: try again.",
    sqlite3.SQLITE_LOCKED: "Another process is writing it: try again.",
}


class SqliteFile:
    """One file. Safe to share between threads; other processes open their own.

    What SQLite finds damaged is set aside whole, as `NAME.damaged-TIME`, and told by the error of that
    moment; a new file begins.
    """

    def __init__(
        self, path: Path | None, package: str, failure: type[QuireError], *, synchronous: str = "NORMAL"
    ) -> None:
        """Open or make the file; None keeps everything in this process's memory.

        `synchronous = FULL` survives power failure too. Raises `failure` where the file cannot be used.
        """
        self.path = path
        self._package, self._failure, self._synchronous = package, failure, synchronous
        self._lock = threading.RLock()
        self._depth = 0
        self._damaged: Path | None = None  # where it goes, once it was found damaged
        self._db = sqlite3.connect(":memory:")
        with self._typed():
            self._connect()

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
        """All or nothing; may be nested, the outermost commits.

        Raises the file's own kind of error where it cannot be read or written.
        """
        with self._lock, self._typed():
            if self._depth == 0:
                self._db.execute("BEGIN IMMEDIATE")
            self._depth += 1
            try:
                yield self._db
                if self._depth == 1:
                    self._db.execute("COMMIT")
            except BaseException:
                if self._depth == 1 and self._db.in_transaction:  # a full disk has rolled back by itself
                    with suppress(sqlite3.Error):
                        self._db.execute("ROLLBACK")
                raise
            finally:
                self._depth -= 1

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Rows of one of quire's own queries; raises as `transaction`."""
        with self._lock, self._typed():
            return self._db.execute(sql, parameters).fetchall()

    def _connect(self) -> None:
        rows = self._db.row_factory
        self._db.close()
        self._db = sqlite3.connect(self.path or ":memory:", isolation_level=None, check_same_thread=False)
        self._db.row_factory = rows
        self._db.execute("PRAGMA busy_timeout = 10000")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute(f"PRAGMA synchronous = {self._synchronous}")
        self._db.execute("PRAGMA foreign_keys = ON")
        self._migrate()

    @contextmanager
    def _typed(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
            raise
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._told(error) from error
        finally:
            if self._damaged and self._depth == 0:
                self._set_aside(self._damaged)

    def _told(self, error: sqlite3.Error | UnicodeDecodeError) -> QuireError:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        garbled = isinstance(error, UnicodeDecodeError) or "Could not decode" in str(error)
        if (garbled or code in _DAMAGED) and self.path:
            why = "it holds garbled text" if garbled else error
            self._damaged = self.path.with_name(f"{self.path.name}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}")
            told = (
                f"{self.path} is damaged ({why}). It is kept as {self._damaged.name}, and a new one begins."
            )
            return self._failure(told, hint="What was in it comes back from a backup of yours.")
        return self._failure(f"Cannot use the file {self.path}: {error}.", hint=_HINTS.get(code, ""))

    def unreadable(self, why: str) -> QuireError:
        """The error for rows that SQLite gives and that cannot be read; the file stays as it is."""
        hint = "Put the file away to begin a new one; nothing else of the library is lost."
        return self._failure(f"What {self.path} holds cannot be read: {why}.", hint=hint)

    def _set_aside(self, aside: Path) -> None:
        """Put the damaged file away with its log; where that cannot be, it stays and fails again."""
        self._damaged = None
        self._db.close()
        with suppress(OSError, sqlite3.Error, QuireError):
            for ending in ("", "-wal", "-shm"):
                file = Path(f"{self.path}{ending}")
                if file.exists():
                    file.rename(f"{aside}{ending}")
            self._connect()

    def _migrate(self) -> None:
        scripts = migrations(self._package)
        with self.transaction() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > len(scripts):
                told = f"The file {self.path} has version {version}; this quire knows {len(scripts)}."
                raise self._failure(told, hint="Update quire.")
            for number, _, script in scripts[version:]:
                for statement in _statements(script):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {number}")


def _statements(script: str) -> Iterator[str]:
    pending = ""
    for line in script.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
