"""Exact nearest rows of a matrix that grows, read mostly as bytes.

Every row is kept twice: as float32, and rounded to one byte a number. A search multiplies the bytes (a
quarter of the memory traffic, which is what a product over many rows costs), knows by Cauchy-Schwarz how far
such a product can be off, and computes exactly only the few rows that may still be among the best. So no row
is ever missed, and 100 000 rows of 384 numbers take about 3 ms. Adding a row costs nothing that depends on
how many there are: the capacity doubles.
"""

from __future__ import annotations

import numpy as np
import simsimd
from numpy.typing import NDArray

Floats = NDArray[np.float32]

_SLACK = 1e-5  # more than what float32 arithmetic can be off, for rows and queries of length 1


class GrowingMatrix:
    """Rows of `dim` float32 numbers."""

    def __init__(self, dim: int, capacity: int = 256) -> None:
        self._rows = np.zeros((capacity, dim), dtype=np.float32)
        self._codes = np.zeros((capacity, dim), dtype=np.int8)
        self._steps = np.zeros(capacity, dtype=np.float32)
        self._size = 0
        self._longest = self._worst = 0.0  # length of a row, and of what rounding took from one

    def __len__(self) -> int:
        return self._size

    def append(self, rows: Floats) -> None:
        """Add `(n, dim)` rows."""
        needed = self._size + len(rows)
        if needed > len(self._rows):
            self._grow(max(needed, 2 * len(self._rows)))
        new = slice(self._size, needed)
        codes, steps, lost = rounded(rows)
        self._rows[new], self._codes[new], self._steps[new] = rows, codes, steps
        self._longest = max(self._longest, float(np.linalg.norm(rows, axis=1).max(initial=0.0)))
        self._worst = max(self._worst, lost)
        self._size = needed

    def nearest(
        self,
        query: Floats,
        k: int,
        allowed: NDArray[np.bool_] | None = None,
        weights: Floats | None = None,
    ) -> list[tuple[int, float]]:
        """The k rows of the largest product with `query`, best first; of equals the later row first.

        `allowed` (one flag per row) leaves rows out before the k are counted; `weights` (one number from 0 to
        1 per row) multiplies the products.
        """
        if self._size == 0 or k < 1:
            return []
        about, margin = self._about(query)
        if weights is not None:
            about *= weights
        if allowed is not None:
            about[~allowed] = -np.inf
        kept = min(k, self._size)
        floor = np.partition(about, self._size - kept)[self._size - kept] - 2 * margin
        candidates = np.flatnonzero((about >= floor) & (about > -np.inf))
        scores = self._exact(candidates, query)
        if weights is not None:
            scores *= weights[candidates]
        order = np.lexsort((-candidates, -scores))[:kept]
        return [(int(candidates[one]), float(scores[one])) for one in order]

    def at_least(self, query: Floats, floor: float) -> NDArray[np.intp]:
        """The rows whose product with `query` is `floor` or more, in their order."""
        if self._size == 0:
            return np.arange(0)
        about, margin = self._about(query)
        candidates = np.flatnonzero(about >= floor - margin)
        return candidates[self._exact(candidates, query) >= floor]

    def _about(self, query: Floats) -> tuple[Floats, float]:
        """Every row's product with `query`, and by how much it can be off."""
        code, step, lost = rounded(query[None])
        products = np.asarray(simsimd.cdist(code, self._codes[: self._size], metric="dot"))[0]
        about = (products * step[0]).astype(np.float32)
        about *= self._steps[: self._size]
        # x.q = x'.q' + x'.(q - q') + (x - x').q, and x' is no longer than x and what rounding took from it.
        length = float(np.linalg.norm(query))
        rounding = (self._longest + self._worst) * lost + self._worst * length
        return about, rounding + _SLACK * (1 + self._longest * length)

    def _exact(self, rows: NDArray[np.intp], query: Floats) -> Floats:
        # In double precision and then rounded, equal rows get equal products wherever they stand.
        products: Floats = (self._rows[rows].astype(np.float64) @ query.astype(np.float64)).astype(np.float32)
        return products

    def _grow(self, capacity: int) -> None:
        for name in ("_rows", "_codes", "_steps"):
            old = getattr(self, name)
            new = np.zeros((capacity, *old.shape[1:]), dtype=old.dtype)
            new[: self._size] = old[: self._size]
            setattr(self, name, new)


def rounded(rows: Floats) -> tuple[NDArray[np.int8], Floats, float]:
    """Rows as bytes, what one step of a byte stands for in each, and the most that one row lost."""
    steps = (np.abs(rows).max(axis=1) / 127).astype(np.float32)
    divisors = np.where(steps > 0, steps, np.float32(1))[:, None]
    codes = np.rint(rows / divisors).astype(np.int8)
    lost = np.linalg.norm(rows - codes * divisors, axis=1).max(initial=0.0)
    return codes, steps, float(lost)
