"""Lists of different lengths that stand one after the other in one array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def gather(
    flat: NDArray[Any], begin: NDArray[np.int64], sizes: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The values of some lists, one after the other, and for each value the number of its list."""
    counts = sizes.astype(np.int64)
    owner = np.repeat(np.arange(len(begin)), counts)
    shift = begin - (np.cumsum(counts) - counts)
    return flat[np.arange(len(owner)) + shift[owner]], owner


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """The values of an array, each once, ascending. `np.unique` loads masked arrays (34 ms)."""
    ordered = np.sort(values, axis=None)
    found: NDArray[np.int64] = ordered[np.diff(ordered, prepend=ordered[:1] - 1) != 0]
    return found


def runs(numbers: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ascending numbers as (first, last + 1) of those that follow each other."""
    if not len(numbers):
        return []
    cuts = np.flatnonzero(np.diff(numbers) != 1) + 1
    firsts, lasts = np.append(0, cuts), np.append(cuts, len(numbers)) - 1
    return [(int(numbers[a]), int(numbers[b]) + 1) for a, b in zip(firsts, lasts, strict=True)]
