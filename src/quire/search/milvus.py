"""Vectors in Milvus and nowhere else: a server (`milvus+http://HOST:PORT`) or Milvus Lite (`milvus:PATH`).

    vectors = open_vectors("milvus+http://127.0.0.1:19530", collection, files)
    ids, cosines = vectors.search(query, scope, 1000)

A row is an entry: `id`, `pair` (the number of its column), `paper` (the id of its paper's first entry) and
`vector`; all else is in the library's rows, by id. Where to look goes to Milvus as a filter of these; what
has gone from the library is left out here until Milvus was told of it (`settle`). Its collection has a name
of its own, so that libraries may share a server. A server finds exactly up to `_EXACT` vectors, from there on
by HNSW, above `_GRAPH` by IVF with eight bits; Milvus Lite always exactly, because its HNSW loses most of
what a filter leaves: by IVF all of whose lists are looked through, which is ten times as fast as its FLAT.

With `?words` behind the URI the `words` of an entry stand there, too, and nowhere else, as a sparse vector:
the number of each to its weight in BM25; the query brings idf, for which words are counted here. Servers have
sparse vectors from 2.4 on; where there are none, words are kept and looked up here.
"""

from __future__ import annotations

import contextlib
import logging
import re
import socket
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from quire import atomic
from quire.errors import SettingsError, VectorsAway
from quire.search.cells import ENCODABLE
from quire.search.signals import weighted_words
from quire.search.slots import Ids
from quire.search.vectors import Floats, VectorFiles, Vectors
from quire.search.view import Scope, View

_EXACT = 300_000
_GRAPH = 5_000_000
_INDEXES: dict[str, dict[str, Any]] = {
    "FLAT": {},
    "HNSW": {"M": 16, "efConstruction": 200},
    "IVF_SQ8": {"nlist": 4096},
    "IVF_FLAT": {"params": {"nlist": 1}},  # so that it reaches Milvus Lite; faiss prints a warning for more
}
_MOST = 16_384  # what a Milvus gives at most for one call
_NAMED = 8192  # ids or papers that one filter names
_SENT = 1000  # rows of one message
_NO_WORDS = {2**31: 1.0}  # of an entry without words: a number that no word has
_SPARE = 50  # asked for beyond the limit: some hits may have gone from the library
_READING, _WRITING, _BUILDING = 20.0, 120.0, 3600.0  # seconds for one call
_REST = 5.0  # seconds before one that did not answer is asked again


Query = list[float] | dict[int, float]  # a vector, or the weights of words


def open_vectors(uri: str, collection: str, files: VectorFiles) -> Vectors:
    """The vectors of a collection in the Milvus of that URI; it is connected to when it is first asked.

    Raises:
        SettingsError: pymilvus is not installed.
    """
    try:
        import pymilvus  # noqa: F401
    except ImportError as error:
        raise SettingsError(
            "Vectors in Milvus need pymilvus.", hint='Install it: pip install "quire[milvus]".'
        ) from error
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it logs a traceback for every failed call
    return _MilvusVectors(uri, collection, files)


