"""Search: BM25, dense, or both fused, inside one (table, column), some papers and a filter.

    searcher = Searcher(backend, encoders={MINILM: load(MINILM)})
    with database.reading() as connection:
        found = searcher.search(connection, Request("residual connections", papers=(paper_id,)))

Without a dense encoder, a fused search is a BM25 search.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from quire.errors import EncoderUnavailable, FilterError, QueryError
from quire.index.analyzer import places_of, term_numbers, words
from quire.index.backends import Backend, Scored
from quire.index.cells import pair
from quire.index.encoders import BM25, ENCODERS, MINILM, Encoder
from quire.index.filters import parse, uses
from quire.index.fusion import fuse, move_up
from quire.index.pending import modality, texts_of
from quire.index.scope import Scope
from quire.types import Box

MAX_LIMIT = 10_000
_DEPTH = 100  # entries of each list among which a fusion settles the first places
_READ = 50  # the first of them, whose texts it reads


@dataclass(frozen=True, slots=True)
class Request:
    """What to search for. `collection` None fuses BM25 with MiniLM; no `papers` means all papers."""

    query: str
    collection: str | None = None
    table: str = "chunks"
    column: str = "text_content"
    papers: tuple[str, ...] = ()
    filter: str = ""
    limit: int = 5


@dataclass(frozen=True, slots=True)
class Found:
    """An entry that was found: the cell and where it stands; the library adds its text."""

    id: int
    score: float
    paper_id: str
    page: int
    table: str
    column: str
    key: str
    bbox: Box | None


class Searcher:
    """Searches one library. Keep it: the backend caches between searches."""

    def __init__(self, backend: Backend, encoders: Mapping[str, Encoder]) -> None:
        self._backend = backend
        self._encoders = encoders

    def search(self, connection: duckdb.DuckDBPyConnection, request: Request) -> list[Found]:
        """The best entries, best first.

        Raises:
            QueryError: empty query, bad limit, a column that is not encoded or of another modality.
            FilterError: the filter is wrong; the message says where.
            UnknownNameError: no such collection.
            EncoderUnavailable: the collection's encoder is not loaded.
        """
        scope = self._scope(request)
        if request.collection is not None:
            scored = self._one(connection, request.collection, request.query, scope, request.limit)
        elif MINILM in self._encoders:
            return self._fused(connection, request, scope)
        else:
            scored = self._one(connection, BM25, request.query, scope, request.limit)
        return _look_up(connection, scored)

    def _fused(self, connection: duckdb.DuckDBPyConnection, request: Request, scope: Scope) -> list[Found]:
        """The first places are settled among the best of each list, whatever the limit; the rest follows."""
        best = self._both(connection, request.query, scope, _DEPTH)
        near = {hit.id: hit.key for hit in _look_up(connection, best[:_READ])}
        texts = texts_of(connection, scope.pair.number, list(near.values()))
        by_id = {key: texts.get(cell, "") for key, cell in near.items()}
        ordered = [*move_up(best[:_READ], by_id, request.query), *best[_READ:]]
        if request.limit > len(ordered) >= _DEPTH:
            there, lowest = {hit.id for hit in ordered}, ordered[-1].score
            deeper = self._both(connection, request.query, scope, MAX_LIMIT)
            ordered += [Scored(hit.id, min(hit.score, lowest)) for hit in deeper if hit.id not in there]
        return _look_up(connection, ordered[: request.limit])

    def _both(
        self, connection: duckdb.DuckDBPyConnection, query: str, scope: Scope, depth: int
    ) -> list[Scored]:
        return fuse(*(self._one(connection, of, query, scope, depth) for of in (BM25, MINILM)))

    def _scope(self, request: Request) -> Scope:
        if not request.query.strip():
            raise QueryError("The query is empty.")
        if not 1 <= request.limit <= MAX_LIMIT:
            raise QueryError(f"`limit` is {request.limit}.", hint=f"Give a number from 1 to {MAX_LIMIT}.")
        of = pair(request.table, request.column)
        collection = request.collection or BM25
        if collection not in self._encoders:
            ENCODERS[collection]  # an unknown name is told with the choices
        if of.modality != modality(collection):
            fitting = [name for name in ENCODERS if modality(name) == of.modality]
            raise QueryError(
                f"`{of.table}.{of.column}` holds {of.modality}s, `{collection}` does not.",
                hint=f"Choose from: {', '.join(fitting)}.",
            )
        tree = parse(request.filter) if request.filter.strip() else None
        if tree is not None and of.modality == "text" and uses(tree, "bbox"):
            raise FilterError(
                f"`bbox` is a field of images; `{of.table}.{of.column}` is text.",
                hint="Search the column `bounding_box`, or filter by `page_number`.",
            )
        return Scope(of, request.papers, tree)

    def _one(
        self, connection: duckdb.DuckDBPyConnection, collection: str, query: str, scope: Scope, limit: int
    ) -> list[Scored]:
        if collection == BM25:
            counts = Counter(term_numbers(query))
            return self._backend.search(connection, BM25, counts, scope, limit) if counts else []
        if collection not in self._encoders:
            raise EncoderUnavailable(
                f"The encoder of `{collection}` is not loaded.",
                hint=f"Search `{BM25}`, or see `quire models list`.",
            )
        row = self._encoders[collection].encode_query(query)
        return self._backend.search(connection, collection, row, scope, limit)


def mark(text: str, query: str) -> tuple[tuple[int, int], ...]:
    """(start, end) offsets in `text` of the words whose stem is in the query."""
    wanted = {word.stem for word in words(query)}
    return tuple(places_of(text, wanted))


def _look_up(connection: duckdb.DuckDBPyConnection, scored: list[Scored]) -> list[Found]:
    rows = connection.execute(
        """SELECT id, pdf_id, page_number, table_name, column_name, primary_key, bbox FROM entries
           WHERE id IN (SELECT unnest(?::BIGINT[]))""",
        [[hit.id for hit in scored]],
    ).fetchall()
    by_id = {row[0]: [row[1:]] for row in rows}
    return [
        Found(hit.id, hit.score, paper, page, table, column, key, Box(*bbox) if bbox else None)
        for hit in scored
        for paper, page, table, column, key, bbox in by_id.get(hit.id, ())
    ]
