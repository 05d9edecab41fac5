"""What a server itself keeps: jobs and threads of questions. One SQLite file in the library.

store = Store(folder / "serve.sqlite")
with store.transaction() as db:
    db.execute("INSERT INTO ...")
store.read("SELECT id FROM jobs")

A library may come from somebody else, with such a file in it. What waits there is not done (`adopt`), and
nothing that a server reads, writes or removes in a library is reached through a link (`below`).
"""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from quire.errors import LibraryError, QuireError
from quire.store.sqlite import SqliteFile


class NotFound(QuireError):
    """The server keeps nothing of that id."""


def now() -> str:
    """The time as it is stored: ISO 8601, UTC, sortable."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def below(folder: Path, *parts: str) -> Path:
    """A place in a library: of these parts, each a mere name, none of them a link.

    Raises:
        LibraryError: one is no name, or a link.
    """
    place = folder
    for part in parts:
        place /= part
        if part in ("", ".", "..") or "/" in part or "\0" in part or place.is_symlink():
            hint = "Look what it is, and move it out of the library."
            raise LibraryError(f"{place} is a link, or leads elsewhere.", hint=hint)
    return place


class Store(SqliteFile):
    """One file, whose rows know their columns' names; what was committed survives power failure, too."""

    def __init__(self, path: Path) -> None:
        """Open or make the file.

        Raises:
            LibraryError: it cannot be used, is a link, or is of a newer version.
        """
        for ending in ("", "-wal", "-shm"):
            below(path.parent, f"{path.name}{ending}")
        super().__init__(path, "quire.app.server", LibraryError, synchronous="FULL")
        self._db.row_factory = sqlite3.Row
        self._db.execute("PRAGMA trusted_schema = OFF")

    def change(self, sql: str, *values: Any) -> None:
        """Do one statement of ours, in a transaction of its own."""
        with self.transaction() as db:
            db.execute(sql, values)

    def row(self, table: str, id: str, thing: str, more: str = "") -> sqlite3.Row:
        """The row of that id; `table` and `more` are ours, never somebody's text.

        Raises:
            NotFound: there is no such thing.
        """
        found: list[sqlite3.Row] = self.read(f"SELECT * FROM {table} WHERE id = ? {more}", (id,))
        if not found:
            raise NotFound(f"There is no {thing} `{id[:80]}`.")
        return found[0]

    def adopt(self, home: Path, folder: Path) -> bool:
        """Whether the user of `home` has served the library in this folder with this very file before.

        If not, its jobs are forgotten, and from now on it is the user's.

        Raises:
            LibraryError: it cannot be written down.
        """
        known = home / "served" / hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
        try:
            told = known.read_text(encoding="ascii") if known.is_file() else ""
            if told and [row["token"] for row in self.read("SELECT token FROM owner")] == [told]:
                return True
            token = secrets.token_hex(16)
            with self.transaction() as db:
                for table in ("jobs", "owner"):
                    db.execute(f"DELETE FROM {table}")
                db.execute("INSERT INTO owner VALUES (?)", (token,))
            known.parent.mkdir(parents=True, exist_ok=True)
            known.write_text(token, encoding="ascii")
        except (OSError, ValueError, sqlite3.Error) as error:
            told = f"Cannot use {self.path}, or write to {known.parent}: {error}."
            hint = "Move serve.sqlite out of the library, or set QUIRE_HOME."
            raise LibraryError(told, hint=hint) from error
        return False
