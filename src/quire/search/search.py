"""Searching one column: BM25, a collection's vectors, or both fused, with a filter.

    found = column_search(view, connection, Request("residual connections", papers=(paper_id,)), encoders)

The same candidates as of every search, under the mask of one column, with plain scores. Without a dense
encoder, a fused search is a BM25 search. What is fused moves up if it follows the query closely:

    score = 0.5 * bm25 / best bm25 + 0.5 * cosine + 0.2 * neighbours + 0.5 * literals

The first two terms are a convex combination (Bruch, Gai, Ingber 2023, "An Analysis of Fusion Functions for
Hybrid Retrieval", found it ahead of reciprocal rank fusion; so did a quiz over papers here).
`neighbours` is the share of the query's pairs of neighbouring words that stand side by side in the text too
(the ordered window of Metzler and Croft 2005, "A Markov Random Field Model for Term Dependencies");
`literals` is the share of its phrases in double quotes and numbers in brackets that the text has as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import duckdb
import numpy as np

from quire.errors import EncoderUnavailable, FilterError, QueryError
from quire.search import entries
from quire.search.analyzer import places_of, term_numbers, words
from quire.search.asked import read
from quire.search.cells import EncodableColumn, Modality, pair
from quire.search.encoders import BM25, ENCODERS, MINILM, Encoder
from quire.search.filters import parse
from quire.search.signals import few, said_in, weighed
from quire.search.slots import Ids
from quire.search.vectors import Floats, top
from quire.search.view import Scope, View

MAX_LIMIT = 10_000
_DEPTH = 100  # entries of each list among which a fusion settles the first places
_READ = 50  # the first of them, whose texts it reads
_WORDS = 1000  # entries that the index of words gives at least, to be scored here
BM25_SHARE, DENSE_SHARE = 0.5, 0.5
NEIGHBOURS, LITERALS = 0.2, 0.5
_LITERAL = re.compile(r'"([^"]{2,300})"|\u201c([^\u201c\u201d]{2,300})\u201d|(\[\d+\])')


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry and its score: cosine for dense collections, BM25 for words."""

    id: int
    score: float


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
class _Search:
    """One search: where, and by which encoders."""

    connection: duckdb.DuckDBPyConnection
    scope: Scope
    encoders: Mapping[str, Encoder]
    query: str

    def by(self, collection: str, limit: int) -> list[Scored]:
        """The best of one collection."""
        if collection == BM25:
            return self._by_words(limit)
        if collection not in self.encoders:
            raise EncoderUnavailable(
                f"The encoder of `{collection}` is not loaded.",
                hint=f"Search `{BM25}`, or see `quire models list`.",
            )
        row = self.encoders[collection].encode_query(self.query)
        ids, cosines = self.scope.view.vectors[collection].search(row, self.scope, limit)
        return best(ids, cosines, limit)

    def _by_words(self, limit: int) -> list[Scored]:
        asked, scope = read(self.query), self.scope
        if not asked.stems:
            return []
        whole = few(scope, scope.view.words.counted) or scope.named is not None
        ids = scope.ids if whole else said_in(scope, asked, max(_WORDS, 2 * limit))
        weights, tf, lengths = weighed(scope, asked, ids, whole, scope.view.average(scope.pairs[0]))
        scores = weights.bm25(tf, lengths)
        return best(ids[scores > 0], scores[scores > 0], limit)

    def fused(self, limit: int) -> list[Scored]:
        """The first places are settled among the best of each list, whatever the limit; the rest follows."""
        found = self._both(_DEPTH)
        texts = entries.texts(self.connection, [hit.id for hit in found[:_READ]])
        ordered = [*move_up(found[:_READ], texts, self.query), *found[_READ:]]
        if limit > len(ordered) >= _DEPTH:
            there, lowest = {hit.id for hit in ordered}, ordered[-1].score
            deeper = self._both(MAX_LIMIT)
            ordered += [Scored(hit.id, min(hit.score, lowest)) for hit in deeper if hit.id not in there]
        return ordered[:limit]

    def _both(self, depth: int) -> list[Scored]:
        return fuse(*(self.by(of, depth) for of in (BM25, MINILM)))


