"""Vector backends: where vectors lie and who finds the nearest.

`entries` and BM25 counts are in the library's DuckDB whatever the backend (they are content, and idf needs
them), so every method is given the open connection. A backend's hits are exact, ordered by score and, where
scores are equal, by id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.scope import Scope
from quire.registry import Registry

BACKENDS = Registry(
    "vector backend",
    {
        "duckdb": "quire.index.backends.duckdb:open_backend",
        "milvus": "quire.index.backends.milvus:open_backend",
    },
    "quire.backends",
)

Query = NDArray[np.float32] | Mapping[int, int]  # dense: a row; sparse: counted words


TIE = 1e-5  # scores are compared when they are rounded to this


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry and its score: cosine for dense collections, BM25 for the sparse one."""

    id: int
    score: float


class Held(NamedTuple):
    """The entries that have a sound vector, and the ids of vectors that belong to none; both ascending."""

    ids: NDArray[np.int64]
    strays: NDArray[np.int64]


class Backend(Protocol):
    """Stores the vectors of entries and searches them.

    A `remote` one is outside of the library's transactions: it notes in `sent` what it has been given.
    """

    @property
    def remote(self) -> bool:
        """Whether vectors lie outside of the library's file."""
        ...

    def upsert(
        self,
        connection: duckdb.DuckDBPyConnection,
        collection: str,
        ids: NDArray[np.int64],
        rows: NDArray[np.float32] | None,
    ) -> None:
        """Store the vectors of these entries, in place of older ones. `rows` is None for BM25."""
        ...

    def delete(self, connection: duckdb.DuckDBPyConnection, ids: NDArray[np.int64]) -> None:
        """Remove all vectors of these entries, whether the entries are there or not."""
        ...

    def search(
        self,
        connection: duckdb.DuckDBPyConnection,
        collection: str,
        query: Query,
        scope: Scope,
        limit: int,
    ) -> list[Scored]:
        """The `limit` best entries inside the scope."""
        ...

    def fetch(
        self, connection: duckdb.DuckDBPyConnection, collection: str, ids: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The dense vectors of those entries that have one here: their ids, ascending, and the rows."""
        ...

    def held(self, connection: duckdb.DuckDBPyConnection, collection: str) -> Held:
        """What is really there: asked of a remote backend, however much the library believes it to have."""
        ...


def best(ids: NDArray[np.int64], scores: NDArray[np.floating], limit: int) -> list[Scored]:
    """The highest scores, ties by id; a larger limit only adds to a smaller one's.

    Scores that differ by less than float32 can tell count as equal.
    """
    if len(scores) > limit:
        # The margin keeps everything that ties with the last place after rounding.
        floor = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        near = np.flatnonzero(scores >= floor - 2 * TIE)
        ids, scores = ids[near], scores[near]
    order = np.lexsort((ids, -np.round(scores.astype(np.float64), 5)))[:limit]
    return [Scored(int(ids[i]), float(scores[i])) for i in order]
