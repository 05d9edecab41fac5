"""The ranking models: boosted trees, evaluated with numpy; their weights are in `ranking_*.npz`.

Trained by `training/ranking/train.py`. A tree's nodes are numbered from the root, 0; a leaf points to itself.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """Arrays (trees, nodes): a sample goes left where its `feature` is at most `threshold`.

    `value` is the mean of what lies below a node, so the way down also says what each feature was worth.
    """

    feature: NDArray[np.int16]
    threshold: Floats
    left: NDArray[np.int16]
    right: NDArray[np.int16]
    value: Floats
    depth: int
    bias: float = 0.0

    def scores(self, rows: Floats) -> Floats:
        """One score per row of features, float32 (rows,)."""
        trees, nodes = self.feature.shape
        first = np.arange(trees, dtype=np.int32) * nodes  # of each tree's nodes, counted through
        feature, threshold = self.feature.ravel(), self.threshold.ravel()
        left, right = ((child + first[:, None]).ravel() for child in (self.left, self.right))
        values = np.ascontiguousarray(rows).ravel()
        row = (np.arange(len(rows), dtype=np.int32) * rows.shape[1])[:, None]
        at = np.broadcast_to(first, (len(rows), trees))
        for _ in range(self.depth):
            low = values.take(row + feature.take(at)) <= threshold.take(at)
            at = np.where(low, left.take(at), right.take(at))
        total: Floats = self.value.ravel().take(at).sum(axis=1) + np.float32(self.bias)
        return total

    def worth(self, row: Floats) -> Floats:
        """What each feature added to the score of one row (Saabas 2014): float32 (features,)."""
        steps = self._leaves(row[None, :])
        trees = np.arange(len(self.feature))
        added = np.zeros(len(row), dtype=np.float32)
        for before, after in zip(steps, steps[1:], strict=False):
            change = self.value[trees, after[0]] - self.value[trees, before[0]]
            np.add.at(added, self.feature[trees, before[0]], change)
        return added

    def _leaves(self, rows: Floats) -> list[NDArray[np.int16]]:
        """The nodes on the way down, from the roots to the leaves: int16 (rows, trees) each."""
        trees = np.arange(len(self.feature))
        number = np.arange(len(rows))[:, None]
        at = np.zeros((len(rows), len(trees)), dtype=np.int16)
        way = [at]
        for _ in range(self.depth):
            low = rows[number, self.feature[trees, at]] <= self.threshold[trees, at]
            at = np.where(low, self.left[trees, at], self.right[trees, at])
            way.append(at)
        return way


def read_trees(blob: bytes) -> Trees:
    """Trees as `numpy.savez` wrote them."""
    with np.load(io.BytesIO(blob), allow_pickle=False) as arrays:
        return Trees(
            arrays["feature"], arrays["threshold"], arrays["left"], arrays["right"], arrays["value"],
            int(arrays["depth"]), float(arrays["bias"]),
        )  # fmt: skip


@cache
def load_trees(package: str, name: str) -> Trees:
    """The trees in a data file of a package."""
    return read_trees(resources.files(package).joinpath(name).read_bytes())
