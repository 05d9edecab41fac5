"""What a collection still lacks: entries without a vector, and the texts that their vectors are made of.

    with database.reading() as connection:
        ids = waiting(connection, MINILM, remote=backend.remote)
        pending(connection, MINILM, ids[:512])          # with their texts

A set difference: the entries of the collection's modality less those that have a vector of it, by the blocks
in `vectors`, or by `sent` where vectors lie in a remote backend. So a vector that is lost waits again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.cells import ENCODABLE, Modality, encodable_text
from quire.index.encoders import BM25
from quire.types import Box


@dataclass(frozen=True, slots=True)
class Pending:
    """An entry without a vector. Text entries carry their text, image entries where to look.

    `parts` are the passages of a page or section of several: its vector is the mean of theirs. An encoder
    would read only the beginning of the whole text, and the passages are encoded anyway.
    """

    id: int
    paper_id: str
    page: int
    table: str
    column: str
    key: str
    text: str = ""
    bbox: Box | None = None
    parts: tuple[str, ...] = ()


def modality(collection: str) -> Modality:
    """What a collection encodes: its name says so."""
    return "image" if collection.startswith("image_") else "text"


def waiting(connection: duckdb.DuckDBPyConnection, collection: str, *, remote: bool) -> NDArray[np.int64]:
    """The ids of the entries that still need a vector of the collection, ascending.

    The default backend searches BM25 by the postings that were written with each paper: none of it waits.
    """
    if collection == BM25 and not remote:
        return np.empty(0, dtype=np.int64)
    condition, parameters = _encodable(collection)
    noted, names = _noted(collection, remote=remote)
    columns = connection.execute(
        f"SELECT id FROM entries WHERE {condition} AND id NOT IN ({noted}) ORDER BY id",
        [*parameters, *names],
    ).fetchnumpy()
    return np.asarray(columns["id"], dtype=np.int64)


def count_waiting(connection: duckdb.DuckDBPyConnection, collection: str, *, remote: bool) -> int:
    """How many entries still need a vector of the collection."""
    return len(waiting(connection, collection, remote=remote))


def encoded(connection: duckdb.DuckDBPyConnection, collection: str, *, remote: bool) -> NDArray[np.int64]:
    """The ids of the entries that have a vector of the collection, as far as the library knows, ascending."""
    condition, parameters = _encodable(collection)
    here = collection == BM25 and not remote
    noted, names = ("SELECT id FROM entries", []) if here else _noted(collection, remote=remote)
    columns = connection.execute(
        f"SELECT id FROM entries WHERE {condition} AND id IN ({noted}) ORDER BY id", [*parameters, *names]
    ).fetchnumpy()
    return np.asarray(columns["id"], dtype=np.int64)


def pending(connection: duckdb.DuckDBPyConnection, collection: str, ids: NDArray[np.int64]) -> list[Pending]:
    """What is needed to encode these entries, in the order of their ids; without those that are gone."""
    rows = connection.execute(
        """SELECT id, pdf_id, page_number, table_name, column_name, primary_key, bbox, pair FROM entries
           WHERE id IN (SELECT unnest(?::BIGINT[])) ORDER BY id""",
        [ids.tolist()],
    ).fetchall()
    keys: dict[int, list[str]] = {}
    if modality(collection) == "text":
        for row in rows:
            keys.setdefault(row[7], []).append(row[5])
    texts = {pair: texts_of(connection, pair, wanted) for pair, wanted in keys.items()}
    parts = {pair: _parts_of(connection, pair, wanted) for pair, wanted in keys.items()}
    return [
        Pending(
            id,
            paper,
            page,
            table,
            column,
            key,
            texts.get(number, {}).get(key, ""),
            _box(bbox),
            parts.get(number, {}).get(key, ()),
        )
        for id, paper, page, table, column, key, bbox, number in rows
    ]


def texts_of(connection: duckdb.DuckDBPyConnection, pair: int, keys: Sequence[str]) -> dict[str, str]:
    """The texts of cells of one pair, by key, as a dense encoder reads them."""
    of = ENCODABLE[pair]
    rows = connection.execute(
        f'SELECT CAST("{of.key}" AS VARCHAR), "{of.column}" FROM "{of.table}"'
        f' WHERE "{of.key}" IN (SELECT unnest(?::UUID[]))',
        [list(keys)],
    ).fetchall()
    return {key: encodable_text(of.table, of.column, text or "") for key, text in rows}


# Long texts that are cut into passages, and the passages' column that names them.
_CUT = {("pages", "page_content"): "ref_page_id", ("sections", "section_content"): "ref_section_id"}


def _parts_of(
    connection: duckdb.DuckDBPyConnection, pair: int, keys: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The passages of each page or section that has several."""
    of = ENCODABLE[pair]
    owner = _CUT.get((of.table, of.column))
    if owner is None:
        return {}
    rows = connection.execute(
        f"""SELECT CAST({owner} AS VARCHAR), list(text_content ORDER BY ordinal) FROM chunks
            WHERE {owner} IN (SELECT unnest(?::UUID[])) GROUP BY {owner} HAVING count(*) > 1""",
        [list(keys)],
    ).fetchall()
    return {
        key: tuple(encodable_text("chunks", "text_content", text) for text in passages)
        for key, passages in rows
    }


def _encodable(collection: str) -> tuple[str, list[list[int]]]:
    """The condition on entries of a collection: its modality, and for BM25 at least one word."""
    pairs = [pair.number for pair in ENCODABLE if pair.modality == modality(collection)]
    words = " AND length > 0" if collection == BM25 else ""
    return f"pair IN (SELECT unnest(?::INTEGER[])){words}", [pairs]


def _noted(collection: str, *, remote: bool) -> tuple[str, list[str]]:
    """The query for the ids of the vectors that the library knows of."""
    if remote:
        return "SELECT id FROM sent WHERE collection = ?", [collection]
    return "SELECT unnest(ids) FROM vectors WHERE collection = ?", [collection]


def _box(values: list[int] | None) -> Box | None:
    return Box(*values) if values else None
