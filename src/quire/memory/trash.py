"""Items that were forgotten and can be taken back, for 30 days: out of every table that is asked.

    put(store, [item.id])                  # its rows as JSON; whoever forgets deletes them then
    kept(store)                            # [Forgotten("3f2a...", "How long ...?", "2026-11-25T...")]
    take_back(store, "3f2a...")

Vectors and words of the question are not kept: they are made again. After 30 days nothing is left.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from quire import jsontext
from quire.errors import MemoryStoreError
from quire.memory.codes import SPACE
from quire.memory.searches import refit, teaches
from quire.memory.store import MemoryStore
from quire.settings import RESTORABLE

_TABLES = {
    "items": "id", "item_papers": "item", "item_lessons": "item", "uses": "item", "verdicts": "item",
    "search_evidence": "item",
}  # fmt: skip
"""What an item consists of, and the column that names it."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """An item that can be taken back: its id, what was asked, when it was forgotten (ISO 8601, UTC)."""

    id: str
    question: str
    since: str


def put(store: MemoryStore, items: Iterable[str]) -> None:
    """Keep the rows of items that are about to be forgotten."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with store.transaction() as db:
        for item in items:
            rows = {table: _rows(db, table, column, item) for table, column in _TABLES.items()}
            if rows["items"]:
                question = rows["items"][0]["question"]
                told = json.dumps(rows, ensure_ascii=False)
                db.execute("INSERT OR REPLACE INTO trash VALUES (?, ?, ?, ?)", (item, now, question, told))


def kept(store: MemoryStore) -> list[Forgotten]:
    """What can be taken back, the latest first."""
    expire(store)
    rows = store.read("SELECT item, question, since FROM trash ORDER BY since DESC, item")
    return [Forgotten(*row) for row in rows]


def take_back(store: MemoryStore, item: str) -> Forgotten:
    """Put an item back as it was; `item` is its id or the beginning of it. Its question is to be encoded.

    Raises:
        MemoryStoreError: none so named was forgotten within 30 days, or several were.
    """
    found = [one for one in kept(store) if item and one.id.startswith(item)]
    if len(found) != 1:
        which = f"There are {len(found)} forgotten items" if found else "No forgotten item is kept that is"
        raise MemoryStoreError(f"{which} named `{item[:80]}`.", hint="See `quire memory restore`.")
    (one,) = found
    ((told,),) = store.read("SELECT rows FROM trash WHERE item = ?", (one.id,))
    try:
        rows = jsontext.loads(told)
        with store.transaction() as db:
            for table in _TABLES:
                _put_back(db, table, rows[table])
            db.execute("DELETE FROM trash WHERE item = ?", (one.id,))
            db.execute("DELETE FROM forgotten WHERE id = ?", (one.id,))
            if teaches(store, [one.id]):
                refit(store)
            store.revise(SPACE)
    except (ValueError, KeyError, TypeError, AttributeError, sqlite3.IntegrityError) as error:
        raise store.unreadable(repr(error)) from error
    return one


def drop(store: MemoryStore, items: Iterable[str]) -> int:
    """Keep these no longer; how many there were."""
    with store.transaction() as db:
        return sum(db.execute("DELETE FROM trash WHERE item = ?", (item,)).rowcount for item in items)


def expire(store: MemoryStore) -> None:
    """Leave nothing of what was forgotten 30 days ago; deleted bytes are overwritten."""
    day = (datetime.now(UTC) - RESTORABLE).isoformat(timespec="seconds")
    if store.read("SELECT 1 FROM trash WHERE since < ?", (day,)):
        store.read("PRAGMA secure_delete = ON")
        with store.transaction() as db:
            db.execute("DELETE FROM trash WHERE since < ?", (day,))
        store.read("PRAGMA wal_checkpoint(TRUNCATE)")


def _rows(db: sqlite3.Connection, table: str, column: str, item: str) -> list[dict[str, Any]]:
    found = db.execute(f"SELECT * FROM {table} WHERE {column} = ?", (item,))
    names = [each[0] for each in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def _put_back(db: sqlite3.Connection, table: str, rows: list[dict[str, Any]]) -> None:
    """Insert rows as they were, in the place that they had; columns that came since are as if new."""
    columns = [each[0] for each in db.execute(f"SELECT * FROM {table} LIMIT 0").description]
    for row in rows:
        names = [name for name in columns if name in row]
        sql = f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
        db.execute(sql, [row[name] for name in names])