def column_search(
    view: View, connection: duckdb.DuckDBPyConnection, request: Request, encoders: Mapping[str, Encoder]
) -> list[Scored]:
    """The best entries of one column, best first; the view tells what they are, the rows what they say.

    Raises:
        QueryError: empty query, bad limit, a column that is not encoded or of another modality.
        FilterError: the filter is wrong; the message says where.
        UnknownNameError: no such collection.
        EncoderUnavailable: the collection's encoder is not loaded.
    """
    of, ids = _checked(request, encoders), None
    if request.filter.strip():
        condition = parse(request.filter)
        if of.modality == "text" and "bbox" in condition.fields:
            raise FilterError(
                f"`bbox` is a field of images; `{of.table}.{of.column}` is text.",
                hint="Search the column `bounding_box`, or filter by `page_number`.",
            )
        ids = entries.filtered(connection, of.number, condition)
        if request.papers:
            ids = np.intersect1d(ids, view.scope((of,), request.papers).ids)
    scope = view.scope((of,), request.papers, ids)
    search = _Search(connection, scope, encoders, request.query)
    if request.collection is None and MINILM in encoders:
        return search.fused(request.limit)
    return search.by(request.collection or BM25, request.limit)


def best(ids: Ids, scores: Floats, limit: int) -> list[Scored]:
    """The highest scores, ties by id."""
    ids, scores = top(ids, scores, limit)
    return [Scored(*each) for each in zip(ids.tolist(), scores.tolist(), strict=True)]


def fuse(words: list[Scored], meaning: list[Scored]) -> list[Scored]:
    """One list of a BM25 list and a cosine list, best first; ties by id."""
    highest = max((hit.score for hit in words), default=1.0)
    scores = {hit.id: BM25_SHARE * hit.score / highest for hit in words}
    for hit in meaning:
        scores[hit.id] = scores.get(hit.id, 0.0) + DENSE_SHARE * hit.score
    return _ordered(scores)


def move_up(scored: list[Scored], texts: Mapping[int, str], query: str) -> list[Scored]:
    """Order again by how closely the texts follow the query; entries without a text keep their score."""
    pairs = _neighbours(query)
    literals = [_squeezed(next(filter(None, found))) for found in _LITERAL.findall(query)]
    scores = {}
    for hit in scored:
        score, text = hit.score, texts.get(hit.id, "")
        if text and pairs:
            score += NEIGHBOURS * len(pairs & _neighbours(text)) / len(pairs)
        if text and literals:
            squeezed = _squeezed(text)
            score += LITERALS * sum(literal in squeezed for literal in literals) / len(literals)
        scores[hit.id] = score
    return _ordered(scores)


def _neighbours(text: str) -> set[tuple[int, int]]:
    numbers = term_numbers(text)
    return set(zip(numbers, numbers[1:], strict=False))


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


def _ordered(scores: Mapping[int, float]) -> list[Scored]:
    return [Scored(i, s) for i, s in sorted(scores.items(), key=lambda item: (-round(item[1], 6), item[0]))]


def mark(text: str, query: str) -> tuple[tuple[int, int], ...]:
    """(start, end) offsets in `text` of the words whose stem is in the query."""
    wanted = {word.stem for word in words(query)}
    return tuple(places_of(text, wanted))


def modality(collection: str) -> Modality:
    """What a collection encodes: its name says so."""
    return "image" if collection.startswith("image_") else "text"


def check_limit(limit: int) -> None:
    """See that so many hits may be asked for; QueryError where not."""
    if not 1 <= limit <= MAX_LIMIT:
        raise QueryError(f"`limit` is {limit}.", hint=f"Give a number from 1 to {MAX_LIMIT}.")


def _checked(request: Request, encoders: Mapping[str, Encoder]) -> EncodableColumn:
    if not request.query.strip():
        raise QueryError("The query is empty.")
    check_limit(request.limit)
    of = pair(request.table, request.column)
    collection = request.collection or BM25
    if collection not in encoders:
        ENCODERS[collection]  # an unknown name is told with the choices
    if of.modality != modality(collection):
        fitting = [name for name in ENCODERS if modality(name) == of.modality]
        raise QueryError(
            f"`{of.table}.{of.column}` holds {of.modality}s, `{collection}` does not.",
            hint=f"Choose from: {', '.join(fitting)}.",
        )
    return of
