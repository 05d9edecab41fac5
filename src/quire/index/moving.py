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
from quire.index.pending import entry_ids, restart

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
        names = connection.execute("SELECT collection FROM collections ORDER BY collection").fetchall()
    moved = sum(_copy(reading, writing, source, target, name, progress) for (name,) in names if name != BM25)
    with writing() as connection:
        restart(connection, BM25)
        papers = connection.execute("SELECT DISTINCT pdf_id FROM entries").fetchall()
        source.delete(connection, [paper for (paper,) in papers])
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
    copied, last = 0, 0
    while True:
        with reading() as connection:
            ids = entry_ids(connection, collection, last, _BATCH)
            found, rows = source.fetch(connection, collection, ids)
        if not len(ids):
            return copied
        if len(found):
            with writing() as connection:
                target.upsert(connection, collection, found, np.ascontiguousarray(rows))
        copied += len(found)
        last = int(ids[-1])
        if progress:
            progress(collection, copied)
