"""A small neural network over the features of a line, and the best path of labels through a document.

Each network has two hidden layers; several are averaged. Headings of one document look alike: what the
networks are sure of in one place tells it in others. Rows set alike and close to each other are one
block, and share the probability of being a heading; blocks with one look (type, and whether they stand
apart) lean towards what the other blocks with that look are. What one line cannot tell, the order of
labels does: a Viterbi search over transitions that were counted in the training papers. Plain numpy; the
weights are one file of this package, written by `training/train.py`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from io import BytesIO

import numpy as np
from numpy.typing import NDArray

from quire.pdf.geometry import CLOSE, runs, same_size
from quire.pdf.layout.profile import Profile
from quire.pdf.layout.rows import LABELS, Row
from quire.pdf.line_classifier.features import Matrix, describe
from quire.pdf.raw import FileFacts, RawPage
from quire.pdf.vocabulary import named

_ROWS = 5  # over which a heading may run
_MOST = 0.6  # share of a row's words that make it bold or slanted
_FEW = 3.0  # blocks of one look whose word counts as much as a block's own
_TRUST = 0.5  # of what the others say
_SURE = 4.0  # the furthest that they may lean
_NAMED = 2.0  # what a name of the lists adds, as a logarithm of odds
_NAMES = frozenset({"references", "back"})
_HEADING = LABELS.index("heading")

BlockLook = tuple[float, bool, bool, str, bool, bool]
WEIGHTS = "weights.npz"
_EASE = 0.5  # that a heading is rarer before a row like any other than before a first one
_LIMIT = 5.0  # standard deviations that a feature may be off

Layers = tuple[Matrix, Matrix, Matrix, Matrix, Matrix, Matrix]


@dataclass(frozen=True, slots=True)
class _Set:
    """How a row is set."""

    size: float
    bold: bool
    italic: bool
    font: str  # of its longest word
    fonts: frozenset[str]


def leaning(scores: Matrix, rows: Sequence[Row]) -> Matrix:
    """The probabilities of labels, with those of "heading" shared within blocks and looks."""
    blocks = _blocks(rows, [_set(row) for row in rows])
    cut = np.clip(scores[:, _HEADING], 1e-4, 1 - 1e-4)
    odds = np.clip(np.log(cut / (1 - cut)), -_SURE, _SURE).tolist()
    own = [_own(odds[start:end], rows[start:end]) for start, end, _ in blocks]
    sure = [_probability(value) for value in own]
    by_look: dict[BlockLook, list[int]] = defaultdict(list)
    for k, (_, _, look) in enumerate(blocks):
        by_look[look].append(k)
    new = scores[:, _HEADING].astype(np.float64)
    for members in by_look.values():
        total, others = sum(sure[k] for k in members), len(members) - 1
        for k in members:
            start, end, _ = blocks[k]
            new[start:end] = _probability(own[k] + _lean((total - sure[k]) / max(1, others), others))
    rest = (1 - new) / (1 - np.minimum(scores[:, _HEADING], 0.9999))
    out = scores * rest[:, None]
    out[:, _HEADING] = new
    return np.asarray(out / out.sum(1, keepdims=True), np.float32)


def _lean(mean: float, others: int) -> float:
    """What so many other blocks of a look, headings by so much, add to the odds of one."""
    if not others:
        return 0.0
    cut = min(max(mean, 1e-4), 1 - 1e-4)
    odds = min(max(math.log(cut / (1 - cut)), -_SURE), _SURE)
    return _TRUST * odds * others / (others + _FEW)


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


def _own(odds: Sequence[float], rows: Sequence[Row]) -> float:
    """What a block's own rows say; a printed name of a section says more."""
    known = len(rows) == 1 and named(rows[0].text) & _NAMES and rows[0].text.lstrip()[:1].isupper()
    return sum(odds) / len(odds) + (_NAMED if known else 0.0)


