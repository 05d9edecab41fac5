"""What words and meaning say of the entries worth a look: BM25, covered words, cosine, their surroundings.

Few entries in scope are all looked at. Of many, the index of words and the vectors give the best thousand
each; only these are measured. BM25's idf counts the entries in scope: in a question about one paper, a word
that this paper always uses tells nothing.

    document weight   tf / (tf + k1 * (1 - b + b * length / average))      in (0, 1)
    query weight      ln(1 + (N - df + 0.5) / (df + 0.5))

BM25 is Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework", with the idf and without the
constant factor k1 + 1, as Lucene computes it; k1 and b are Lucene's and Anserini's usual 0.9 and 0.4.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.errors import VectorsAway
from quire.search.analyzer import number_of
from quire.search.asked import Asked
from quire.search.batch import WORDS
from quire.search.cells import KINDS
from quire.search.encoders import MINILM
from quire.search.slots import Ids
from quire.search.vectors import Vectors, distinct, top
from quire.search.view import RANKED, Scope, View

Floats = NDArray[np.float32]
K1, B = 0.9, 0.4
_REACH = 2  # neighbours on each side that count as surroundings
_NEAR = 1000  # entries, best first, from which candidates are chosen and pages and papers are judged
_FEW = 4000  # entries that are all measured
_HEADS = (KINDS["title"].number, KINDS["abstract"].number)
_AT_ONCE = 20_000  # entries that are looked through together
_SIEVE = 4096  # a power of two
_FIRST = 4  # entries of a paper among which its title and abstract are


def occurrences(
    terms: NDArray[np.int64], flat: NDArray[np.int32], owner: Ids, count: int
) -> NDArray[np.int32]:
    """How often each of `count` lists of numbers has each of some, ascending: int32 (count, terms)."""
    width = len(terms)
    if not width:
        return np.zeros((count, 0), dtype=np.int32)
    sieve = np.zeros(_SIEVE, dtype=np.bool_)  # most words are told apart by their last bits
    sieve[terms % _SIEVE] = True
    left = np.flatnonzero(sieve[flat & (_SIEVE - 1)])
    flat, owner = flat[left], owner[left]
    number = np.minimum(np.searchsorted(terms, flat), width - 1)
    hit = terms[number] == flat
    at = owner[hit] * width + number[hit]
    return np.bincount(at, minlength=count * width).reshape(count, width).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The query's words (numbers, ascending) with their idf, and the length of a usual entry."""

    terms: NDArray[np.int64]
    idf: Floats
    average: float

    def said(self, lists: tuple[NDArray[np.int32], Ids], count: int) -> NDArray[np.int32]:
        """How often each of `count` lists has each word: int32 (count, words)."""
        return occurrences(self.terms, *lists, count)

    def bm25(self, tf: NDArray[np.int32], lengths: Floats) -> Floats:
        """BM25 of lists by how often they have each word."""
        counts = tf.astype(np.float32)
        norm = K1 * (1 - B + B * lengths[:, None] / np.float32(self.average))
        weights = (counts / (counts + norm)).astype(np.float32)
        found: Floats = (weights * self.idf).sum(axis=1, dtype=np.float32)
        return found

    def share(self, said: NDArray[np.bool_]) -> Floats:
        """The share of the query that is said, by idf."""
        weight = np.float32(float(self.idf.sum()) or 1.0)
        found: Floats = (said * self.idf).sum(axis=1, dtype=np.float32) / weight
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Signals:
    """Of each entry that was measured, parallel to `ids` (ascending).

    `near` are the numbers of the best; pages and papers are judged by these.
    """

    view: View
    ids: Ids
    near: Ids
    owners: Ids  # numbers of their papers
    words: Floats  # BM25 over the highest BM25
    bm25: Floats
    meaning: Floats  # cosine, 0 where there is no vector
    covered: Floats  # share of the query's words, weighted by idf
    both: Floats  # what candidates are chosen by: half words, half meaning
    weights: Weights
    page_best: Floats
    page_sum: Floats
    paper_best: Floats
    measured: Callable[[Ids], tuple[Floats, Floats]]  # words and meaning of other entries


class Around(NamedTuple):
    """What stands around entries: neighbours (one of another kind, paper or page counts 0), and the paper."""

    words: Floats  # of the neighbours: (entries, 2 * reach)
    meaning: Floats
    about: Floats  # how well the title or the abstract of the paper fits


