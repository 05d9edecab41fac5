"""BM25 vectors for backends that store vectors, computed from the library's own counts."""

from __future__ import annotations

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.bm25 import document_weights, pair_size
from quire.index.cells import ENCODABLE


def entry_weights(
    connection: duckdb.DuckDBPyConnection, ids: NDArray[np.int64]
) -> dict[int, dict[int, float]]:
    """The sparse vector of each entry: {number of a stem: weight}. Entries without words are left out."""
    columns = connection.execute(
        """SELECT id, pair, term, tf, length FROM (FROM postings UNION ALL FROM postings_recent)
           WHERE id IN (SELECT unnest(?::INTEGER[]))""",
        [ids.tolist()],
    ).fetchnumpy()
    pairs = np.asarray(columns["pair"])
    weights = np.empty(len(pairs), dtype=np.float32)
    for number in np.unique(pairs):
        chosen = pairs == number
        average = pair_size(connection, ENCODABLE[int(number)]).average
        weights[chosen] = document_weights(columns["tf"][chosen], columns["length"][chosen], average)
    vectors: dict[int, dict[int, float]] = {}
    for entry, term, weight in zip(
        columns["id"].tolist(), columns["term"].tolist(), weights.tolist(), strict=True
    ):
        vectors.setdefault(entry, {})[term] = weight
    return vectors


def resend_if_average_moved(connection: duckdb.DuckDBPyConnection) -> list[NDArray[np.int64]]:
    """Entries of each pair whose average differs from the one that was sent; notes the new average."""
    moved = []
    for row in connection.execute("SELECT pair FROM pair_sizes WHERE entries > 0 ORDER BY pair").fetchall():
        number = int(row[0])
        average = pair_size(connection, ENCODABLE[number]).average
        sent = connection.execute("SELECT average FROM sent_averages WHERE pair = ?", [number]).fetchall()
        if sent and sent[0][0] == average:
            continue
        connection.execute("DELETE FROM sent_averages WHERE pair = ?", [number])
        connection.execute("INSERT INTO sent_averages VALUES (?, ?)", [number, average])
        if sent:
            ids = connection.execute(
                "SELECT id FROM entries WHERE pair = ? ORDER BY id", [number]
            ).fetchnumpy()
            moved.append(np.asarray(ids["id"], dtype=np.int64))
    return moved
