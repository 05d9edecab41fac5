"""The backend for scale: Milvus, through pymilvus. A Milvus Lite path or a server's URI.

    open_backend("milvus:/data/vectors.db")          # Milvus Lite, in this process
    open_backend("milvus+http://localhost:19530")    # a server or a cluster

Collections and fields are the ones that agents are told of, `id` being the entry's id in the library. Indexes
are exact (FLAT, inverted). BM25 weights are computed here from the library's counts, so scores are the
default backend's. A filter that some Milvus does not evaluate as quire does becomes a list of ids first.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.errors import LibraryError, LibraryLocked, SettingsError
from quire.index.backends import TIE, Held, Query, Scored, best
from quire.index.backends.sparse import entry_weights, resend_if_average_moved
from quire.index.bm25 import document_frequencies, pair_size, query_weights
from quire.index.encoders import BM25
from quire.index.filters import evaluable_by_milvus, to_text
from quire.index.filters.lexer import quote
from quire.index.scope import Scope

_BATCH = 1000
_MOST = 16_384  # what a Milvus gives at most for one search
_CELL = ("table_name", "column_name", "primary_key")
Floats = NDArray[np.float32]


def open_backend(uri: str) -> MilvusBackend:
    """Connect.

    Raises:
        SettingsError: pymilvus is not installed.
        LibraryLocked: another process has the Milvus Lite file open.
        LibraryError: nobody answers at that URI.
    """
    return MilvusBackend(connect(uri))


def connect(uri: str) -> Any:
    """A pymilvus client for `milvus:PATH` or `milvus+http://HOST:PORT`."""
    try:
        from pymilvus import MilvusClient
    except ImportError as error:
        raise SettingsError(
            "The Milvus backend needs pymilvus.", hint='Install it: pip install "quire[milvus]".'
        ) from error
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it logs a traceback per failed call
    remote = uri.startswith("milvus+")
    target = uri.removeprefix("milvus+") if remote else uri.removeprefix("milvus:")
    try:
        return MilvusClient(uri=target)
    except Exception as error:  # pymilvus raises several unrelated kinds
        if remote:
            raise LibraryError(f"No Milvus answers at {target}: {error}.") from error
        raise LibraryLocked(
            f"The Milvus Lite file {target} cannot be opened: {error}.",
            hint="It serves one process at a time; close the other one.",
        ) from error


class MilvusBackend:
    """Vectors in Milvus; entries, counts and everything else stay in the library."""

    remote = True

    def __init__(self, client: Any) -> None:
        self._client = client
        self._loaded: set[str] = set()

    def close(self) -> None:
        """Let go of the server or the file."""
        self._client.close()

    def upsert(
        self,
        connection: duckdb.DuckDBPyConnection,
        collection: str,
        ids: NDArray[np.int64],
        rows: Floats | None,
    ) -> None:
        """Send vectors, or for BM25 the weights of the entries' words."""
        if rows is None:
            sparse = entry_weights(connection, ids)
            self._send(connection, collection, sparse, dim=0)
            _note(connection, collection, ids)
            for moved in resend_if_average_moved(connection):
                self._send(connection, collection, entry_weights(connection, moved), dim=0)
        elif len(ids):
            vectors = {int(key): row for key, row in zip(ids, rows, strict=True)}
            self._send(connection, collection, vectors, dim=rows.shape[1])
            _note(connection, collection, ids)

    def delete(self, connection: duckdb.DuckDBPyConnection, ids: NDArray[np.int64]) -> None:
        """Remove all vectors of these entries."""
        for collection in self._client.list_collections():
            for start in range(0, len(ids), _BATCH):
                with _talking():
                    self._client.delete(collection, ids=ids[start : start + _BATCH].tolist())
        connection.execute("DELETE FROM sent WHERE id IN (SELECT unnest(?::BIGINT[]))", [ids.tolist()])

    def search(
        self,
        connection: duckdb.DuckDBPyConnection,
        collection: str,
        query: Query,
        scope: Scope,
        limit: int,
    ) -> list[Scored]:
        """The best entries. Asks for more where a tie, or a removed paper, might hide a better one."""
        vector = self._query(connection, query, scope)
        expression = _expression(connection, scope)
        if vector is None or expression is None or not self._has(collection):
            return []
        asked = limit + 10
        while True:
            with _talking():
                found = self._client.search(
                    collection, data=[vector], filter=expression, limit=min(asked, _MOST), anns_field="vector"
                )[0]
            hits = _alive(connection, scope, [(int(hit["id"]), float(hit["distance"])) for hit in found])
            last = hits[limit - 1][1] - 2 * TIE if len(hits) >= limit else -np.inf
            complete = len(found) < asked or float(found[-1]["distance"]) < last
            if complete or asked >= _MOST:
                ids = np.asarray([key for key, _ in hits], dtype=np.int64)
                return best(ids, np.asarray([score for _, score in hits], dtype=np.float64), limit)
            asked *= 4

    def fetch(
        self, connection: duckdb.DuckDBPyConnection, collection: str, ids: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], Floats]:
        """The vectors of those entries that have one."""
        found: dict[int, list[float]] = {}
        for start in range(0, len(ids) if self._has(collection) else 0, _BATCH):
            with _talking():
                rows = self._client.get(
                    collection, ids=ids[start : start + _BATCH].tolist(), output_fields=["id", "vector"]
                )
            found.update((int(row["id"]), row["vector"]) for row in rows)
        if not found:
            return np.empty(0, dtype=np.int64), np.empty((0, 1), dtype=np.float32)
        there = np.asarray(sorted(found), dtype=np.int64)
        return there, np.asarray([found[int(key)] for key in there], dtype=np.float32)

    def held(self, connection: duckdb.DuckDBPyConnection, collection: str) -> Held:
        """Asked of Milvus, some ids at a time; a vector of another cell with an entry's id is a stray."""
        if not self._has(collection):
            return Held(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
        sound: list[int] = []
        strays: list[int] = []
        ((last,),) = connection.execute("SELECT next_id FROM index_state").fetchall()
        for start in range(0, int(last), _MOST):
            cells = _cells(connection, start, start + _MOST)
            for row in self._rows(collection, f"id >= {start} and id < {min(start + _MOST, int(last))}"):
                same = cells.get(int(row["id"])) == tuple(row[name] for name in _CELL)
                (sound if same else strays).append(int(row["id"]))
        strays += [int(row["id"]) for row in self._rows(collection, f"id >= {last}")]
        return Held(np.asarray(sorted(sound), dtype=np.int64), np.asarray(sorted(strays), dtype=np.int64))

    def _rows(self, collection: str, expression: str) -> list[dict[str, Any]]:
        with _talking():
            found = self._client.query(
                collection, filter=expression, output_fields=["id", *_CELL], limit=_MOST
            )
        return list(found)

    def _has(self, collection: str) -> bool:
        """Whether the collection exists; loads it into memory at the first call."""
        with _talking():
            if collection not in self._loaded and self._client.has_collection(collection):
                self._client.load_collection(collection)
                self._loaded.add(collection)
        return collection in self._loaded

    def _query(self, connection: duckdb.DuckDBPyConnection, query: Query, scope: Scope) -> Any:
        if not isinstance(query, Mapping):
            return query.tolist()
        df = document_frequencies(connection, scope.pair, query)
        return query_weights(query, df, pair_size(connection, scope.pair).entries) or None

    def _send(
        self,
        connection: duckdb.DuckDBPyConnection,
        collection: str,
        vectors: Mapping[int, Floats | dict[int, float]],
        dim: int,
    ) -> None:
        if not vectors:
            return
        if not self._has(collection):
            with _talking():
                _create(self._client, collection, dim)
        rows = connection.execute(
            """SELECT id, pdf_id, page_number, table_name, column_name, primary_key, bbox FROM entries
               WHERE id IN (SELECT unnest(?::BIGINT[])) ORDER BY id""",
            [list(vectors)],
        ).fetchall()
        names = ("id", "pdf_id", "page_number", "table_name", "column_name", "primary_key", "bbox")
        for start in range(0, len(rows), _BATCH):
            batch = [
                {**dict(zip(names, row, strict=True)), "vector": vectors[row[0]]}
                for row in rows[start : start + _BATCH]
            ]
            for entry in batch:
                entry["bbox"] = entry["bbox"] or []
            with _talking():
                self._client.upsert(collection, data=batch)


def _create(client: Any, collection: str, dim: int) -> None:
    from pymilvus import DataType

    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", DataType.INT64, is_primary=True)
    if collection == BM25:
        schema.add_field("vector", DataType.SPARSE_FLOAT_VECTOR)
    else:
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dim)
    schema.add_field("page_number", DataType.INT16)
    schema.add_field("bbox", DataType.ARRAY, element_type=DataType.INT16, max_capacity=4)
    for name in ("pdf_id", "table_name", "column_name", "primary_key"):
        schema.add_field(name, DataType.VARCHAR, max_length=512)
    index = client.prepare_index_params()
    if collection == BM25:
        index.add_index("vector", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
    else:
        index.add_index("vector", index_type="FLAT", metric_type="COSINE")
    client.create_collection(collection, schema=schema, index_params=index, consistency_level="Strong")


def _expression(connection: duckdb.DuckDBPyConnection, scope: Scope) -> str | None:
    """The scope as Milvus reads it; None if nothing is inside."""
    if scope.filter is not None and not evaluable_by_milvus(scope.filter):
        ids = scope.ids(connection)
        return f"id in [{', '.join(map(str, ids.tolist()))}]" if len(ids) else None
    parts = [f'table_name == "{scope.pair.table}"', f'column_name == "{scope.pair.column}"']
    if scope.papers:
        parts.append(_papers(scope.papers))
    if scope.filter is not None:
        parts.append(f"({to_text(scope.filter)})")
    return " and ".join(parts)


def _papers(paper_ids: Sequence[str]) -> str:
    return f"pdf_id in [{', '.join(map(quote, paper_ids))}]"


@contextmanager
def _talking() -> Iterator[None]:
    """Failures of Milvus as an error that says so."""
    from pymilvus.exceptions import MilvusException

    try:
        yield
    except MilvusException as error:
        raise LibraryError(
            f"Milvus failed: {error.message}", hint="Is it running? `quire check` tells what it lacks."
        ) from error


def _note(connection: duckdb.DuckDBPyConnection, collection: str, ids: NDArray[np.int64]) -> None:
    """Remember, in the caller's transaction, what has been given."""
    given = [collection, ids.tolist()]
    connection.execute("DELETE FROM sent WHERE collection = ? AND id IN (SELECT unnest(?::BIGINT[]))", given)
    connection.execute("INSERT INTO sent SELECT ?, unnest(?::INTEGER[])", given)


def _cells(connection: duckdb.DuckDBPyConnection, start: int, end: int) -> dict[int, tuple[str, ...]]:
    rows = connection.execute(
        f"SELECT id, {', '.join(_CELL)} FROM entries WHERE id >= ? AND id < ?", [start, end]
    ).fetchall()
    return {row[0]: row[1:] for row in rows}


def _alive(
    connection: duckdb.DuckDBPyConnection, scope: Scope, hits: list[tuple[int, float]]
) -> list[tuple[int, float]]:
    """Without the vectors of papers that were removed while Milvus could not be told."""
    rows = connection.execute(
        "SELECT id FROM entries WHERE pair = ? AND id IN (SELECT unnest(?::BIGINT[]))",
        [scope.pair.number, [key for key, _ in hits]],
    ).fetchall()
    known = {row[0] for row in rows}
    return [hit for hit in hits if hit[0] in known]
