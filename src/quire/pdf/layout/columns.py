"""Reading order: columns from left to right between whatever spans them, from top to bottom.

A gutter is a vertical strip that few lines cross and that has lines side by side left and right of it.
Lines that cross it (a title, a wide table) cut the page into bands; within a band the left column comes
before the right one, and each column is looked at again for gutters of its own. What stands right of
lines that span the gutter is held back: it is the top of the right column, narrowed by an abstract that
is wider than the left one.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from quire.pdf.geometry import are_level, runs, same_size, shared_height, shared_width
from quire.pdf.layout.gutters import FlowItem, crosses, find_gutter, find_margin, middle_of, stacked

SPANNING, BESIDE, APART, HELD = range(4)  # kinds of bands; what stands apart has edges of its own
_HELD = 4  # lines that are held back, at least
_NOTE = 0.87  # em of the body's type: the height of lines in smaller type
_WIDE = 0.45  # share of the page's text that the lines beside them must span


def bands(atoms: Sequence[FlowItem], gutter: float, size: float) -> list[tuple[int, list[FlowItem]]]:
    """Groups from top to bottom: atoms that span the gutter, and what stands beside it between them."""
    groups: list[tuple[int, list[FlowItem]]] = []
    down = sorted(atoms, key=_top)
    spans = [a for a in down if crosses(a, gutter, size)]
    rest = [a for a in down if not crosses(a, gutter, size)]
    ends = _last_lines(spans, rest)
    ends += [a for a in _centred(spans, rest, size) if a not in ends]
    spans = sorted([*spans, *ends], key=_top)
    rest = [a for a in rest if a not in ends]
    narrow, wide = _sidebar(spans, rest, gutter, size)
    rest = [a for a in rest if a not in narrow and a not in wide]
    held = [] if narrow else _narrowed(spans, rest, gutter, size)
    if held:
        return _around(held, spans, rest, gutter, size)
    for atom in spans:
        if atom in wide and not narrow:
            continue
        if atom in wide:
            top = min(a.box.y0 for a in narrow + wide)
            above = [a for a in rest if a.box.y1 < top + 0.5 * size]
            groups += [(BESIDE, above)] * bool(above) + [(APART, narrow), (APART, wide)]
            rest, narrow = [a for a in rest if a not in above], []
            continue
        above = [a for a in rest if a.box.y0 + a.box.y1 < atom.box.y0 + atom.box.y1]
        if above:
            groups.append((BESIDE, above))
            rest = [a for a in rest if a.box.y0 + a.box.y1 >= atom.box.y0 + atom.box.y1]
        if groups and groups[-1][0] == SPANNING:
            groups[-1][1].append(atom)
        else:
            groups.append((SPANNING, [atom]))
    if rest:
        groups.append((BESIDE, rest))
    return groups


def _last_lines(spans: Sequence[FlowItem], rest: Sequence[FlowItem]) -> list[FlowItem]:
    """Short lines that go on from lines over the gutter (the end of a title), with nothing beside them."""
    found: list[FlowItem] = []
    for atom in rest:
        box = atom.box
        above = any(
            not a.solid
            and 0 <= box.y0 - a.box.y1 + 0.3 * box.height < 0.9 * box.height
            and same_size(box.height, a.box.height)
            and shared_width(a.box, box) > 0.9 * box.width
            for a in (*spans, *found)
        )
        if above and not atom.solid:
            beside = any(o is not atom and shared_height(o.box, box) > 0.1 * box.height for o in rest)
            found += [] if beside else [atom]
    return found


def _centred(spans: Sequence[FlowItem], rest: Sequence[FlowItem], size: float) -> list[FlowItem]:
    """Lines in the middle of the page, with nothing beside them, right above lines over the gutter."""
    middles = sorted(middle_of(a) for a in spans)
    if len(middles) < 3:
        return []
    middle = middles[len(middles) // 2]
    found: list[FlowItem] = []
    for atom in rest:
        if atom.solid or abs(middle_of(atom) - middle) > 0.5 * size:
            continue
        below = min((a for a in (*spans, *rest) if a.box.y0 > atom.box.y1 - 2), key=_top, default=None)
        level = any(o is not atom and are_level(o.box, atom.box) for o in rest)
        if below in spans and not level:
            found.append(atom)
    return found


def _top(atom: FlowItem) -> float:
    return atom.box.y0


def centred_top(band: Sequence[FlowItem], gutter: float, size: float) -> list[FlowItem]:
    """The last row of a grid of authors: short centred lines on both sides, above the columns of text."""
    rows = sorted(band, key=_top)
    cut, bottom = 0, rows[0].box.y0
    widest = max(a.box.width for a in rows)
    for i, atom in enumerate(rows):
        if i and atom.box.y0 - bottom > 0.45 * size:
            cut = i
        if atom.solid or atom.box.width > 0.7 * widest:
            break
        bottom = max(bottom, atom.box.y1)
    sides = [[a for a in rows[:cut] if (middle_of(a) < gutter) == left] for left in (True, False)]
    return rows[:cut] if all(_is_centred(side) for side in sides) else []


def _is_centred(lines: Sequence[FlowItem]) -> bool:
    """Lines of different length around one middle."""
    most = max((sum(abs(middle_of(a) - middle_of(b)) < 4 for a in lines) for b in lines), default=0)
    return most >= max(3, 0.6 * len(lines))


def _sidebar(
    spans: Sequence[FlowItem], rest: Sequence[FlowItem], gutter: float, size: float
) -> tuple[list[FlowItem], list[FlowItem]]:
    """A narrow column beside lines that span the gutter ("Article info" beside an abstract), and those."""
    level = [
        (a, b)
        for a in rest
        for b in spans
        if not a.solid and not b.solid and a.box.x1 < min(gutter, b.box.x0) and are_level(a.box, b.box)
    ]
    if len({a.key for a, _ in level}) < 3:
        return [], []
    edge = min(b.box.x0 for _, b in level) - 1
    top = min(a.box.y0 for a, _ in level)
    for atom in sorted([*spans, *rest], key=lambda a: -a.box.y0):  # up to where the wide side begins
        if atom.box.x0 >= edge and top - 0.8 * size < atom.box.y1 and atom.box.y0 < top:
            top = atom.box.y0
    wide = [b for b in spans if b.box.x0 >= edge and b.box.y0 > top - 1 and not b.solid]
    last = max(a.box.y1 for a in [*wide, *(a for a, _ in level)])
    inside = [a for a in rest if a.box.y0 > top - 0.5 * size and a.box.y1 < last + 1]
    narrow = [a for a in inside if a.box.x1 <= edge]
    room = max(a.box.x1 for a in [*spans, *rest]) - min(a.box.x0 for a in [*spans, *rest])
    if not wide or statistics.median_high(b.box.width for b in wide) < 0.35 * room:
        return [], []  # short lines, as in a grid of authors
    return narrow, wide + [a for a in inside if a.box.x0 >= edge and a.box.x1 > edge]


def _around(
    held: list[FlowItem], spans: Sequence[FlowItem], rest: Sequence[FlowItem], gutter: float, size: float
) -> list[tuple[int, list[FlowItem]]]:
    """The bands above lines that are held back, the wide lines beside them, and the bands below."""
    top, bottom = held[0].box.y0, held[-1].box.y1
    wide = [a for a in spans if top <= a.box.y1 and a.box.y0 < bottom]
    placed = {a.key for a in (*held, *wide)}
    others = [a for a in (*spans, *rest) if a.key not in placed]
    first = wide[0].box.y0
    above, below = ([a for a in others if (a.box.y0 < first) == upper] for upper in (True, False))
    return [*bands(above, gutter, size), (SPANNING, wide), (HELD, held), *bands(below, gutter, size)]


def _narrowed(
    spans: Sequence[FlowItem], rest: Sequence[FlowItem], gutter: float, size: float
) -> list[FlowItem]:
    """The lines right of lines that span the gutter, from top to bottom; they are one narrow column."""
    lines = [a for a in rest if not a.solid and a.box.x0 > gutter]
    wide = [b for b in spans if not b.solid]
    level = [(a, b) for a in lines for b in wide if b.box.x1 < a.box.x0 and are_level(a.box, b.box)]
    if min(len({pair[side].key for pair in level}) for side in (0, 1)) < _HELD:
        return []
    room = max(a.box.x1 for a in rest) - min(a.box.x0 for a in rest)
    if statistics.median(b.box.width for _, b in level) < _WIDE * room:
        return []  # a grid of authors
    edge = min(a.box.x0 for a, _ in level) - 1
    top, last = min(a.box.y0 for a, _ in level), max(a.box.y1 for a, _ in level)
    near = sorted((a for a in lines if a.box.x0 > edge), key=_top)
    for atom in near:  # with the last lines, below those that they stand beside,
        last = atom.box.y1 if 0 < atom.box.y1 - last < 2 * size else last
    for atom in reversed(near):  # and a first one half a line above
        top = atom.box.y0 if 0 < top - atom.box.y0 < 2 * size else top
    return [a for a in near if top < a.box.y1 - 1 and a.box.y0 + 1 < last]


class Ordered(NamedTuple):
    """An atom in its place, with the left and right edge of the column it stands in."""

    key: int
    left: float
    right: float
    column: int  # counts up through the page
    aside: bool  # a few lines in the margin


def reading_order(atoms: Sequence[FlowItem], size: float, *, rtl: bool = False) -> list[Ordered]:
    """The atoms of one page in reading order; `size` is that of the body type in points."""
    columns: list[tuple[list[FlowItem], float, float]] = []
    gutter = find_gutter(atoms, size)
    margin = find_margin(atoms) if gutter is None else None
    loose = _beside_columns(atoms, size) if gutter is not None else []
    if margin is not None:  # behind the text, which may go on from the page before
        for side in (False, True):
            part = [a for a in atoms if (middle_of(a) < margin) == side]
            _split(part, _bounds(part), size, rtl, columns, 1)
    else:
        _split([a for a in atoms if a not in loose], _bounds(atoms), size, rtl, columns, 0)
        columns += [(loose, *_bounds(loose))] * bool(loose)
    out: list[Ordered] = []
    for number, (column, left, right) in enumerate(columns):
        aside = (margin is not None and right < margin) or column is loose
        out.extend(Ordered(a.key, left, right, number, aside) for a in _down(column, rtl))
    return out


def _beside_columns(atoms: Sequence[FlowItem], size: float) -> list[FlowItem]:
    """Notes in small type that stand outside the type area of columns of text, beside their lines."""
    low, high = _bounds(atoms)
    small = [a for a in atoms if not a.solid and a.box.height < _NOTE * size]
    return [a for a in small if a.box.x1 < low or a.box.x0 > high]


def _bounds(column: Sequence[FlowItem]) -> tuple[float, float]:
    """Left and right edge of the type area, without the one line in twenty that sticks out."""
    lines = [a.box for a in column if not a.solid] or [a.box for a in column]
    if not lines:
        return 0.0, 0.0
    lefts = sorted(b.x0 for b in lines)
    rights = sorted(b.x1 for b in lines)
    return lefts[len(lefts) // 20], rights[-1 - len(rights) // 20]


def _down(column: list[FlowItem], rtl: bool) -> list[FlowItem]:
    """From top to bottom; pieces on one height from left to right (right to left in Arabic)."""

    def joins(row: list[FlowItem], atom: FlowItem) -> bool:
        return not (atom.solid or row[0].solid) and are_level(row[0].box, atom.box)

    rows = runs(sorted(column, key=lambda a: (a.box.y1, a.box.x0)), joins)
    return [a for row in rows for a in sorted(row, key=lambda a: -a.box.x1 if rtl else a.box.x0)]


def _split(
    atoms: list[FlowItem],
    bounds: tuple[float, float],
    size: float,
    rtl: bool,
    out: list[tuple[list[FlowItem], float, float]],
    depth: int,
) -> None:
    if not atoms:
        return
    gutter = find_gutter(atoms, size) if depth < 4 else None
    if gutter is None:
        out.append((atoms, *bounds))
        return
    parts = stacked(atoms, gutter, size)
    for part in parts or ():
        _split(part, _bounds(part), size, rtl, out, depth + 1)
    if parts:
        return
    beside = [a for a in atoms if not crosses(a, gutter, size)]
    left_bounds = _bounds([a for a in beside if middle_of(a) < gutter])
    right_bounds = _bounds([a for a in beside if middle_of(a) >= gutter])
    held: list[FlowItem] = []
    for kind, band in bands(atoms, gutter, size):
        if kind == HELD:
            held = band
            continue
        if kind == SPANNING:
            out.append((band, *bounds))
            continue
        if kind == APART:
            _split(band, _bounds(band), size, rtl, out, depth + 1)
            continue
        top = centred_top(band, gutter, size)
        if top:
            _split(top, _bounds(top), size, rtl, out, depth + 1)
            band = [a for a in band if a not in top]
        left = [a for a in band if middle_of(a) < gutter]
        right = [a for a in band if middle_of(a) >= gutter]
        sides = [(left, left_bounds), (right, right_bounds)]
        sides.insert(1, (held, _bounds(held)))
        for side, edges in reversed(sides) if rtl else sides:
            _split(side, edges, size, rtl, out, depth + 1)
        held = []
    _split(held, _bounds(held), size, rtl, out, depth + 1)
