"""What words and meaning say of every entry in scope: BM25, covered words, cosine, and their surroundings.

BM25's idf counts the entries in scope only: in a question about one paper, a word that this paper always
uses tells nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire.index.bm25 import document_weights
from quire.index.everything.snapshot import Snapshot

Floats = NDArray[np.float32]
_REACH = 2  # neighbours on each side that count as surroundings
_NEAR = 1000  # entries, best first, from which candidates are chosen and pages and papers are judged


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """Of every entry in scope, parallel to `places` (ascending).

    `near` are numbers in `places`, ascending: only there meaning is exact, and pages are judged by these.
    """

    places: NDArray[np.int64]
    near: NDArray[np.int64]
    words: Floats  # BM25 over the highest BM25
    bm25: Floats
    meaning: Floats  # cosine, 0 where there is no vector
    covered: Floats  # share of the query's words, weighted by idf
    both: Floats  # what candidates are chosen by: half words, half meaning
    idf: Mapping[int, float]
    page_best: Floats
    page_sum: Floats
    paper_best: Floats
    paper_about: Floats  # of each paper, the title's or the abstract's `both`


def measure(
    snapshot: Snapshot, places: NDArray[np.int64], terms: Sequence[int], vector: Future[Floats] | None
) -> Signals:
    """The signals of the entries at `places`; `vector` is the query's, if there is one."""
    bm25, covered, idf = _words(snapshot, places, terms)
    query = vector.result() if vector is not None else None
    highest = float(bm25.max(initial=0.0))
    words = bm25 / np.float32(highest or 1.0)
    encoded = query is not None and snapshot.arrays.exact.shape[1] > 0
    meaning = snapshot.cosines(query, places) if encoded and query is not None else np.zeros_like(words)
    both = (words + meaning) * np.float32(0.5)
    near = np.arange(len(places))
    if len(near) > _NEAR:
        near = np.sort(np.argpartition(both, len(both) - _NEAR)[-_NEAR:])
        if encoded and query is not None:
            meaning[near] = snapshot.exact_cosines(query, places[near])
            both[near] = (words[near] + meaning[near]) * np.float32(0.5)
    page_best, page_sum, paper_best = _gathered(snapshot, places, near, both)
    about = _about(snapshot, places, both)
    return Signals(
        places, near, words, bm25, meaning, covered, both, idf, page_best, page_sum, paper_best, about
    )


def around(snapshot: Snapshot, signals: Signals, values: Floats, at: NDArray[np.int64]) -> Floats:
    """Values of the neighbours of the entries `at` (numbers in `signals`): float32 (len(at), 2 * reach).

    A neighbour of another kind, paper or page counts 0.
    """
    arrays, columns = snapshot.arrays, []
    size = len(signals.places)
    here = signals.places[at]
    for step in [s for s in range(-_REACH, _REACH + 1) if s]:
        other = np.clip(at + step, 0, size - 1)
        there = signals.places[other]
        same = (
            (there == here + step)
            & (arrays.kind[there] == arrays.kind[here])
            & (arrays.paper[there] == arrays.paper[here])
            & (arrays.page[there] == arrays.page[here])
        )
        columns.append(np.where(same, values[other], 0.0))
    return np.stack(columns, axis=1).astype(np.float32)


def _words(
    snapshot: Snapshot, places: NDArray[np.int64], terms: Sequence[int]
) -> tuple[Floats, Floats, dict[int, float]]:
    """BM25, the share of the query's words, and the idf of each word, among the entries in scope."""
    count = len(places)
    everywhere = count == len(snapshot)
    lengths = snapshot.lengths if everywhere else snapshot.lengths[places]
    average = float(lengths.mean()) if count else 1.0
    bm25, covered = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.float32)
    idf = {}
    for term in terms:
        posting = snapshot.posting(term)
        at, tf = posting if everywhere else _inside(places, *posting)
        idf[term] = math.log(1 + (count - len(at) + 0.5) / (len(at) + 0.5))
        bm25[at] += np.float32(idf[term]) * document_weights(tf, lengths[at], max(average, 1.0))
        covered[at] += np.float32(idf[term])
    return bm25, covered / np.float32(sum(idf.values()) or 1.0), idf


def _inside(
    places: NDArray[np.int64], found: NDArray[Any], told: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Numbers in `places` of those that are found there, with what is told of each."""
    if not len(places):
        return np.empty(0, dtype=np.int64), told[:0]
    begin, end = np.searchsorted(found, [places[0], places[-1] + 1])
    found, told = found[begin:end], told[begin:end]
    at = np.searchsorted(places, found)
    here = places[np.minimum(at, len(places) - 1)] == found
    return at[here], told[here]


def _gathered(
    snapshot: Snapshot, places: NDArray[np.int64], near: NDArray[np.int64], both: Floats
) -> tuple[Floats, Floats, Floats]:
    """The best of each near entry's page, how much speaks on it altogether, and the best of its paper."""
    page_best, page_sum, paper_best = (np.zeros(len(places), dtype=np.float32) for _ in range(3))
    if not len(near):
        return page_best, page_sum, paper_best
    paper = snapshot.arrays.paper[places[near]].astype(np.int64)
    page = paper * 100_000 + snapshot.arrays.page[places[near]]
    strong = np.maximum(0.0, both[near] - 0.5 * both[near].max())
    for key, best, total in ((page, page_best, page_sum), (paper, paper_best, None)):
        names, group = np.unique(key, return_inverse=True)
        highest = np.zeros(len(names), dtype=np.float32)
        np.maximum.at(highest, group, both[near])
        best[near] = highest[group]
        if total is not None:
            total[near] = np.bincount(group, weights=strong)[group]
    return page_best, page_sum, paper_best


def _about(snapshot: Snapshot, places: NDArray[np.int64], both: Floats) -> Floats:
    """How well the title or the abstract of each paper fits."""
    best = np.zeros(len(snapshot.papers), dtype=np.float32)
    heads = number = snapshot.heads
    if len(places) < len(snapshot):
        number, _ = _inside(places, heads, heads)
        heads = places[number]
    np.maximum.at(best, snapshot.arrays.paper[heads], both[number])
    return best
