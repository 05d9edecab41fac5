"""Fusing a BM25 list with a dense one: reciprocal rank fusion.

Cormack, Clarke, Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet": an entry's score is the sum
over lists of 1 / (k + rank), k = 60.
"""

from __future__ import annotations

from quire.index.backends import Scored

K = 60


def fuse(*lists: list[Scored]) -> list[Scored]:
    """One list, best first; ties by id."""
    scores: dict[int, float] = {}
    for ranked in lists:
        for rank, hit in enumerate(ranked, 1):
            scores[hit.id] = scores.get(hit.id, 0.0) + 1 / (K + rank)
    return [Scored(i, s) for i, s in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]
