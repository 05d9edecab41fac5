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
from quire.index.pending import Pending, modality, pending, waiting

Connect = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]
Render = Callable[[Pending], bytes]
_SENT = 2000  # entries at once


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
        ids = waiting(connection, encoder.name, remote=backend.remote)
    if modality(encoder.name) == "image" and render is None:
        return 0
    done = 0
    for start in range(0, len(ids), batch):
        with reading() as connection:
            todo = pending(connection, encoder.name, ids[start : start + batch])
        if not todo:
            continue
        if modality(encoder.name) == "image" and render:
            rows = encoder.encode([render(entry) for entry in todo])
        else:
            rows = _encode_texts(encoder, todo)
        chosen = np.asarray([entry.id for entry in todo], dtype=np.int64)
        with writing() as connection:
            # A paper may have been removed while its texts were being encoded.
            alive = _alive(connection, chosen)
            backend.upsert(connection, encoder.name, chosen[alive], rows[alive])
        done += len(todo)
        if progress:
            progress(done, len(ids))
    return done


def send_pending(reading: Connect, writing: Connect, backend: Backend) -> int:
    """Give a remote backend the BM25 vectors that it lacks; gives how many entries were sent.

    The default backend needs none of this: it searches the postings that were written with each paper.
    """
    with reading() as connection:
        ids = waiting(connection, BM25, remote=backend.remote)
    for start in range(0, len(ids), _SENT):
        with writing() as connection:
            backend.upsert(connection, BM25, ids[start : start + _SENT], None)
    return len(ids)


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
