"""Boosted trees: what a row's way through them gives, in either layout of their arrays."""

from __future__ import annotations

import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from quire.trees import Trees, read_trees

# Two trees over features 0 and 1: 0 at most 1 -> 2, else (1 at most 0 -> -1, else 4);
# and 1 at most 3 -> 1, else 8.
_NODES = {
    "feature": [[0, 0, 1, 0, 0], [1, 0, 0, 0, 0]],
    "threshold": [[1, 0, 0, 0, 0], [3, 0, 0, 0, 0]],
    "left": [[1, 1, 3, 3, 4], [1, 1, 2, 0, 0]],
    "right": [[2, 1, 4, 3, 4], [2, 1, 2, 0, 0]],
    "value": [[1.5, 2, 1, -1, 4], [5, 1, 8, 0, 0]],
}


def trees(*, flat: bool) -> Trees:
    arrays = {name: np.array(rows) for name, rows in _NODES.items()}
    if flat:
        arrays |= {child: arrays[child] + [[0], [5]] for child in ("left", "right")}
        arrays = {name: array.ravel() for name, array in arrays.items()} | {"roots": np.array([0, 5])}
    kept = io.BytesIO()
    np.savez(kept, allow_pickle=False, **arrays, depth=2, bias=0.5)
    return read_trees(kept.getvalue())


def by_hand(x: float, y: float) -> float:
    return (2 if x <= 1 else -1 if y <= 0 else 4) + (1 if y <= 3 else 8) + 0.5


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 5)), min_size=1, max_size=9), st.booleans())
def test_a_row_gets_the_sum_of_its_leaves(rows: list[tuple[int, int]], flat: bool) -> None:
    scores = trees(flat=flat).scores(np.array(rows, dtype=np.float32))
    assert scores.tolist() == [by_hand(x, y) for x, y in rows]


@given(st.tuples(st.integers(-1, 3), st.integers(-1, 5)), st.booleans())
def test_what_features_are_worth_is_the_way_from_the_roots_to_the_score(
    row: tuple[int, int], flat: bool
) -> None:
    worth = trees(flat=flat).worth(np.array(row, dtype=np.float32))
    assert 1.5 + 5 + worth.sum() + 0.5 == by_hand(*row)
