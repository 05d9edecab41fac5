"""The later stage of adding: dense vectors for entries that have none yet, resumable at any moment.

    encode_pending(database.reading, database.writing, backend, encoder)

Entries are numbered as they are added and encoded in that order, so how far a collection has come is one
number (`collections.encoded_to`), and finding what is next does not cost more in a larger library. Texts
are read from the library's own rows. Encoding holds no connection; what was written survives a kill.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.backends import Backend
from quire.index.cells import ENCODABLE, Modality, encodable_text
from quire.index.encoders import BM25, Encoder
from quire.types import Box

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]
Render = Callable[["Pending"], bytes]


@dataclass(frozen=True, slots=True)
class Pending:
    """An entry without a vector. Text entries carry their text, image entries where to look."""

    id: int
    paper_id: str
    page: int
    table: str
    column: str
    key: str
    text: str = ""
    bbox: Box | None = None


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
    return [
        Pending(id, paper, page, table, column, key, texts.get(number, {}).get(key, ""), _box(bbox))
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


def encode_pending(
    reading: Connect,
    writing: Connect,
    backend: Backend,
    encoder: Encoder,
    *,
    render: Render | None = None,
    batch: int = 512,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Encode whatever the encoder's collection still lacks; gives the number of entries encoded.

    `render` makes a picture of an image entry. `progress(done, total)` is called after each batch. `writing`
    yields a connection inside a transaction that is committed at its end.
    """
    with reading() as connection:
        total = count_pending(connection, encoder.name)
    done = 0
    while True:
        with reading() as connection:
            todo = pending(connection, encoder.name, batch)
        if not todo:
            return done
        if modality(encoder.name) == "image":
            if render is None:
                return done
            rows = encoder.encode([render(entry) for entry in todo])
        else:
            rows = encoder.encode([entry.text for entry in todo])
        ids = np.asarray([entry.id for entry in todo], dtype=np.int64)
        with writing() as connection:
            # A paper may have been removed while its texts were being encoded.
            alive = _alive(connection, ids)
            backend.upsert(connection, encoder.name, ids[alive], rows[alive])
            _advance(connection, encoder.name, encoder.dim, int(ids[-1]))
        done += len(todo)
        if progress:
            progress(done, max(total, done))


def send_pending(reading: Connect, writing: Connect, backend: Backend, *, batch: int = 2000) -> int:
    """Give a remote backend the BM25 vectors that it lacks; gives how many entries were sent.

    The default backend needs none of this: it searches the postings that were written with each paper.
    """
    sent = 0
    while True:
        with reading() as connection:
            ids = _pending_ids(connection, BM25, batch)
        if not len(ids):
            return sent
        with writing() as connection:
            backend.upsert(connection, BM25, ids, None)
            _advance(connection, BM25, 0, int(ids[-1]))
        sent += len(ids)


def _pending_ids(connection: duckdb.DuckDBPyConnection, collection: str, limit: int) -> NDArray[np.int64]:
    columns = connection.execute(
        """SELECT id FROM entries
           WHERE id > ? AND pair IN (SELECT unnest(?::INTEGER[])) ORDER BY id LIMIT ?""",
        [encoded_to(connection, collection), _pairs(modality(collection)), limit],
    ).fetchnumpy()
    return np.asarray(columns["id"], dtype=np.int64)


def _box(values: list[int] | None) -> Box | None:
    return Box(*values) if values else None


def _alive(connection: duckdb.DuckDBPyConnection, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    rows = connection.execute(
        "SELECT id FROM entries WHERE id IN (SELECT unnest(?::BIGINT[]))", [ids.tolist()]
    ).fetchnumpy()
    return np.isin(ids, rows["id"])


def _advance(connection: duckdb.DuckDBPyConnection, collection: str, dim: int, last: int) -> None:
    connection.execute(
        "INSERT INTO collections SELECT ?, ?, 0 WHERE ? NOT IN (SELECT collection FROM collections)",
        [collection, dim, collection],
    )
    connection.execute("UPDATE collections SET encoded_to = ? WHERE collection = ?", [last, collection])


def _pairs(of: Modality) -> list[int]:
    return [pair.number for pair in ENCODABLE if pair.modality == of]
