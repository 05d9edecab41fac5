"""Moving a library's vectors from one backend to another, and back.

    moved = move(database.reading, database.writing, source, target, progress=print)

Vectors are copied first and only then removed from where they were, so a move that is interrupted is simply
begun again. BM25 counts stay in the library; a remote target gets the weights computed from them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quire.index.backends import Backend
from quire.index.dense import Connect, send_pending
from quire.index.encoders import BM25
from quire.index.pending import encoded

_BATCH = 2000


def move(
    reading: Connect,
    writing: Connect,
    source: Backend,
    target: Backend,
    *,
    progress: Callable[[str, int], None] | None = None,
) -> int:
    """Move all dense vectors, and make BM25 searchable there; gives the number of dense vectors moved.

    `progress(collection, vectors so far)` is called after each batch.
    """
    with reading() as connection:
        table = "sent" if source.remote else "vectors"
        names = connection.execute(f"SELECT DISTINCT collection FROM {table} ORDER BY collection").fetchall()
    moved = sum(_copy(reading, writing, source, target, name, progress) for (name,) in names if name != BM25)
    with writing() as connection:
        connection.execute("DELETE FROM sent_averages")
        ids = connection.execute("SELECT id FROM entries ORDER BY id").fetchnumpy()["id"]
        source.delete(connection, np.asarray(ids, dtype=np.int64))
    send_pending(reading, writing, target)
    return moved


def _copy(
    reading: Connect,
    writing: Connect,
    source: Backend,
    target: Backend,
    collection: str,
    progress: Callable[[str, int], None] | None,
) -> int:
    copied = 0
    with reading() as connection:
        there = encoded(connection, collection, remote=source.remote)
    for start in range(0, len(there), _BATCH):
        with reading() as connection:
            found, rows = source.fetch(connection, collection, there[start : start + _BATCH])
        if len(found):
            with writing() as connection:
                target.upsert(connection, collection, found, np.ascontiguousarray(rows))
        copied += len(found)
        if progress:
            progress(collection, copied)
    return copied
