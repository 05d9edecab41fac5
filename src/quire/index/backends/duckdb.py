"""The default backend: vectors in `library.duckdb`, one exact matrix product in memory.

Adding a paper appends blocks; a search reads the vectors of its (table, column) once per process.
"""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.backends import Held, Query, Scored, best
from quire.index.bm25 import document_weights, pair_size, query_weights
from quire.index.cache import Cache
from quire.index.encoders import BM25
from quire.index.pending import encoded
from quire.index.scope import Scope
from quire.index.writing import touch

Floats = NDArray[np.float32]


def open_backend(uri: str = "") -> DuckDbBackend:
    """The backend; there is nothing to connect to."""
    return DuckDbBackend()


class DuckDbBackend:
    """Exact search over the `vectors` and `postings` tables."""

    remote = False

    def __init__(self) -> None:
        self._cache = Cache()

    def upsert(
        self,
        connection: duckdb.DuckDBPyConnection,
        collection: str,
        ids: NDArray[np.int64],
        rows: Floats | None,
    ) -> None:
        """Store blocks per paper and pair. BM25 needs nothing: its postings are written with the paper."""
        if rows is None or not len(ids):
            return
        self._forget(connection, collection, ids)
        owners = connection.execute(
            "SELECT id, pdf_id, pair FROM entries WHERE id IN (SELECT unnest(?::BIGINT[])) ORDER BY id",
            [ids.tolist()],
        ).fetchall()
        row_of = {int(entry): i for i, entry in enumerate(ids)}
        blocks: dict[tuple[str, int], list[int]] = {}
        for entry, paper, pair in owners:
            blocks.setdefault((paper, pair), []).append(entry)
        for (paper, pair), members in blocks.items():
            matrix = np.ascontiguousarray(rows[[row_of[entry] for entry in members]], dtype="<f4")
            connection.execute(
                "INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?)",
                [collection, paper, pair, matrix.shape[1], members, matrix.tobytes()],
            )
        touch(connection)

    def delete(self, connection: duckdb.DuckDBPyConnection, ids: NDArray[np.int64]) -> None:
        """Remove these vectors from their blocks."""
        for (collection,) in connection.execute("SELECT DISTINCT collection FROM vectors").fetchall():
            self._forget(connection, collection, ids)
        touch(connection)

    def search(
        self,
        connection: duckdb.DuckDBPyConnection,
        collection: str,
        query: Query,
        scope: Scope,
        limit: int,
    ) -> list[Scored]:
        """The best entries: cosine (vectors are of length 1) or BM25."""
        self._cache.refresh(connection)
        if isinstance(query, Mapping):
            return self._sparse(connection, query, scope, limit)
        return self._dense(connection, collection, query, scope, limit)

    def fetch(
        self, connection: duckdb.DuckDBPyConnection, collection: str, ids: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], Floats]:
        """The vectors of those entries that have one."""
        blocks = connection.execute(
            """SELECT ids, matrix, dim FROM vectors
               WHERE collection = ? AND list_has_any(ids, ?::INTEGER[])""",
            [collection, ids.tolist()],
        ).fetchall()
        if not blocks:
            return np.empty(0, dtype=np.int64), np.empty((0, 1), dtype=np.float32)
        members = np.concatenate([np.asarray(block[0], dtype=np.int64) for block in blocks])
        rows = np.concatenate([np.frombuffer(blob, dtype="<f4").reshape(-1, dim) for _, blob, dim in blocks])
        order = np.argsort(members)
        order = order[np.isin(members[order], ids)]
        return members[order], rows[order]

    def held(self, connection: duckdb.DuckDBPyConnection, collection: str) -> Held:
        """The entries in blocks of the right size, each once; for BM25, all that have postings."""
        if collection == BM25:
            return Held(encoded(connection, BM25, remote=False), np.empty(0, dtype=np.int64))
        columns = connection.execute(
            """WITH v AS (SELECT unnest(ids) AS id, pdf_id, octet_length(matrix) = len(ids) * dim * 4 AS sound
                          FROM vectors WHERE collection = ?)
               SELECT v.id, bool_and(v.sound) AND count(*) = 1 AS sound, any_value(e.id) IS NULL AS stray
               FROM v LEFT JOIN entries e ON e.id = v.id AND e.pdf_id = v.pdf_id GROUP BY v.id
               ORDER BY v.id""",
            [collection],
        ).fetchnumpy()
        ids = np.asarray(columns["id"], dtype=np.int64)
        sound, stray = (np.asarray(columns[name], dtype=np.bool_) for name in ("sound", "stray"))
        return Held(ids[sound & ~stray], ids[stray])

    def _dense(
        self,
        connection: duckdb.DuckDBPyConnection,
        collection: str,
        query: Floats,
        scope: Scope,
        limit: int,
    ) -> list[Scored]:
        matrix = self._cache.matrix(connection, collection, scope.pair)
        if not len(matrix.ids):
            return []
        if not scope.narrowed:
            return best(matrix.ids, matrix.scores(query), limit)
        return best(*matrix.some(scope.ids(connection), query), limit)

    def _sparse(
        self,
        connection: duckdb.DuckDBPyConnection,
        counts: Mapping[int, int],
        scope: Scope,
        limit: int,
    ) -> list[Scored]:
        size = pair_size(connection, scope.pair)
        postings = self._cache.postings(connection, scope.pair, counts)
        weights = query_weights(counts, {term: len(p.ids) for term, p in postings.items()}, size.entries)
        if not weights:
            return []
        high = max(int(postings[term].ids.max()) for term in weights) + 1
        scores = np.zeros(high, dtype=np.float32)
        for term, weight in sorted(weights.items()):
            found = postings[term]
            scores[found.ids] += np.float32(weight) * document_weights(found.tf, found.length, size.average)
        if scope.narrowed:
            inside = scope.ids(connection)
            inside = inside[inside < high]
            scores, ids = scores[inside], inside
            ids, scores = ids[scores > 0], scores[scores > 0]
        else:
            ids = np.flatnonzero(scores)
            scores = scores[ids]
        return best(ids, scores, limit)

    def _forget(self, connection: duckdb.DuckDBPyConnection, collection: str, ids: NDArray[np.int64]) -> None:
        """Drop older vectors of these entries, keeping the rest of blocks that are sound."""
        wanted = set(ids.tolist())
        old = connection.execute(
            """SELECT rowid, ids, matrix, dim FROM vectors
               WHERE collection = ? AND list_has_any(ids, ?::INTEGER[])""",
            [collection, ids.tolist()],
        ).fetchall()
        for row, members, blob, dim in old:
            kept = [i for i, entry in enumerate(members) if entry not in wanted]
            if kept and len(blob) == len(members) * dim * 4:
                matrix = np.frombuffer(blob, dtype="<f4").reshape(-1, dim)[kept]
                connection.execute(
                    "UPDATE vectors SET ids = ?, matrix = ? WHERE rowid = ?",
                    [[members[i] for i in kept], matrix.tobytes(), row],
                )
            else:
                connection.execute("DELETE FROM vectors WHERE rowid = ?", [row])
