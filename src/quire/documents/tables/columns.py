"""Where the columns of a table part: drawn vertical lines, and strips that hardly any row writes across."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from quire.documents.tables.rules import Stroke, levels
from quire.documents.tables.strips import Blank, band, blank_at, chosen
from quire.documents.tables.tokens import Piece, TokenRow

_MARKS = re.compile(r"^(?:(?:\d{1,2}[.)]|[•●▪■◦–—-])(?=[\d•●▪■◦–—-]|$))+$")  # of lists in cells
_BEFORE = re.compile(r"^(?:US|A|C)?[$€£¥]$")
_AFTER = re.compile(r"^(?:%|±.*|[*†‡§¶#]+|\)[*†‡§¶]*)$")


class Separator(NamedTuple):
    """A column boundary; `strokes` are the lines drawn there (none: the strip `blank` was found)."""

    x: float
    strokes: tuple[Stroke, ...] = ()
    blank: Blank | None = None


def separators(rows: Sequence[TokenRow], down: Sequence[Stroke]) -> list[Separator]:
    """The inner column boundaries of a table, from left to right."""
    if not rows:
        return []
    left, right = min(r.x0 for r in rows), max(r.x1 for r in rows)
    drawn = [
        Separator(x, tuple(s for s in down if abs(s.at - x) < 4))
        for x in levels(down)
        if left + 1 < x < right - 1
    ]
    found = list(drawn)
    edges = [left - 5, *(s.x for s in drawn), right + 5]
    for low, high in zip(edges, edges[1:], strict=False):
        found += _gaps(rows, low, high, drawn)
    return _without_signs(rows, sorted(found))


def _without_signs(rows: Sequence[TokenRow], found: list[Separator]) -> list[Separator]:
    """The boundaries without those that part signs from numbers ("$", "± 2.1"), or marks from a list."""
    texts: list[list[str]] = [[] for _ in range(len(found) + 1)]
    xs = [s.x for s in found]
    for row in rows:
        for piece in row.pieces(xs):
            first, last = column_of(piece, xs, row.size)
            if first == last:
                texts[first].append("".join(t.text for t in piece.tokens))
    kept = []
    for k, separator in enumerate(found):
        before = texts[k] and all(_BEFORE.match(t) for t in texts[k])
        after = texts[k + 1] and all(_AFTER.match(t) for t in texts[k + 1])
        listed = 0 < k and len(texts[k]) > 1 and all(_MARKS.match(t) for t in texts[k])
        if separator.strokes or not (before or after or listed):
            kept.append(separator)
    return kept


def _gaps(rows: Sequence[TokenRow], low: float, high: float, drawn: Sequence[Separator]) -> list[Separator]:
    """The boundaries between two drawn lines, told by the strips that are blank there."""
    own = band(rows, low, high, framed=bool(drawn))
    if own is None:
        return []
    inside: list[list[Piece]] = []
    for row in rows:
        level = row.baseline - 0.3 * row.size
        cuts = [s.x for s in drawn if any(k.low - 2 < level < k.high + 2 for k in s.strokes)]
        pieces = [p for p in row.pieces(cuts) if low - 1 <= p.x0 and p.x1 <= high + 1]
        if pieces:
            inside.append(pieces)
    found = chosen(own, low, high)
    kept = _without_titles(inside, [strip.middle for strip in found], low, high)
    xs = [low - 1, *kept, high + 1]
    return [Separator(x, blank=blank_at(own, x, a, b)) for a, x, b in zip(xs, kept, xs[2:], strict=False)]


def _without_titles(
    rows: Sequence[Sequence[Piece]], found: list[float], low: float, high: float
) -> list[float]:
    """The boundaries without those around a head's text that stands between the columns that it names."""
    k = 1
    while k < len(found):
        left, right = found[k - 1], found[k]
        mine = [(i, p) for i, row in enumerate(rows) for p in row if left < p.x0 and p.x1 < right]
        before = found[k - 2] if k > 1 else low - 1
        after = found[k + 1] if k + 1 < len(found) else high + 1
        heads = mine and len(rows) >= 3 and mine[-1][0] <= max(1, len(rows) // 4)
        alone = all(not any(before < p.x0 < left or right < p.x0 < after for p in rows[i]) for i, _ in mine)
        if heads and alone:
            ends = [p.x1 for row in rows for p in row if before < p.x0 and p.x1 <= left]
            starts = [p.x0 for row in rows for p in row if right <= p.x0 and p.x1 < after]
            found[k - 1 : k + 1] = [(max(ends, default=left) + min(starts, default=right)) / 2]
        else:
            k += 1
    return found


def column_of(piece: Piece, bounds: Sequence[float], size: float) -> tuple[int, int]:
    """First and last column that a piece covers; `bounds` are the inner boundaries."""
    reach = min(0.6 * size, 0.3 * (piece.x1 - piece.x0))
    first = sum(1 for x in bounds if x <= piece.x0 + reach)
    last = sum(1 for x in bounds if x < piece.x1 - reach)
    return first, max(first, last)