def measure(scope: Scope, asked: Asked, vectors: Vectors | None, vector: Future[Floats] | None) -> Signals:
    """The signals of the entries of a scope that are worth a look; `vector` is the query's, if any."""
    view = scope.view
    whole = few(scope)
    ids = scope.ids if whole else said_in(scope, asked, _NEAR)
    query = vector.result() if vector is not None and vectors is not None else None
    meaning = np.zeros(len(ids), dtype=np.float32)
    if query is not None and vectors is not None:
        if whole:
            meaning = vectors.cosines(query, ids)
        else:
            ids, meaning = vectors.nearest(query, scope, _NEAR, ids)
    weights, tf, lengths = weighed(scope, asked, ids, whole)
    bm25, covered = weights.bm25(tf, lengths), weights.share(tf > 0)
    highest = np.float32(float(bm25.max(initial=0.0)) or 1.0)

    def measured(some: Ids) -> tuple[Floats, Floats]:
        counts = weights.said(view.slots.lists(some, WORDS), len(some))
        near = np.zeros(len(some), dtype=np.float32)
        if query is not None and vectors is not None:
            place = np.minimum(np.searchsorted(ids, some), max(0, len(ids) - 1))
            known = ids[place] == some if len(ids) else np.zeros(len(some), dtype=np.bool_)
            near[known] = meaning[place[known]]
            near[~known] = vectors.cosines(query, some[~known])
        return weights.bm25(counts, view.slots.lengths(some)) / highest, near

    words = bm25 / highest
    both = (words + meaning) * np.float32(0.5)
    near = np.arange(len(ids))
    if len(near) > _NEAR:
        near = np.sort(np.argpartition(both, len(both) - _NEAR)[-_NEAR:])
    owners = view.live.owners(ids)
    pages = owners * 100_000 + view.slots.pages(ids)
    page_best, page_sum = _gathered(pages, near, both)
    paper_best, _ = _gathered(owners, near, both)
    return Signals(
        view, ids, near, owners, words, bm25, meaning, covered, both, weights,
        page_best, page_sum, paper_best, measured,
    )  # fmt: skip


def around(signals: Signals, at: Ids) -> Around:
    """What stands around the entries `at` (numbers in `ids`)."""
    view, here = signals.view, signals.ids[at]
    steps = np.asarray([step for step in range(-_REACH, _REACH + 1) if step])
    there = np.clip(here[:, None] + steps, 0, len(view.slots) - 1)
    papers, number = np.unique(signals.owners[at], return_inverse=True)
    heads = view.live.first[papers][:, None] + np.arange(_FIRST)
    heads = np.minimum(heads, view.live.last[papers][:, None] - 1)
    # All are measured at once: where vectors lie elsewhere, each time is a journey.
    flat = distinct(np.concatenate([there.ravel(), heads.ravel()]))
    words, meaning = signals.measured(flat)
    place = np.searchsorted(flat, there)
    same = (
        (there == here[:, None] + steps)
        & (view.slots.pairs[there] == view.slots.pairs[here][:, None])
        & (view.live.owners(flat)[place] == signals.owners[at][:, None])
        & (view.slots.pages(flat)[place] == view.slots.pages(here)[:, None])
    )
    both = ((words + meaning) * np.float32(0.5))[np.searchsorted(flat, heads)]
    about = np.where(np.isin(view.slots.pairs[heads], _HEADS), both, np.float32(0)).max(axis=1, initial=0.0)
    return Around(
        np.where(same, words[place], np.float32(0)),
        np.where(same, meaning[place], np.float32(0)),
        about[number],
    )


def few(scope: Scope, narrowed: bool = False) -> bool:
    """Whether all entries of a scope may be looked at; one that is not `narrowed` counts as the library."""
    return len(scope.view.slots) <= _FEW or ((narrowed or scope.narrowed) and scope.size <= _FEW)


def said_in(scope: Scope, asked: Asked, limit: int) -> Ids:
    """The entries of a scope that say the query's words best, ascending."""
    if not asked.stems:
        return np.empty(0, dtype=np.int64)
    if scope.view.words.counted:
        return _said_elsewhere(scope, asked, limit)
    found = scope.view.words.search(asked.stems, scope.pairs, scope.papers, limit)
    found = found[found < len(scope.selected)]
    return np.sort(found[scope.selected[found]])


