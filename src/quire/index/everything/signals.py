"""What words and meaning say of every entry in scope: BM25, covered words, cosine, and their surroundings.

BM25's idf counts the entries in scope only: in a question about one paper, a word that this paper always
uses tells nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.index.bm25 import document_weights
from quire.index.everything.entries import NAMES, Entries, Postings

Floats = NDArray[np.float32]
_REACH = 2  # neighbours on each side that count as surroundings
_NEAR = 2000  # entries, best first, from which pages and papers are judged


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """Of every entry in scope, parallel to `places` (ascending)."""

    places: NDArray[np.int64]
    words: Floats  # BM25 over the highest BM25
    bm25: Floats
    meaning: Floats  # cosine, 0 where there is no vector
    covered: Floats  # share of the query's words, weighted by idf
    both: Floats  # what candidates are chosen by: half words, half meaning
    idf: Mapping[int, float]
    page_best: Floats
    page_sum: Floats
    paper_best: Floats
    paper_about: Floats  # the title's and the abstract's `both`


def measure(
    entries: Entries, places: NDArray[np.int64], postings: Mapping[int, Postings], cosines: Floats
) -> Signals:
    """The signals of the entries at `places`; `cosines` is parallel to them."""
    bm25, covered, idf = _words(entries, places, postings)
    highest = float(bm25.max(initial=0.0))
    words = bm25 / np.float32(highest or 1.0)
    both = (words + cosines) * np.float32(0.5)
    page_best, page_sum, paper_best = _gathered(entries, places, both)
    return Signals(
        places, words, bm25, cosines, covered, both, idf, page_best, page_sum, paper_best,
        _about(entries, places, both),
    )  # fmt: skip


def around(entries: Entries, signals: Signals, values: Floats, at: NDArray[np.int64]) -> Floats:
    """Values of the neighbours of the entries `at` (numbers in `signals`): float32 (len(at), 2 * reach).

    A neighbour of another kind, paper or page counts 0.
    """
    columns = []
    size = len(signals.places)
    for step in [s for s in range(-_REACH, _REACH + 1) if s]:
        other = np.clip(at + step, 0, size - 1)
        here, there = signals.places[at], signals.places[other]
        same = (
            (there == here + step)
            & (entries.kind[there] == entries.kind[here])
            & (entries.paper[there] == entries.paper[here])
            & (entries.page[there] == entries.page[here])
        )
        columns.append(np.where(same, values[other], 0.0))
    return np.stack(columns, axis=1).astype(np.float32)


def _words(
    entries: Entries, places: NDArray[np.int64], postings: Mapping[int, Postings]
) -> tuple[Floats, Floats, dict[int, float]]:
    """BM25, the share of the query's words, and the idf of each word, among the entries in scope."""
    count = len(places)
    inside = np.full(len(entries.ids), -1, dtype=np.int32)
    inside[places] = np.arange(count)
    lengths = entries.length[places]
    average = float(lengths.mean()) if count else 1.0
    bm25, covered = np.zeros(count, dtype=np.float32), np.zeros(count, dtype=np.float32)
    idf = {}
    for term, found in postings.items():
        at = inside[found.places]
        here = at >= 0
        at, tf = at[here], found.tf[here]
        idf[term] = math.log(1 + (count - len(at) + 0.5) / (len(at) + 0.5))
        bm25[at] += np.float32(idf[term]) * document_weights(tf, lengths[at], max(average, 1.0))
        covered[at] += np.float32(idf[term])
    return bm25, covered / np.float32(sum(idf.values()) or 1.0), idf


def _gathered(entries: Entries, places: NDArray[np.int64], both: Floats) -> tuple[Floats, Floats, Floats]:
    """The best of each entry's page, how much speaks on it altogether, and the best of its paper."""
    page_best, page_sum, paper_best = (np.zeros(len(places), dtype=np.float32) for _ in range(3))
    if not len(places):
        return page_best, page_sum, paper_best
    near = np.arange(len(places))
    if len(near) > _NEAR:
        near = np.argpartition(both, len(both) - _NEAR)[-_NEAR:]
    paper = entries.paper[places].astype(np.int64)
    page = paper * 100_000 + entries.page[places]
    strong = np.maximum(0.0, both[near] - 0.5 * both[near].max())
    for key, best, total in ((page, page_best, page_sum), (paper, paper_best, None)):
        names, group = np.unique(key[near], return_inverse=True)
        highest = np.zeros(len(names), dtype=np.float32)
        np.maximum.at(highest, group, both[near])
        best[near] = highest[group]
        if total is not None:
            total[near] = np.bincount(group, weights=strong)[group]
    return page_best, page_sum, paper_best


def _about(entries: Entries, places: NDArray[np.int64], both: Floats) -> Floats:
    """How well the title or abstract of each entry's paper fits."""
    kind = entries.kind[places]
    paper = entries.paper[places]
    head = np.flatnonzero((kind == NAMES.index("title")) | (kind == NAMES.index("abstract")))
    best = np.zeros(len(entries.papers), dtype=np.float32)
    np.maximum.at(best, paper[head], both[head])
    found: Floats = best[paper]
    return found
