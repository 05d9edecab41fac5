"""What a server itself keeps: jobs, threads of questions, what was removed. One SQLite file in the library.

store = Store(folder / "serve.sqlite")
with store.transaction() as db:
    db.execute("INSERT INTO ...")
store.read("SELECT id FROM jobs")
"""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from quire.errors import LibraryError, QuireError
from quire.store.sqlite import SqliteFile


class NotFound(QuireError):
    """The server keeps nothing of that id."""


def now() -> str:
    """The time as it is stored: ISO 8601, UTC, sortable."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Store(SqliteFile):
    """One file, whose rows know their columns' names; what was committed survives power failure, too."""

    def __init__(self, path: Path) -> None:
        """Open or make the file.

        Raises:
            LibraryError: it cannot be used, or is of a newer version.
        """
        super().__init__(path, "quire.interfaces.server", LibraryError, synchronous="FULL")
        self._db.row_factory = sqlite3.Row
