"""What a process keeps of a library's vectors and postings between searches.

Everything here can be read again from the database; it is dropped when `generation` says that somebody wrote.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.cells import Pair

_MAX_POSTINGS = 20_000_000  # kept at once, 8 bytes each


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """The vectors of one collection and pair: column i belongs to ids[i]; ids ascend.

    Dimensions lie one after the other: a product with all vectors then streams through memory, three times
    faster than vector by vector, and sums in the same order for every vector, so equal ones tie exactly.
    """

    ids: NDArray[np.int64]
    columns: NDArray[np.float32]

    def scores(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """The product of every vector with the query."""
        return self.columns.T @ query

    def some(
        self, ids: NDArray[np.int64], query: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Those of the given (ascending) ids that have a vector, and their products with the query."""
        at = np.searchsorted(self.ids, ids)
        at = at[self.ids[np.minimum(at, len(self.ids) - 1)] == ids]
        if len(at) * 8 > len(self.ids):
            return self.ids[at], self.scores(query)[at]
        if len(at) and at[-1] - at[0] == len(at) - 1:
            return self.ids[at], self.columns[:, at[0] : at[-1] + 1].T @ query
        return self.ids[at], self.columns[:, at].T @ query


@dataclass(frozen=True, slots=True, eq=False)
class TermPostings:
    """Where one word stands: entry ids, how often, and the entries' lengths."""

    ids: NDArray[np.int32]
    tf: NDArray[np.uint16]
    length: NDArray[np.int32]


class Cache:
    """Caches of one library in one process. Not for use by several threads at once."""

    def __init__(self) -> None:
        self._generation = -1
        self._matrices: dict[tuple[str, int], Matrix] = {}
        self._postings: OrderedDict[tuple[int, int], TermPostings] = OrderedDict()
        self._kept = 0

    def refresh(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Drop everything if the library was written to since."""
        ((generation,),) = connection.execute("SELECT generation FROM index_state").fetchall()
        if generation != self._generation:
            self._matrices.clear()
            self._postings.clear()
            self._kept = 0
            self._generation = generation

    def matrix(self, connection: duckdb.DuckDBPyConnection, collection: str, pair: Pair) -> Matrix:
        """The dense vectors of a pair, read at the first call."""
        key = (collection, pair.number)
        if key not in self._matrices:
            self._matrices[key] = _read_matrix(connection, collection, pair)
        return self._matrices[key]

    def postings(
        self, connection: duckdb.DuckDBPyConnection, pair: Pair, terms: Iterable[int]
    ) -> dict[int, TermPostings]:
        """The postings of each word, the missing ones read in one query."""
        found: dict[int, TermPostings] = {}
        missing = []
        for term in terms:
            if kept := self._postings.get((pair.number, term)):
                self._postings.move_to_end((pair.number, term))
                found[term] = kept
            else:
                missing.append(term)
        if missing:
            found |= self._read_postings(connection, pair, missing)
        return found

    def _read_postings(
        self, connection: duckdb.DuckDBPyConnection, pair: Pair, terms: list[int]
    ) -> dict[int, TermPostings]:
        columns = connection.execute(
            """SELECT term, id, tf, length FROM (FROM postings UNION ALL FROM postings_recent)
               WHERE pair = ? AND term IN (SELECT unnest(?::INTEGER[]))""",
            [pair.number, terms],
        ).fetchnumpy()
        order = np.argsort(columns["term"], kind="stable")
        ids, tf, length = (np.asarray(columns[name])[order] for name in ("id", "tf", "length"))
        ordered = np.asarray(columns["term"])[order]
        read = {}
        for term in terms:
            begin, end = np.searchsorted(ordered, [term, term + 1])
            read[term] = TermPostings(ids[begin:end].copy(), tf[begin:end].copy(), length[begin:end].copy())
            self._keep((pair.number, term), read[term])
        return read

    def _keep(self, key: tuple[int, int], postings: TermPostings) -> None:
        self._postings[key] = postings
        self._kept += len(postings.ids)
        while self._kept > _MAX_POSTINGS and len(self._postings) > 1:
            _, dropped = self._postings.popitem(last=False)
            self._kept -= len(dropped.ids)


def _read_matrix(connection: duckdb.DuckDBPyConnection, collection: str, pair: Pair) -> Matrix:
    scope = [collection, pair.number]
    where = "FROM vectors WHERE collection = ? AND pair = ?"
    ((count, dim),) = connection.execute(f"SELECT sum(len(ids)), any_value(dim) {where}", scope).fetchall()
    ids = np.empty(count or 0, dtype=np.int64)
    columns = np.empty((dim or 1, count or 0), dtype=np.float32)
    blocks = connection.execute(f"SELECT ids, matrix {where}", scope)
    at = 0
    # A few blocks at a time, straight into place: fresh memory is what loading costs most.
    while some := blocks.fetchmany(4):
        for members, blob in some:
            end = at + len(members)
            ids[at:end] = members
            columns[:, at:end] = np.frombuffer(blob, dtype="<f4").reshape(-1, dim).T
            at = end
    if np.any(ids[1:] < ids[:-1]):
        order = np.argsort(ids)
        ids, columns = ids[order], columns[:, order]
    return Matrix(ids, columns)
