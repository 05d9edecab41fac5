"""Where the columns of a table part: drawn vertical lines, and strips that hardly any row writes across."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from quire.documents.tables.rules import Stroke, levels
from quire.documents.tables.tokens import Piece, Row

_MARKS = re.compile(r"^(?:(?:\d{1,2}[.)]|[•●▪■◦–—-])(?=[\d•●▪■◦–—-]|$))+$")  # of lists in cells
WIDE = 0.9  # em: a gap that parts columns even when few rows show it
_BEFORE = re.compile(r"^(?:US|A|C)?[$€£¥]$")
_AFTER = re.compile(r"^(?:%|±.*|[*†‡§¶#]+|\)[*†‡§¶]*)$")
NARROW = 0.48  # em: a gap that parts columns when many rows agree


class Separator(NamedTuple):
    """A column boundary; `strokes` are the lines drawn there (none: found from gaps)."""

    x: float
    strokes: tuple[Stroke, ...] = ()


def separators(rows: Sequence[Row], down: Sequence[Stroke]) -> list[Separator]:
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
        found += [Separator(x) for x in _gaps(rows, low, high, drawn)]
    return _without_signs(rows, sorted(found))


def _without_signs(rows: Sequence[Row], found: list[Separator]) -> list[Separator]:
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


def _gaps(rows: Sequence[Row], low: float, high: float, drawn: Sequence[Separator]) -> list[float]:
    """Middles of the blank strips between two drawn lines, the emptiest strips first decided."""
    inside: list[list[Piece]] = []
    sizes = []
    for row in rows:
        level = row.baseline - 0.3 * row.size
        cuts = [s.x for s in drawn if any(k.low - 2 < level < k.high + 2 for k in s.strokes)]
        pieces = [p for p in row.pieces(cuts) if low - 1 <= p.x0 and p.x1 <= high + 1]
        if pieces:
            inside.append(pieces)
            sizes.append(row.size)
    if not inside:
        return []
    size = sorted(sizes)[len(sizes) // 2]
    found: list[float] = []
    for _, x in sorted(_valleys(inside)):
        left = max((f for f in found if f < x), default=low - 1)
        right = min((f for f in found if f > x), default=high + 1)
        needed = 0.6 * len(inside) if drawn else 0.0
        if _supported(inside, x, left, right, size, needed):
            found.append(x)
    return _without_titles(inside, sorted(found), low, high)


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


def _valleys(rows: Sequence[Sequence[Piece]]) -> list[tuple[int, float]]:
    """Strips that fewer rows cover than the strips beside them: (number of rows, middle)."""
    steps: dict[float, int] = {}
    for pieces in rows:
        for piece in pieces:
            steps[piece.x0] = steps.get(piece.x0, 0) + 1
            steps[piece.x1] = steps.get(piece.x1, 0) - 1
    xs = sorted(steps)
    depth, depths = 0, []
    for x in xs:
        depth += steps[x]
        depths.append(depth)
    allowed = 0.34 * len(rows)
    valleys = []
    for k in range(1, len(xs) - 1):
        falls, rises = depths[k - 1] > depths[k], depths[k + 1] > depths[k]
        if falls and rises and depths[k] <= allowed:
            valleys.append((depths[k], (xs[k] + xs[k + 1]) / 2))
    return valleys


def _supported(
    rows: Sequence[Sequence[Piece]], x: float, low: float, high: float, size: float, needed: float
) -> bool:
    """Whether enough rows stop before `x` and begin again after it, between the boundaries beside it."""
    crossing = 0
    ends, starts, gaps = [], [], []
    for pieces in rows:
        if any(p.x0 < x - 0.3 * size and p.x1 > x + 0.3 * size for p in pieces):
            crossing += 1
            continue
        left = [p.x1 for p in pieces if p.x1 <= x + 0.3 * size and p.x1 > low]
        right = [p.x0 for p in pieces if p.x0 >= x - 0.3 * size and p.x0 < high]
        if left:
            ends.append(max(left))
        if right:
            starts.append(min(right))
        if left and right:
            gaps.append(min(right) - max(left))
    support = len(gaps)
    if not ends or not starts or support < needed:
        return False
    width = min(starts) - max(ends)
    if support == 0:  # columns whose cells stand at different heights never meet in one row
        return crossing == 0 and width > WIDE * size
    if crossing > 0.5 * support:
        return False
    return width > (NARROW if support >= 3 else WIDE) * size or (support >= 2 and min(gaps) > WIDE * size)


def column_of(piece: Piece, bounds: Sequence[float], size: float) -> tuple[int, int]:
    """First and last column that a piece covers; `bounds` are the inner boundaries."""
    reach = min(0.6 * size, 0.3 * (piece.x1 - piece.x0))
    first = sum(1 for x in bounds if x <= piece.x0 + reach)
    last = sum(1 for x in bounds if x < piece.x1 - reach)
    return first, max(first, last)
