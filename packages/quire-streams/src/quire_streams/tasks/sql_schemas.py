"""Database schemas as CREATE TABLE statements, from the layouts in which the sets publish them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

from quire.errors import TaskError


def from_tables(entries: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """From a `tables.json` (Spider, CoSQL, BIRD): database -> statements."""
    try:
        return {entry["db_id"]: "\n\n".join(_statements(entry)) for entry in entries}
    except (KeyError, IndexError, TypeError) as error:
        raise TaskError(f"The schema file lacks a field: {error}.") from error


def from_columns(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """From BIRD's `database#sep#table` -> columns layout, which has no keys."""
    found: dict[str, list[str]] = {}
    for entry in entries.values():
        columns = zip(entry["column_names_original"], entry["column_types"], strict=True)
        lines = [f"  {_quoted(name)} {kind}" for name, kind in columns]
        found.setdefault(entry["db_id"], []).append(_create(entry["table_name_original"], lines))
    return {database: "\n\n".join(tables) for database, tables in found.items()}


@lru_cache(maxsize=512)
def from_database(path: Path) -> str:
    """The statements that made a SQLite file; "" where there is no such file.

    Raises:
        TaskError: it is no database.
    """
    if not path.exists():
        return ""
    sql = "SELECT sql FROM sqlite_master WHERE type = 'table' AND sql NOT NULL AND name NOT LIKE 'sqlite%'"
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            return "\n\n".join(f"{row[0]};" for row in db.execute(sql))
    except sqlite3.Error as error:
        raise TaskError(f"{path} is no SQLite database: {error}.") from error


def _statements(entry: Mapping[str, Any]) -> Iterable[str]:
    columns = entry["column_names_original"]
    tables = entry["table_names_original"]
    primary = {key for keys in entry["primary_keys"] for key in (keys if isinstance(keys, list) else [keys])}
    for number, table in enumerate(tables):
        own = [index for index, (owner, _) in enumerate(columns) if owner == number]
        lines = [f"  {_quoted(columns[index][1])} {entry['column_types'][index]}" for index in own]
        keys = [_quoted(columns[index][1]) for index in own if index in primary]
        if keys:
            lines.append(f"  PRIMARY KEY ({', '.join(keys)})")
        for source, target in entry["foreign_keys"]:
            if source in own:
                owner, name = columns[target]
                lines.append(
                    f"  FOREIGN KEY ({_quoted(columns[source][1])}) "
                    f"REFERENCES {_quoted(tables[owner])} ({_quoted(name)})"
                )
        yield _create(table, lines)


def _create(table: str, lines: Sequence[str]) -> str:
    return f"CREATE TABLE {_quoted(table)} (\n" + ",\n".join(lines) + "\n);"


def _quoted(name: str) -> str:
    return name if name.replace("_", "a").isalnum() and not name[0].isdigit() else '"' + name + '"'
