"""The later stage of adding: dense vectors for entries that have none yet, resumable at any moment.

    encode_pending(database.reading, database.writing, backend, encoder)

Texts are read from the library's own rows. Encoding holds no connection; what was written survives a kill.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.backends import Backend
from quire.index.encoders import BM25, Encoder
from quire.index.pending import Pending, count_pending, encoded_to, modality, pending, pending_ids

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]
Render = Callable[[Pending], bytes]

__all__ = [
    "Pending",
    "count_pending",
    "encode_pending",
    "encoded_to",
    "modality",
    "pending",
    "send_pending",
]


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
            rows = _encode_texts(encoder, todo)
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
            ids = pending_ids(connection, BM25, batch)
        if not len(ids):
            return sent
        with writing() as connection:
            backend.upsert(connection, BM25, ids, None)
            _advance(connection, BM25, 0, int(ids[-1]))
        sent += len(ids)


def _encode_texts(encoder: Encoder, todo: Sequence[Pending]) -> NDArray[np.float32]:
    """One row per entry; all passages go to the encoder at once, which computes equal ones once."""
    texts = [entry.parts or (entry.text,) for entry in todo]
    rows = encoder.encode([part for parts in texts for part in parts])
    starts = np.cumsum([0, *(len(parts) for parts in texts[:-1])])
    sums: NDArray[np.float32] = np.add.reduceat(rows, starts, axis=0)
    unit: NDArray[np.float32] = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    return unit


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