def _set(row: Row) -> _Set:
    words = [w for w in row.line.words if any(map(str.isalpha, w.text))] or list(row.line.words)
    bold = sum([w.bold for w in words]) > _MOST * len(words)
    italic = sum([w.italic for w in words]) > _MOST * len(words)
    longest = max(words, key=lambda w: len(w.text))
    return _Set(row.line.size, bold, italic, longest.font, frozenset(w.font for w in words))


def _blocks(rows: Sequence[Row], sets: Sequence[_Set]) -> list[tuple[int, int, BlockLook]]:
    """First row, end and look of every block that is short enough for a heading."""
    out: list[tuple[int, int, BlockLook]] = []
    for block in runs(range(len(rows)), lambda _, at: _together(rows, sets, at)):
        start, end = block[0], block[-1] + 1
        if len(block) <= _ROWS:
            own = max(sets[start:end], key=lambda s: s.size)
            apart = start == 0 or not rows[start].is_under(rows[start - 1], CLOSE)
            stop = rows[end - 1].text.rstrip()[-1:] in ".,;"
            out.append((start, end, (round(own.size * 2) / 2, own.bold, own.italic, own.font, apart, stop)))
    return out


def _together(rows: Sequence[Row], sets: Sequence[_Set], at: int) -> bool:
    """Whether a row is set as the one before it, and close to it."""
    one, other = sets[at - 1], sets[at]
    if (one.bold, one.italic) != (other.bold, other.italic) or not same_size(one.size, other.size):
        return False
    alike = one.font in other.fonts or other.font in one.fonts
    return alike and rows[at].is_under(rows[at - 1], CLOSE)


@dataclass(frozen=True)
class LineClassifier:
    """A trained model; `low` to `scale` bring features to one range."""

    low: Matrix
    high: Matrix
    mean: Matrix
    scale: Matrix
    networks: tuple[Layers, ...]
    transitions: Matrix  # logarithms: label before, label; the last line is for the first row

    def scores(self, features: Matrix) -> Matrix:
        """The probability of each label for each line."""
        clipped = np.clip(features, self.low, self.high)
        scaled = np.asarray(np.clip((clipped - self.mean) / self.scale, -_LIMIT, _LIMIT), np.float32)
        found = sum(_forward(scaled, layers) for layers in self.networks)
        return np.asarray(found / len(self.networks), np.float32)

    def label(
        self, rows: Sequence[Row], pages: Sequence[RawPage], profile: Profile, source: FileFacts
    ) -> list[Row]:
        """The rows of a document, in reading order, with their labels."""
        if not rows:
            return []
        scores = leaning(self.scores(describe(rows, pages, profile, source)), rows)
        path = best_path(np.log(scores + 1e-6), _eased(self.transitions))
        return [
            replace(row, label=LABELS[k], scores=tuple(score))
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
    labels = np.arange(len(total))
    for score in scores[1:]:
        ways = total[:, None] + steps
        best = ways.argmax(axis=0)
        back.append(best)
        total = ways[best, labels] + score
    path = [int(total.argmax())]
    for best in reversed(back):
        path.append(int(best[path[-1]]))
    return path[::-1]


def load(data: bytes) -> LineClassifier:
    """A line classifier from the bytes of its file."""
    with np.load(BytesIO(data), allow_pickle=False) as file:
        arrays = {name: file[name].astype(np.float32) for name in file.files}
    count = sum(name.endswith("_w0") for name in arrays)
    networks = tuple(
        tuple(arrays[f"{k}_{part}"] for part in ("w0", "b0", "w1", "b1", "w2", "b2")) for k in range(count)
    )
    low, high, mean, scale = (arrays[name] for name in ("low", "high", "mean", "scale"))
    return LineClassifier(low, high, mean, scale, networks, arrays["transitions"])


@cache
def shipped() -> LineClassifier:
    """The line classifier of this package."""
    return load(resources.files(__package__).joinpath(WEIGHTS).read_bytes())
