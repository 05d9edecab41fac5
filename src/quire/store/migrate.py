"""Numbered migrations: `migrations/NNNN_name.sql`, run in order, each in one transaction, never edited.

`schema_version` holds one row per migration that ran. A library of a newer quire is refused, not guessed.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from quire.errors import LibraryError

if TYPE_CHECKING:
    import duckdb


def migrations(package: str = "quire.store") -> list[tuple[int, str, str]]:
    """All migrations of a package as (number, name, SQL), in order."""
    found = []
    for entry in files(package).joinpath("migrations").iterdir():
        if entry.name.endswith(".sql"):
            number, _, name = entry.name.removesuffix(".sql").partition("_")
            found.append((int(number), name, entry.read_text(encoding="utf-8")))
    return sorted(found)


def version(connection: duckdb.DuckDBPyConnection) -> int:
    """Number of the last migration that ran; 0 for an empty file."""
    known = connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'schema_version'"
    ).fetchone()
    if not known or not known[0]:
        return 0
    row = connection.execute("SELECT coalesce(max(number), 0) FROM schema_version").fetchone()
    return int(row[0]) if row else 0


def newest() -> int:
    """Number of the last migration that this quire knows."""
    return migrations()[-1][0]


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Run every migration that the file lacks.

    Raises:
        LibraryError: the file was written by a newer quire.
    """
    have = version(connection)
    check_known(have)
    for number, name, sql in migrations():
        if number > have:
            connection.begin()
            connection.execute(
                "CREATE TABLE IF NOT EXISTS schema_version (number INTEGER, name VARCHAR, ran TIMESTAMP)"
            )
            connection.execute(sql)
            connection.execute("INSERT INTO schema_version VALUES (?, ?, now())", [number, name])
            connection.commit()


def check_known(have: int) -> None:
    """Refuse a schema that this quire does not know.

    Raises:
        LibraryError: the file was written by a newer quire.
    """
    if have > newest():
        raise LibraryError(
            f"The library was written by a newer quire (schema {have}, this one knows {newest()}).",
            hint="Upgrade quire.",
        )
