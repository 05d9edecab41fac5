"""What a collection still lacks: entries without a vector, and the texts that their vectors are made of.

Entries are numbered as they are added and encoded in that order, so how far a collection has come is one
number (`collections.encoded_to`), and finding what is next does not cost more in a larger library.
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


def encoded_to(connection: duckdb.DuckDBPyConnection, collection: str) -> int:
    """The id up to which the collection's entries have vectors; 0 when it was never begun."""
    rows = connection.execute(
        "SELECT encoded_to FROM collections WHERE collection = ?", [collection]
    ).fetchall()
    return int(rows[0][0]) if rows else 0


def count_pending(connection: duckdb.DuckDBPyConnection, collection: str) -> int:
    """How many entries of its modality still need a vector."""
    ((count,),) = connection.execute(
        "SELECT count(*) FROM entries WHERE id > ? AND pair IN (SELECT unnest(?::INTEGER[]))",
        [encoded_to(connection, collection), _pairs(modality(collection))],
    ).fetchall()
    return int(count)


def pending(connection: duckdb.DuckDBPyConnection, collection: str, limit: int) -> list[Pending]:
    """The next entries to encode, in the order of their ids, with their texts."""
    rows = connection.execute(
        """SELECT id, pdf_id, page_number, table_name, column_name, primary_key, bbox, pair FROM entries
           WHERE id > ? AND pair IN (SELECT unnest(?::INTEGER[])) ORDER BY id LIMIT ?""",
        [encoded_to(connection, collection), _pairs(modality(collection)), limit],
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


def pending_ids(connection: duckdb.DuckDBPyConnection, collection: str, limit: int) -> NDArray[np.int64]:
    """The ids of the next entries to encode."""
    return entry_ids(connection, collection, encoded_to(connection, collection), limit)


def entry_ids(
    connection: duckdb.DuckDBPyConnection, collection: str, after: int, limit: int
) -> NDArray[np.int64]:
    """The ids of a collection's entries above `after`, in order, whether they have a vector or not."""
    columns = connection.execute(
        """SELECT id FROM entries
           WHERE id > ? AND pair IN (SELECT unnest(?::INTEGER[])) ORDER BY id LIMIT ?""",
        [after, _pairs(modality(collection)), limit],
    ).fetchnumpy()
    return np.asarray(columns["id"], dtype=np.int64)


def restart(connection: duckdb.DuckDBPyConnection, collection: str) -> None:
    """Forget how far a collection has come: all of it is pending again."""
    connection.execute("DELETE FROM collections WHERE collection = ?", [collection])
    if collection == BM25:
        connection.execute("DELETE FROM sent_averages")


def _box(values: list[int] | None) -> Box | None:
    return Box(*values) if values else None


def _pairs(of: Modality) -> list[int]:
    return [pair.number for pair in ENCODABLE if pair.modality == of]