class _MilvusVectors:
    """`Vectors` in Milvus. Thread-safe. Every call raises `VectorsAway` if Milvus does not answer."""

    def __init__(self, uri: str, collection: str, files: VectorFiles) -> None:
        self.remote = uri.startswith("milvus+")
        self.target = uri.removeprefix("milvus+" if self.remote else "milvus:").removesuffix("?words")
        self._wanted = uri.endswith("?words")
        self._worded = False  # whether its entries have words, once it is connected to
        self._plain = "FLAT" if self.remote else "IVF_FLAT"  # the exact index
        self._left: tuple[View, Ids] | None = None  # the last view that was searched, and what was not there
        self._collection = collection
        self._files = files
        self._told = files.folder / "milvus"  # the name of the collection there
        self._guard = threading.RLock()
        self._beside = ThreadPoolExecutor(2, "quire-milvus")  # a search asks two things at a time
        self._client: Any = None
        self._there = False  # the collection, and it is loaded
        self._away: tuple[float, str] = (0.0, "")
        self._kept: Ids | None = None  # which are there, once somebody asked
        self._changed = False  # since `settle`

    def search(self, query: Floats, scope: Scope, limit: int) -> tuple[Ids, Floats]:
        return self._best(query.tolist(), scope, limit)

    def takes_words(self) -> bool:
        with self._talking() as client:
            return self._worded if client is not None else self._wanted and self._sparse(self._client)

    def said(self, weights: Mapping[int, float], scope: Scope, limit: int) -> tuple[Ids, Ids]:
        if not self.takes_words():
            return scope.ids[:0], scope.ids
        known = self._left
        if known is None or known[0] is not scope.view:
            texts = scope.view.selected([pair for pair in ENCODABLE if pair.modality == "text"])
            self._left = known = scope.view, np.flatnonzero(texts & ~self.held(len(texts)))
        left = known[1]
        return self._best(dict(weights), scope, limit)[0], left[scope.selected[left]]

    def nearest(self, query: Floats, scope: Scope, limit: int, besides: Ids) -> tuple[Ids, Floats]:
        beside = self._beside.submit(self.cosines, query, besides)
        ids, near = self.search(query, scope, limit)
        distinct, first = np.unique(np.concatenate([ids, besides]), return_index=True)
        return distinct, np.concatenate([near, beside.result()])[first]

    def cosines(self, query: Floats, ids: Ids) -> Floats:
        distinct, place = np.unique(ids, return_inverse=True)
        near = np.full(len(distinct), np.nan, dtype=np.float32)
        for start in range(0, len(distinct), _NAMED):
            some = distinct[start : start + _NAMED]
            found, values = self._found(query.tolist(), _named(some), len(some))
            near[np.searchsorted(distinct, found)] = values
        missing = np.flatnonzero(np.isnan(near))
        near[missing] = 0.0
        # What is there may be passed over by an approximate index.
        if len(missing) and (self._kept is None or np.isin(distinct[missing], self._kept).any()):
            near[missing] = self.rows(distinct[missing]) @ query
        cosines: Floats = near[place]
        return cosines

    def rows(self, ids: Ids) -> Floats:
        about = self._files.about
        distinct, place = np.unique(ids, return_inverse=True)
        rows = np.zeros((len(distinct), about.dim if about else 0), dtype=np.float32)
        for start in range(0, len(distinct), _SENT):
            for row in self._query(_named(distinct[start : start + _SENT]), ["id", "vector"]):
                rows[np.searchsorted(distinct, int(row["id"]))] = row["vector"]
        found: Floats = rows[place]
        return found

    def held(self, end: int) -> NDArray[np.bool_]:
        found = np.zeros(end, dtype=np.bool_)
        with self._guard:
            told = self._query("", ["count(*)"])
            count = int(told[0]["count(*)"]) if told else 0
            if self._kept is None or len(self._kept) != count:
                self._kept = self._listed(count, end)
            found[self._kept[self._kept < end]] = True
        return found

    def put(self, ids: Ids, rows: Floats, view: View) -> None:
        owners = view.live.owners(ids)
        alive = owners >= 0
        ids, rows, owners = ids[alive], rows[alive], owners[alive]
        pairs, papers = view.slots.pairs[ids], view.live.first[owners]
        for start in range(0, len(ids), _SENT):
            some = slice(start, start + _SENT)
            told = zip(*(each[some].tolist() for each in (ids, pairs, papers)), rows[some], strict=True)
            data = [{"id": i, "pair": pair, "paper": paper, "vector": row} for i, pair, paper, row in told]
            with self._talking(create=rows.shape[1]) as client:
                if self._worded:
                    for row, words in zip(data, weighted_words(view, ids[some]), strict=True):
                        row["words"] = words or _NO_WORDS
                client.upsert(self._name, data=data, timeout=_WRITING)
            self._know(ids[some], True)

    def remove(self, ids: Ids) -> None:
        for start in range(0, len(ids), _SENT):
            some = ids[start : start + _SENT]
            with self._talking() as client:
                if client is not None:
                    client.delete(self._name, ids=some.tolist(), timeout=_WRITING)
            self._know(some, False)

    def settle(self, view: View) -> str:
        held, alive = self.held(len(view.slots)), view.selected(ENCODABLE)
        self.remove(np.flatnonzero(held & ~alive))
        if not self._changed:
            return ""
        with self._talking() as client:
            if client is not None:
                # What was not flushed yet is searched by a rough index of the server's own making.
                client.flush(self._name, timeout=_BUILDING)
                self._fit(client, int(np.count_nonzero(held & alive)))
        self._changed = False
        if self._wanted and not self._worded:
            return f"The Milvus at {self.target} has no sparse vectors: words are looked up here."
        return ""

    def drop(self) -> None:
        with self._talking() as client:
            if client is not None:
                client.drop_collection(self._name, timeout=_WRITING)
        with self._guard:
            self._there, self._left, self._kept = False, None, None
            if self._files.reach:  # another Milvus goes on under the name
                self._told.unlink(missing_ok=True)

    def close(self) -> None:
        with self._guard, contextlib.suppress(Exception):  # whatever it says, it is let go
            client, self._client, self._there = self._client, None, False
            if client is None:
                return
            client.close()
            if not self.remote:
                from milvus_lite.server_manager import server_manager_instance

                server_manager_instance.release_server(self.target)  # else the file stays locked

    def _best(self, query: Query, scope: Scope, limit: int) -> tuple[Ids, Floats]:
        """Of the entries of a scope, those of the nearest vectors, or words: ids and scores, best first."""
        found = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))]
        found += [self._alive(query, where, limit, scope.selected) for where in _filters(scope)]
        ids, near = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.lexsort((ids, -near))[:limit]
        return ids[order], near[order]

    def _alive(self, query: Query, where: str, limit: int, selected: NDArray[np.bool_]) -> tuple[Ids, Floats]:
        asked = min(limit + _SPARE, _MOST)
        while True:
            ids, near = self._found(query, where, asked)
            alive = ids < len(selected)
            alive[alive] = selected[ids[alive]]
            if np.count_nonzero(alive) >= limit or len(ids) < asked or asked == _MOST:
                return ids[alive], near[alive]
            asked = min(4 * asked, _MOST)

    def _found(self, query: Query, where: str, limit: int) -> tuple[Ids, Floats]:
        near = {"ef": limit + 100, "nprobe": 64 if self.remote else _MOST} if isinstance(query, list) else {}
        with self._talking() as client:
            if client is None:
                return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
            hits = client.search(
                self._name,
                data=[query],
                filter=where,
                limit=limit,
                anns_field="vector" if isinstance(query, list) else "words",
                output_fields=["id"],  # Milvus Lite gives all of them, vectors too, if none is named
                search_params={"params": near},
                timeout=_READING,
            )[0]
        return np.asarray(hits.ids, dtype=np.int64), np.asarray(hits.distances, dtype=np.float32)

    def _query(self, where: str, fields: Sequence[str]) -> list[dict[str, Any]]:
        with self._talking() as client:
            if client is None:
                return []
            found = client.query(
                self._name,
                filter=where,
                output_fields=list(fields),
                consistency_level="Strong",
                timeout=_READING,
                **({} if fields == ["count(*)"] else {"limit": _MOST}),
            )
        return list(found)

    def _listed(self, count: int, end: int) -> Ids:
        """The ids that are there: no more than they are counts, the vectors stay where they are."""
        kept: list[int] = []
        start = 0
        while len(kept) < count and start < end + _MOST:
            rows = self._query(f"id >= {start} and id < {start + _MOST}", ["id"])
            kept += [int(row["id"]) for row in rows]
            start += _MOST
        return np.asarray(kept, dtype=np.int64)

    def _know(self, ids: Ids, there: bool) -> None:
        with self._guard:
            self._changed = self._changed or bool(len(ids))
            self._left = self._left if there else None
            if self._kept is not None:
                kept = self._kept[~np.isin(self._kept, ids)]
                self._kept = np.concatenate([kept, ids]) if there else kept

    @property
    def _name(self) -> str:
        """The name of the collection there; made up once."""
        if not self._told.exists():
            self._told.parent.mkdir(parents=True, exist_ok=True)
            atomic.write(self._told, f"quire_{uuid.uuid4().hex[:12]}_{self._collection}")
        return self._told.read_text(encoding="utf-8").strip()

    @contextmanager
    def _talking(self, create: int = 0) -> Iterator[Any]:
        """The client, with the collection loaded; None without one, unless a dimension says to `create` it.

        Whatever fails is told as `VectorsAway`; for a moment nobody is asked again then.
        """
        until, why = self._away
        if time.monotonic() < until:
            raise self._gone(why)
        try:
            with self._guard:
                client = self._opened()
                ready = self._ready(client, create)
            yield client if ready else None
        except Exception as error:  # pymilvus and gRPC raise many unrelated kinds
            self.close()
            why = str(getattr(error, "message", "") or error).partition("\n")[0][:300]
            self._away = (time.monotonic() + _REST, why)
            raise self._gone(why) from error

    def _gone(self, why: str) -> VectorsAway:
        what, hint = "Milvus Lite file", "It serves one process at a time; close the other one."
        if self.remote:
            what = "Milvus at"
            hint = "See that it runs and answers; what waits for vectors gets them with the next `quire add`."
        return VectorsAway(f"The {what} {self.target} cannot be used ({why}).", hint=hint)

    def _opened(self) -> Any:
        if self.remote:
            # pymilvus tries again for as long as a call may take; where nobody listens is told at once.
            place = urlsplit(self.target)
            port = place.port or (443 if place.scheme == "https" else 19530)
            socket.create_connection((place.hostname or "", port), _READING).close()
        if self._client is None:
            from pymilvus import MilvusClient

            self._client = MilvusClient(uri=self.target, timeout=_READING)
        return self._client

    def _ready(self, client: Any, create: int) -> bool:
        if self._there:
            return True
        if not create and not self._told.exists():
            return False
        if not client.has_collection(self._name, timeout=_READING):
            if not create:
                return False
            self._create(client, create)
        told = client.describe_collection(self._name, timeout=_READING)
        self._worded = any(field["name"] == "words" for field in told["fields"])
        if not client.list_indexes(self._name, field_name="vector"):  # whoever changed it was killed
            client.create_index(self._name, _index(client, self._plain), timeout=_BUILDING)
        client.load_collection(self._name, timeout=_BUILDING)
        self._there = True
        return True

    def _create(self, client: Any, dim: int) -> None:
        from pymilvus import DataType

        schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("id", DataType.INT64, is_primary=True)
        schema.add_field("pair", DataType.INT8)
        schema.add_field("paper", DataType.INT64)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dim)
        index = _index(client, self._plain)
        if self._wanted and self._sparse(client):
            schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
            index.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        client.create_collection(
            self._name,
            schema=schema,
            index_params=index,
            consistency_level="Session",  # one's own writes are seen, and no search waits for others'
            timeout=_WRITING,
        )

    def _sparse(self, client: Any) -> bool:
        """Whether there are sparse vectors."""
        version = re.match(r"v?(\d+)\.(\d+)", client.get_server_version(timeout=_READING))
        return not (self.remote and version and (int(version[1]), int(version[2])) < (2, 4))

    def _fit(self, client: Any, count: int) -> None:
        """Have the index that fits so many vectors."""
        wanted = self._plain
        if self.remote and count > _EXACT:
            wanted = "HNSW" if count <= _GRAPH else "IVF_SQ8"
        if client.describe_index(self._name, "vector", timeout=_READING)["index_type"] == wanted:
            return
        self._there = False
        client.release_collection(self._name, timeout=_WRITING)
        client.drop_index(self._name, "vector", timeout=_WRITING)
        client.create_index(self._name, _index(client, wanted), timeout=_BUILDING)
        self._ready(client, 0)


def _index(client: Any, kind: str) -> Any:
    made = client.prepare_index_params()
    made.add_index("vector", index_type=kind, metric_type="COSINE", params=_INDEXES[kind])
    return made


def _filters(scope: Scope) -> Iterator[str]:
    """Where a scope looks, as filters of Milvus: one, or several if it names many."""
    live = scope.view.live
    if scope.named is not None:
        for start in range(0, scope.size, _NAMED):
            yield _named(scope.ids[start : start + _NAMED])
        return
    pairs = f"pair in [{', '.join(str(pair.number) for pair in scope.pairs)}]"
    if not scope.papers:
        yield pairs
        return
    firsts = live.first[sorted({live.numbers[paper] for paper in scope.papers if paper in live.numbers})]
    for start in range(0, len(firsts), _NAMED):
        yield f"{pairs} and {_named(firsts[start : start + _NAMED], 'paper')}"


def _named(ids: Ids, field: str = "id") -> str:
    return f"{field} in [{', '.join(map(str, ids.tolist()))}]"