def _said_elsewhere(scope: Scope, asked: Asked, limit: int) -> Ids:
    """The same where the words of entries lie with their vectors: what is not there yet is looked through.

    So is all of the scope while that place is away.
    """
    slots, weights = scope.view.slots, _usual(scope, asked)
    vectors = scope.view.vectors.get(MINILM)
    found, left = np.empty(0, dtype=np.int64), scope.ids
    with contextlib.suppress(VectorsAway):
        if vectors is not None:
            idf = dict(zip(weights.terms.tolist(), weights.idf.tolist(), strict=True))
            found, left = vectors.said(idf, scope, limit)
    scores = [np.empty(0, dtype=np.float32)]
    for start in range(0, len(left), _AT_ONCE):
        some = left[start : start + _AT_ONCE]
        tf = weights.said(slots.lists(some, WORDS), len(some))
        scores.append(weights.bm25(tf, slots.lengths(some)))
    best, worth = top(left, np.concatenate(scores), limit)
    return distinct(np.concatenate([found, best[worth > 0]]))


def weighed(
    scope: Scope, asked: Asked, ids: Ids, whole: bool, average: float = 0.0
) -> tuple[Weights, NDArray[np.int32], Floats]:
    """What each word of the query weighs in a scope; how often the entries `ids` have it, and their lengths.

    `whole` where these are all entries of the scope; `average` is the length of a usual one, if it is known.
    """
    slots = scope.view.slots
    lengths = slots.lengths(ids)
    terms = np.asarray(sorted(asked.terms), dtype=np.int64)
    tf = occurrences(terms, *slots.lists(ids, WORDS), len(ids))
    if not whole:
        return _usual(scope, asked, average), tf, lengths
    df = dict(zip(terms.tolist(), (tf > 0).sum(axis=0).tolist(), strict=True))
    average = average or (float(lengths.mean()) if len(lengths) else 1.0)
    return _weights(scope, df, average), tf, lengths


def _usual(scope: Scope, asked: Asked, average: float = 0.0) -> Weights:
    """What each word of the query weighs in a scope, by the index of words, which may know units alone."""
    if scope.view.words.counted and not set(scope.pairs) <= set(RANKED):
        scope = scope.view.scope(RANKED, scope.papers)
    counts = scope.view.words.frequencies(asked.stems, scope.pairs, scope.papers)
    df = {number_of(stem): count for stem, count in counts.items()}
    return _weights(scope, df, average or scope.view.average())


def _weights(scope: Scope, df: Mapping[int, int], average: float) -> Weights:
    terms = sorted(df)
    size = max(scope.size, *df.values(), 0)  # the index counts what was just removed, too
    idf = [math.log(1 + (size - df[term] + 0.5) / (df[term] + 0.5)) for term in terms]
    return Weights(np.asarray(terms, dtype=np.int64), np.asarray(idf, dtype=np.float32), max(average, 1.0))


def weighted_words(view: View, ids: Ids) -> list[dict[int, float]]:
    """The words of entries, by number, with the weight that BM25 gives them beside idf."""
    flat, owner = view.slots.lists(ids, WORDS)
    ends = np.cumsum(np.bincount(owner, minlength=len(ids)))
    norm = K1 * (1 - B + B * view.slots.lengths(ids) / np.float32(view.average()))
    found = []
    for said, usual in zip(np.split(flat, ends[:-1]), norm.tolist(), strict=True):
        counts = Counter(said.tolist())
        found.append({term: count / (count + usual) for term, count in counts.items()})
    return found


def _gathered(key: Ids, near: Ids, both: Floats) -> tuple[Floats, Floats]:
    """The best of each near entry's group, and how much speaks in it altogether."""
    best, total = np.zeros(len(key), dtype=np.float32), np.zeros(len(key), dtype=np.float32)
    if not len(near):
        return best, total
    strong = np.maximum(0.0, both[near] - 0.5 * both[near].max())
    names, group = np.unique(key[near], return_inverse=True)
    highest = np.zeros(len(names), dtype=np.float32)
    np.maximum.at(highest, group, both[near])
    best[near] = highest[group]
    total[near] = np.bincount(group, weights=strong)[group]
    return best, total
