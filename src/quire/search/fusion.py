"""Fusing a BM25 list with a dense one, and moving up texts that follow the query closely.

    score = 0.5 * bm25 / best bm25 + 0.5 * cosine + 0.2 * neighbours + 0.5 * literals

The first two terms are a convex combination (Bruch, Gai, Ingber 2023, "An Analysis of Fusion Functions for
Hybrid Retrieval", found it ahead of reciprocal rank fusion; so did benchmarks/retrieval_quiz.py).
`neighbours` is the share of the query's pairs of neighbouring words that stand side by side in the text too
(the ordered window of Metzler and Croft 2005, "A Markov Random Field Model for Term Dependencies");
`literals` is the share of its phrases in double quotes and numbers in brackets that the text has as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.search.analyzer import term_numbers

BM25_SHARE = 0.5
DENSE_SHARE = 0.5
NEIGHBOURS = 0.2
LITERALS = 0.5

_LITERAL = re.compile(r'"([^"]{2,300})"|\u201c([^\u201c\u201d]{2,300})\u201d|(\[\d+\])')


TIE = 1e-5  # scores are compared when they are rounded to this


@dataclass(frozen=True, slots=True)
class Scored:
    """An entry and its score: cosine for dense collections, BM25 for words."""

    id: int
    score: float


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
