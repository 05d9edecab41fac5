"""Where the columns of a table part: drawn vertical lines, and strips that hardly any row writes across."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quire.documents.tables.rules import Stroke, levels
from quire.documents.tables.tokens import Piece, Row

WIDE = 0.9  # em: a gap that parts columns even when few rows show it
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
    return sorted(found)


def _gaps(rows: Sequence[Row], low: float, high: float, drawn: Sequence[Separator]) -> list[float]:
    """Middles of the blank strips between two drawn lines."""
    inside: list[list[Piece]] = []
    sizes = []
    for row in rows:
        cuts = sorted(
            s.x
            for s in drawn
            if any(k.low - 2 < row.baseline - 0.3 * row.size < k.high + 2 for k in s.strokes)
        )
        pieces = [p for p in row.pieces(cuts) if p.x1 > low + 0.5 and p.x0 < high - 0.5]
        whole = [p for p in pieces if low - 1 <= p.x0 and p.x1 <= high + 1]
        if pieces:
            inside.append(whole if len(whole) == len(pieces) else whole)
            sizes.append(row.size)
    inside = [pieces for pieces in inside if pieces]
    if not inside:
        return []
    size = sorted(sizes)[len(sizes) // 2]
    return [x for x in _valleys(inside, size) if _supported(inside, x, size)]


def _valleys(rows: Sequence[Sequence[Piece]], size: float) -> list[float]:
    """Middles of the strips that few rows cover, each at its emptiest."""
    events: list[tuple[float, int]] = []
    for pieces in rows:
        for piece in pieces:
            events += [(piece.x0, 1), (piece.x1, -1)]
    events.sort(key=lambda e: (e[0], e[1]))
    allowed = 0.34 * len(rows)
    strips: list[tuple[float, float, int]] = []
    depth = 0
    for (x, step), (following, _) in zip(events, events[1:], strict=False):
        depth += step
        if following > x and depth <= allowed:
            strips.append((x, following, depth))
    return [_emptiest(run) for run in _runs(strips)]


def _runs(strips: Sequence[tuple[float, float, int]]) -> list[list[tuple[float, float, int]]]:
    runs: list[list[tuple[float, float, int]]] = []
    for strip in strips:
        if runs and strip[0] <= runs[-1][-1][1] + 1e-6:
            runs[-1].append(strip)
        else:
            runs.append([strip])
    return runs


def _emptiest(run: Sequence[tuple[float, float, int]]) -> float:
    low = min(depth for _, _, depth in run)
    x0, x1, _ = max((s for s in run if s[2] == low), key=lambda s: s[1] - s[0])
    return (x0 + x1) / 2


def _supported(rows: Sequence[Sequence[Piece]], x: float, size: float) -> bool:
    """Whether enough rows stop before `x` and begin again after it."""
    support = crossing = 0
    lefts, rights = [], []
    for pieces in rows:
        if any(p.x0 < x - 0.3 * size and p.x1 > x + 0.3 * size for p in pieces):
            crossing += 1
            continue
        left = [p.x1 for p in pieces if p.x1 <= x + 0.3 * size]
        right = [p.x0 for p in pieces if p.x0 >= x - 0.3 * size]
        if left:
            lefts.append(max(left))
        if right:
            rights.append(min(right))
        support += bool(left and right)
    if not lefts or not rights or support == 0 or crossing > 0.5 * (support + crossing):
        # Columns that never meet in one row (a label above its values) still part if nothing crosses.
        return bool(lefts and rights and crossing == 0 and min(rights) - max(lefts) > 2 * WIDE * size)
    width = min(rights) - max(lefts)
    return width > (NARROW if support >= 3 else WIDE) * size


def column_of(piece: Piece, bounds: Sequence[float], size: float) -> tuple[int, int]:
    """First and last column that a piece covers; `bounds` are the inner boundaries."""
    reach = min(0.6 * size, 0.3 * (piece.x1 - piece.x0))
    first = sum(1 for x in bounds if x <= piece.x0 + reach)
    last = sum(1 for x in bounds if x < piece.x1 - reach)
    return first, max(first, last)
