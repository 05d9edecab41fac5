from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from quire.memory.matrix import GrowingMatrix

Floats = NDArray[np.float32]


def _matrix(rows: Floats) -> GrowingMatrix:
    matrix = GrowingMatrix(rows.shape[1], capacity=1)
    for start in range(0, len(rows), 7):
        matrix.append(rows[start : start + 7])
    return matrix


@given(st.integers(1, 60), st.integers(1, 12), st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_search_is_exact(size: int, k: int, seed: int, some: bool, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2, 3, size=(size, 4)).astype(np.float32)
    query = rng.integers(-2, 3, size=4).astype(np.float32)
    allowed = rng.random(size) < 0.5 if some else None
    weights = (rng.integers(0, 5, size=size) / 4).astype(np.float32) if weighted else None
    found = _matrix(rows).nearest(query, k, allowed, weights)
    scored = [
        (n, float(row @ query) * (float(weights[n]) if weights is not None else 1.0))
        for n, row in enumerate(rows)
        if allowed is None or allowed[n]
    ]
    assert found == sorted(scored, key=lambda pair: (-pair[1], -pair[0]))[:k]


@pytest.mark.parametrize("shape", [(3000, 48), (500, 384)])
@pytest.mark.parametrize("kind", ["dense", "sparse", "close together"])
def test_rounding_never_loses_a_row(shape: tuple[int, int], kind: str) -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=shape).astype(np.float32)
    if kind == "sparse":
        rows[rng.random(shape) < 0.9] = 0
        rows[:, 0] = 1
    if kind == "close together":
        rows = 1 + 0.003 * rows
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    matrix = _matrix(rows)
    for _ in range(20):
        query = rows[rng.integers(len(rows))] + 0.1 * rng.normal(size=shape[1]).astype(np.float32)
        products = rows.astype(np.float64) @ query.astype(np.float64)
        best = np.sort(products)[::-1][:10]
        assert [score for _, score in matrix.nearest(query, 10)] == pytest.approx(best, abs=1e-6)
        floor = float((best[4] + best[5]) / 2)
        assert set(matrix.at_least(query, floor)) == set(np.flatnonzero(products >= floor))


def test_equal_rows_come_latest_first_wherever_they_stand() -> None:
    row = np.linspace(-1, 1, 37, dtype=np.float32)[None]
    matrix = _matrix(np.repeat(row, 50, axis=0))
    assert [at for at, _ in matrix.nearest(row[0], 5)] == [49, 48, 47, 46, 45]


def test_an_empty_matrix_has_no_rows() -> None:
    empty = GrowingMatrix(3)
    query = np.ones(3, dtype=np.float32)
    assert empty.nearest(query, 4) == []
    assert list(empty.at_least(query, 0.0)) == []
