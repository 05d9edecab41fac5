"""Boosted decision trees: scores of rows of features, in plain numpy.

    load_trees("quire.pdf", "data/table_joins.npz").scores(features)     # float32, one per row

The arrays come from scripts in `training/`: one entry per node, all trees in one table from root to root, or
(trees, nodes), where a node's children are counted within its tree.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Nodes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """An ensemble. A node leads `left` where its feature is at most `threshold`, a leaf to itself.

    `value` of a node within is the mean of what lies below it, 0 where nobody asks what features are worth.
    """

    roots: Nodes
    feature: Nodes
    threshold: Floats
    left: Nodes
    right: Nodes
    value: Floats
    depth: int
    bias: float = 0.0

    def scores(self, rows: Floats) -> Floats:
        """The sum of the leaves that each row (of features) reaches: float32 (rows,)."""
        if len(rows) == 1:  # all nodes at once
            ahead = np.where(rows[0][self.feature] <= self.threshold, self.left, self.right)
            at = self.roots[None]
            for _ in range(self.depth):
                at = ahead[at]
            return self._sums(at)
        flat = np.ascontiguousarray(rows).ravel()
        first = np.arange(0, len(flat), rows.shape[1])[:, None]
        ahead = np.stack([self.right, self.left], axis=1).ravel()
        at = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            low = flat.take(first + self.feature.take(at)) <= self.threshold.take(at)
            at = ahead.take(2 * at + low)
        return self._sums(at)

    def worth(self, row: Floats) -> Floats:
        """What each feature added to the score of one row (Saabas 2014): float32 (features,)."""
        added, at = np.zeros(len(row), dtype=np.float32), self.roots
        for _ in range(self.depth):
            below = np.where(row[self.feature[at]] <= self.threshold[at], self.left[at], self.right[at])
            np.add.at(added, self.feature[at], self.value[below] - self.value[at])
            at = below
        return added

    def _sums(self, leaves: Nodes) -> Floats:
        sums: Floats = self.value.take(leaves).sum(axis=1, dtype=np.float32)
        return sums + np.float32(self.bias) if self.bias else sums


def read_trees(blob: bytes) -> Trees:
    """Trees as `numpy.savez` wrote them."""
    with np.load(io.BytesIO(blob), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    if "roots" not in arrays:
        trees, nodes = arrays["feature"].shape
        arrays["roots"] = np.arange(trees, dtype=np.int32) * np.int32(nodes)
        for child in ("left", "right"):
            arrays[child] = arrays[child] + arrays["roots"][:, None]
    roots, feature, left, right = (
        arrays[name].ravel().astype(np.int32) for name in ("roots", "feature", "left", "right")
    )
    threshold, value = arrays["threshold"].ravel(), arrays["value"].ravel()
    return Trees(
        roots, feature, threshold, left, right, value, int(arrays["depth"]), float(arrays.get("bias", 0.0))
    )


@cache
def load_trees(package: str, name: str) -> Trees:
    """The trees in a data file of a package."""
    return read_trees(resources.files(package).joinpath(name).read_bytes())
