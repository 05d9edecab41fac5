"""A small neural network over the features of a line, and the best path of labels through a document.

Each network has two hidden layers; several are averaged. What one line cannot tell, the order of labels
does: a Viterbi search over transitions that were counted in the training papers. Plain numpy; the weights
are one file of this package, written by `training/train.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from quire.documents.labeller.features import Context, Matrix, describe
from quire.documents.labeller.looks import leaning
from quire.documents.labeller.names import LABELS
from quire.documents.layout.rows import Row

WEIGHTS = "weights.npz"
_EASE = 0.5  # that a heading is rarer before a row like any other than before a first one
_LIMIT = 5.0  # standard deviations that a feature may be off

Layers = tuple[Matrix, Matrix, Matrix, Matrix, Matrix, Matrix]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A row, what it is, and the probability of every label."""

    row: Row
    label: str
    scores: tuple[float, ...] = ()

    def score(self, label: str) -> float:
        """The probability of a label, as far as the row alone tells."""
        return self.scores[LABELS.index(label)] if self.scores else float(label == self.label)


@dataclass(frozen=True)
class Labeller:
    """A trained model; `low` to `scale` bring features to one range."""

    low: Matrix
    high: Matrix
    mean: Matrix
    scale: Matrix
    networks: tuple[Layers, ...]
    transitions: Matrix  # logarithms: label before, label; the last line is for the first row

    def scaled(self, features: Matrix) -> Matrix:
        """Features as the networks take them."""
        clipped = np.clip(features, self.low, self.high)
        return np.asarray(np.clip((clipped - self.mean) / self.scale, -_LIMIT, _LIMIT), np.float32)

    def scores(self, features: Matrix) -> Matrix:
        """The probability of each label for each line."""
        scaled = self.scaled(features)
        found = sum(_forward(scaled, layers) for layers in self.networks)
        return np.asarray(found / len(self.networks), np.float32)

    def label(self, rows: Sequence[Row], context: Context) -> list[Labelled]:
        """The rows of a document, in reading order, with their labels."""
        if not rows:
            return []
        return self.decoded(rows, describe(rows, context))

    def decoded(self, rows: Sequence[Row], features: Matrix) -> list[Labelled]:
        """The same, from the features of the rows."""
        scores = leaning(self.scores(features), rows)
        path = best_path(np.log(scores + 1e-6), _eased(self.transitions))
        return [
            Labelled(row, LABELS[k], tuple(score))
            for row, k, score in zip(rows, path, scores.tolist(), strict=True)
        ]


def _eased(transitions: Matrix) -> Matrix:
    """With headings before any row of a paragraph: first rows that are not set apart look like others."""
    out = transitions.copy()
    heading, para, text = (LABELS.index(label) for label in ("heading", "para", "text"))
    out[heading, text] = max(out[heading, text], out[heading, para] - _EASE)
    return out


def _forward(values: Matrix, layers: Layers) -> Matrix:
    w0, b0, w1, b1, w2, b2 = layers
    hidden = np.maximum(np.maximum(values @ w0 + b0, 0) @ w1 + b1, 0)
    out = hidden @ w2 + b2
    exponents = np.exp(out - out.max(axis=1, keepdims=True))
    return np.asarray(exponents / exponents.sum(axis=1, keepdims=True), np.float32)


def best_path(scores: Matrix, transitions: Matrix) -> list[int]:
    """The sequence of labels with the highest sum of scores and transitions."""
    steps = transitions[:-1]
    total = scores[0] + transitions[-1]
    back: list[NDArray[np.intp]] = []
    for score in scores[1:]:
        ways = total[:, None] + steps
        best = ways.argmax(axis=0)
        back.append(best)
        total = ways[best, np.arange(len(best))] + score
    path = [int(total.argmax())]
    for best in reversed(back):
        path.append(int(best[path[-1]]))
    return path[::-1]


def load(data: bytes) -> Labeller:
    """A labeller from the bytes of its file."""
    with np.load(BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name].astype(np.float32) for name in file.files}
    count = sum(name.endswith("_w0") for name in arrays)
    networks = tuple(
        tuple(arrays[f"{k}_{part}"] for part in ("w0", "b0", "w1", "b1", "w2", "b2")) for k in range(count)
    )
    return Labeller(
        arrays["low"],
        arrays["high"],
        arrays["mean"],
        arrays["scale"],
        networks,
        arrays["transitions"],
    )


@cache
def shipped() -> Labeller:
    """The labeller of this package."""
    return load(resources.files(__package__).joinpath(WEIGHTS).read_bytes())
