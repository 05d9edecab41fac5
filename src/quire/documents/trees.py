"""Boosted decision trees: scores of rows of features, in plain numpy.

The arrays come from a training script (`training/`), one row per node, all trees in one table:

    Trees.load("data/table_joins.npz").score(features)     # log-odds, one per row
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Trees:
    """An ensemble. A node leads `left` where its feature is at most `threshold`, a leaf to itself."""

    roots: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: Matrix
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: Matrix
    depth: int

    def score(self, features: Matrix) -> Matrix:
        """The sum of the leaves that each row reaches: log-odds of the positive class."""
        rows = np.arange(len(features))[:, None]
        at = np.tile(self.roots, (len(features), 1))
        for _ in range(self.depth):
            low = features[rows, self.feature[at]] <= self.threshold[at]
            at = np.where(low, self.left[at], self.right[at])
        sums: Matrix = self.value[at].sum(axis=1, dtype=np.float32)
        return sums


@cache
def shipped(name: str) -> Trees:
    """The trees in a file of this package's `data/`."""
    return loaded(files("quire.documents").joinpath(f"data/{name}").read_bytes())


def loaded(data: bytes) -> Trees:
    """The trees in the bytes of a file."""
    with np.load(BytesIO(data), allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    return Trees(
        arrays["roots"], arrays["feature"], arrays["threshold"], arrays["left"], arrays["right"],
        arrays["value"], int(arrays["depth"]),
    )  # fmt: skip
