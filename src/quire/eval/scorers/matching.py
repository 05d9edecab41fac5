"""Pair the elements of two lists so that as many as possible are alike.

Contract: a maximum matching of a bipartite graph by shortest augmenting paths (Berge 1957): nothing is
paired twice, and no greedy choice takes away a partner that another element needs. Sorting both lists and
comparing them in step, the usual shortcut, is wrong as soon as "alike" is fuzzy.

Limits: `MAX_ELEMENTS` elements in each list; time is at most their product times their number, in practice
about their product.

    >>> pair(["ab", "a"], ["a", "b"], lambda left, right: right in left)
    {0: 1, 1: 0}
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from quire.errors import ScoringError

MAX_ELEMENTS = 1000


def pair(left: Sequence[Any], right: Sequence[Any], alike: Callable[[Any, Any], bool]) -> dict[int, int]:
    """A largest set of pairs: index in `left` to index in `right`.

    Raises:
        ScoringError: a list has more than MAX_ELEMENTS elements.
    """
    if max(len(left), len(right)) > MAX_ELEMENTS:
        raise ScoringError(f"More than {MAX_ELEMENTS} elements cannot be compared without order.")

    @cache
    def linked(i: int, j: int) -> bool:
        return alike(left[i], right[j])

    owner: dict[int, int] = {}  # index in right -> index in left
    for start in range(len(left)):
        _augment(start, len(right), linked, owner)
    return {i: j for j, i in sorted(owner.items(), key=lambda item: item[1])}


def _augment(start: int, width: int, linked: Callable[[int, int], bool], owner: dict[int, int]) -> None:
    """Find a partner for `start`, moving others to another partner where that helps."""
    reached: dict[int, tuple[int, int | None]] = {}  # from which left element, and the partner that this has
    queue: deque[tuple[int, int | None]] = deque([(start, None)])
    while queue:
        i, partner = queue.popleft()
        for j in range(width):
            if j in reached or not linked(i, j):
                continue
            reached[j] = i, partner
            if j in owner:
                queue.append((owner[j], j))
                continue
            free: int | None = j
            while free is not None:
                owner[free], free = reached[free]
            return
