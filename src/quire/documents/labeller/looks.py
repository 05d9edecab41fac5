"""Headings of one document look alike: what the labeller is sure of in one place tells it in others.

Rows set alike and close to each other are one block, and share the probability of being a heading. Blocks
with one look (type, and whether they stand apart) lean towards what the other blocks with that look are.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quire.documents.labeller.features import Matrix
from quire.documents.labeller.lexicon import named
from quire.documents.labeller.names import LABELS
from quire.documents.layout.rows import Row

_ROWS = 5  # over which a heading may run
_CLOSE = 1.45  # em between the baselines of one block
_SAME = 0.04  # share of its size by which the type of one block may differ
_MOST = 0.6  # share of a row's words that make it bold or slanted
_FEW = 3.0  # blocks of one look whose word counts as much as a block's own
_TRUST = 0.5  # of what the others say
_SURE = 4.0  # the furthest that they may lean
_NAMED = 2.0  # what a name of the lists adds, as a logarithm of odds
_NAMES = frozenset({"references", "back"})
_HEADING = LABELS.index("heading")

Look = tuple[float, bool, bool, str, bool, bool]


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
    odds = _odds(scores[:, _HEADING]).tolist()
    own = [_own(odds[start:end], rows[start:end]) for start, end, _ in blocks]
    sure = [_probability(value) for value in own]
    by_look: dict[Look, list[int]] = defaultdict(list)
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


def _odds(p: NDArray[np.floating]) -> NDArray[np.floating]:
    cut = np.clip(p, 1e-4, 1 - 1e-4)
    return np.asarray(np.clip(np.log(cut / (1 - cut)), -_SURE, _SURE))


def _set(row: Row) -> _Set:
    words = [w for w in row.line.words if any(c.isalpha() for c in w.text)] or list(row.line.words)
    bold = sum(w.bold for w in words) > _MOST * len(words)
    italic = sum(w.italic for w in words) > _MOST * len(words)
    longest = max(words, key=lambda w: len(w.text))
    return _Set(row.line.size, bold, italic, longest.font, frozenset(w.font for w in words))


def _blocks(rows: Sequence[Row], sets: Sequence[_Set]) -> list[tuple[int, int, Look]]:
    """First row, end and look of every block that is short enough for a heading."""
    out: list[tuple[int, int, Look]] = []
    start = 0
    for at in range(1, len(rows) + 1):
        if at < len(rows) and _together(rows[at - 1], rows[at], sets[at - 1], sets[at]):
            continue
        if at - start <= _ROWS:
            own = max(sets[start:at], key=lambda s: s.size)
            apart = start == 0 or not _under(rows[start - 1], rows[start])
            stop = rows[at - 1].text.rstrip()[-1:] in ".,;"
            out.append((start, at, (round(own.size * 2) / 2, own.bold, own.italic, own.font, apart, stop)))
        start = at
    return out


def _under(above: Row, row: Row) -> bool:
    """Whether a row stands close under another in its column."""
    step = row.line.baseline - above.line.baseline
    same = (above.page, above.column) == (row.page, row.column)
    return same and 0 < step < _CLOSE * max(row.line.size, above.line.size)


def _together(above: Row, row: Row, one: _Set, other: _Set) -> bool:
    if (one.bold, one.italic) != (other.bold, other.italic) or abs(one.size - other.size) > _SAME * one.size:
        return False
    return (one.font in other.fonts or other.font in one.fonts) and _under(above, row)
