"""Reading order: columns from left to right between whatever spans them, from top to bottom.

A gutter is a vertical strip that few lines cross and that has lines side by side left and right of it.
Lines that cross it (a title, a wide table) cut the page into bands; within a band the left column comes
before the right one, and each column is looked at again for gutters of its own.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from quire.documents.raw import Edges

_SPANNING, _BESIDE, _APART = range(3)  # kinds of bands; what stands apart has edges of its own


class Atom(NamedTuple):
    """Something to be put in order: a line, or a table or figure as a whole."""

    box: Edges
    key: int  # the caller's own
    solid: bool  # a table, figure or picture


class Ordered(NamedTuple):
    """An atom in its place, with the left and right edge of the column it stands in."""

    key: int
    left: float
    right: float
    column: int  # counts up through the page


def reading_order(
    atoms: Sequence[Atom], size: float, *, rtl: bool = False, usual: float | None = None
) -> list[Ordered]:
    """The atoms of one page in reading order; `size` is that of the body type in points.

    `usual` is the gutter of the other pages, which helps where a second column holds a line or two.
    """
    columns: list[tuple[list[Atom], float, float]] = []
    own = _gutter(atoms, size)
    if own is None and usual is not None and _begun(atoms, usual, size):
        for side in (True, False)[:: -1 if rtl else 1]:
            part = [a for a in atoms if (_middle(a) < usual) == side]
            _split(part, _bounds(part), size, rtl, columns, 1)
    else:
        _split(list(atoms), _bounds(atoms), size, rtl, columns, 0)
    out: list[Ordered] = []
    for number, (column, left, right) in enumerate(columns):
        out.extend(Ordered(a.key, left, right, number) for a in _down(column, rtl))
    return out


def _begun(atoms: Sequence[Atom], gutter: float, size: float) -> bool:
    """A full first column and the first lines of a second, with nothing over the gutter."""
    left = sum(a.box.x1 < gutter + size for a in atoms)
    right = [a for a in atoms if a.box.x0 > gutter - size]
    return left >= 6 and 1 <= len(right) <= 4 and left + len(right) == len(atoms)


def _bounds(column: Sequence[Atom]) -> tuple[float, float]:
    """Left and right edge of the type area, without the one line in twenty that sticks out."""
    lines = [a.box for a in column if not a.solid] or [a.box for a in column]
    if not lines:
        return 0.0, 0.0
    lefts = sorted(b.x0 for b in lines)
    rights = sorted(b.x1 for b in lines)
    return lefts[len(lefts) // 20], rights[-1 - len(rights) // 20]


def _down(column: list[Atom], rtl: bool) -> list[Atom]:
    """From top to bottom; pieces on one height from left to right (right to left in Arabic)."""
    rows: list[list[Atom]] = []
    for atom in sorted(column, key=lambda a: (a.box.y1, a.box.x0)):
        last = rows[-1] if rows else None
        if last and not atom.solid and not last[0].solid and _level(last[0].box, atom.box):
            last.append(atom)
        else:
            rows.append([atom])
    return [a for row in rows for a in sorted(row, key=lambda a: -a.box.x1 if rtl else a.box.x0)]


def _level(one: Edges, other: Edges) -> bool:
    overlap = min(one.y1, other.y1) - max(one.y0, other.y0)
    return overlap > 0.6 * min(one.height, other.height)


def _split(
    atoms: list[Atom],
    bounds: tuple[float, float],
    size: float,
    rtl: bool,
    out: list[tuple[list[Atom], float, float]],
    depth: int,
) -> None:
    if not atoms:
        return
    gutter = _gutter(atoms, size) if depth < 4 else None
    if gutter is None:
        out.append((atoms, *bounds))
        return
    beside = [a for a in atoms if not _crosses(a, gutter, size)]
    left_bounds = _bounds([a for a in beside if _middle(a) < gutter])
    right_bounds = _bounds([a for a in beside if _middle(a) >= gutter])
    for kind, band in _bands(atoms, gutter, size):
        if kind == _SPANNING:
            out.append((band, *bounds))
            continue
        if kind == _APART:
            _split(band, _bounds(band), size, rtl, out, depth + 1)
            continue
        top = _centred_top(band, gutter, size)
        if top:
            _split(top, _bounds(top), size, rtl, out, depth + 1)
            band = [a for a in band if a not in top]
        left = [a for a in band if _middle(a) < gutter]
        right = [a for a in band if _middle(a) >= gutter]
        sides = [(left, left_bounds), (right, right_bounds)]
        for side, edges in reversed(sides) if rtl else sides:
            _split(side, edges, size, rtl, out, depth + 1)


def _middle(atom: Atom) -> float:
    return (atom.box.x0 + atom.box.x1) / 2


def _crosses(atom: Atom, gutter: float, size: float) -> bool:
    return atom.box.x0 < gutter - size and atom.box.x1 > gutter + size


def _bands(atoms: Sequence[Atom], gutter: float, size: float) -> list[tuple[int, list[Atom]]]:
    """Groups from top to bottom: atoms that span the gutter, and what stands beside it between them."""
    groups: list[tuple[int, list[Atom]]] = []
    spans = sorted((a for a in atoms if _crosses(a, gutter, size)), key=lambda a: a.box.y0)
    rest = sorted((a for a in atoms if not _crosses(a, gutter, size)), key=lambda a: a.box.y0)
    ends = _last_lines(spans, rest)
    ends += [a for a in _centred(spans, rest, size) if a not in ends]
    if ends:
        spans = sorted([*spans, *ends], key=lambda a: a.box.y0)
        rest = [a for a in rest if a not in ends]
    narrow, wide = _sidebar(spans, rest, gutter, size)
    rest = [a for a in rest if a not in narrow and a not in wide]
    for atom in spans:
        if atom in wide and not narrow:
            continue
        if atom in wide:
            top = min(a.box.y0 for a in narrow + wide)
            above = [a for a in rest if a.box.y1 < top + 0.5 * size]
            groups += [(_BESIDE, above)] * bool(above) + [(_APART, narrow), (_APART, wide)]
            rest, narrow = [a for a in rest if a not in above], []
            continue
        above = [a for a in rest if a.box.y0 + a.box.y1 < atom.box.y0 + atom.box.y1]
        if above:
            groups.append((_BESIDE, above))
            rest = [a for a in rest if a.box.y0 + a.box.y1 >= atom.box.y0 + atom.box.y1]
        if groups and groups[-1][0] == _SPANNING:
            groups[-1][1].append(atom)
        else:
            groups.append((_SPANNING, [atom]))
    if rest:
        groups.append((_BESIDE, rest))
    return groups


def _last_lines(spans: Sequence[Atom], rest: Sequence[Atom]) -> list[Atom]:
    """Short lines that go on from lines over the gutter (the end of a title), with nothing beside them."""
    found: list[Atom] = []
    for atom in rest:
        box = atom.box
        above = [
            a.box
            for a in (*spans, *found)
            if not a.solid
            and 0 <= box.y0 - a.box.y1 + 0.3 * box.height < 0.9 * box.height
            and abs(a.box.height - box.height) < 0.04 * box.height
            and min(a.box.x1, box.x1) - max(a.box.x0, box.x0) > 0.9 * box.width
        ]
        if atom.solid or not above:
            continue
        beside = any(
            o is not atom and min(o.box.y1, box.y1) - max(o.box.y0, box.y0) > 0.1 * box.height for o in rest
        )
        if not beside:
            found.append(atom)
    return found


def _centred(spans: Sequence[Atom], rest: Sequence[Atom], size: float) -> list[Atom]:
    """Lines in the middle of the page, with nothing beside them, right above lines over the gutter."""
    middles = sorted(_middle(a) for a in spans)
    if len(middles) < 3:
        return []
    middle = middles[len(middles) // 2]
    found: list[Atom] = []
    for atom in rest:
        if atom.solid or abs(_middle(atom) - middle) > 0.5 * size:
            continue
        below = min((a for a in (*spans, *rest) if a.box.y0 > atom.box.y1 - 2), key=_top, default=None)
        level = any(o is not atom and _level(o.box, atom.box) for o in rest)
        if below in spans and not level:
            found.append(atom)
    return found


def _top(atom: Atom) -> float:
    return atom.box.y0


def _centred_top(band: Sequence[Atom], gutter: float, size: float) -> list[Atom]:
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
    sides = [[a for a in rows[:cut] if (_middle(a) < gutter) == left] for left in (True, False)]
    return rows[:cut] if all(_is_centred(side) for side in sides) else []


def _is_centred(lines: Sequence[Atom]) -> bool:
    """Lines of different length around one middle."""
    best = max(([a for a in lines if abs(_middle(a) - _middle(b)) < 4] for b in lines), key=len, default=[])
    starts = [a.box.x0 for a in best]
    return len(best) >= max(3, 0.6 * len(lines)) and max(starts) - min(starts) > 6


def _sidebar(
    spans: Sequence[Atom], rest: Sequence[Atom], gutter: float, size: float
) -> tuple[list[Atom], list[Atom]]:
    """A narrow column beside lines that span the gutter ("Article info" beside an abstract), and those."""
    level = [
        (a, b)
        for a in rest
        for b in spans
        if not a.solid and not b.solid and a.box.x1 < min(gutter, b.box.x0) and _level(a.box, b.box)
    ]
    if len({a.key for a, _ in level}) < 3:
        return [], []
    edge = min(b.box.x0 for _, b in level) - 1
    top = min(a.box.y0 for a, _ in level)
    for atom in sorted([*spans, *rest], key=lambda a: -a.box.y0):  # up to where the wide side begins
        if atom.box.x0 >= edge and top - 0.8 * size < atom.box.y1 and atom.box.y0 < top:
            top = atom.box.y0
    top = _raised(rest, edge, top, size)
    wide = [b for b in spans if b.box.x0 >= edge and b.box.y0 > top - 1 and not b.solid]
    last = max(a.box.y1 for a in [*wide, *(a for a, _ in level)])
    inside = [a for a in rest if a.box.y0 > top - 0.5 * size and a.box.y1 < last + 1]
    narrow = [a for a in inside if a.box.x1 <= edge]
    crossed = any(a.box.x0 < edge < a.box.x1 and a.box.y0 < last and a.box.y1 > top for a in [*spans, *rest])
    room = max(a.box.x1 for a in [*spans, *rest]) - min(a.box.x0 for a in [*spans, *rest])
    if len(wide) < 3 or crossed or sorted(b.box.width for b in wide)[len(wide) // 2] < 0.35 * room:
        return [], []  # few lines, or short ones, as in a grid of authors
    wide += [a for a in inside if a.box.x0 >= edge]
    for atom in sorted(rest, key=lambda a: a.box.y0):  # one may be longer than the other
        side = narrow if atom.box.x1 <= edge else wide if atom.box.x0 >= edge else []
        gap = atom.box.y0 - max((a.box.y1 for a in side), default=atom.box.y1)
        if 0 <= gap < 0.6 * size and not atom.solid:
            side.append(atom)
    return narrow, wide


def _raised(rest: Sequence[Atom], edge: float, top: float, size: float) -> float:
    """The top of both columns with the words that head them, side by side."""
    near = [a for a in rest if top - 3 * size < a.box.y0 < top and not a.solid]
    heads = [a for a in near for b in near if a.box.x1 <= edge <= b.box.x0 and _level(a.box, b.box)]
    return min((a.box.y0 for a in heads), default=top)


def _gutter(atoms: Sequence[Atom], size: float) -> float | None:
    """The x that best parts the atoms into two columns, or None."""
    if len(atoms) < 6:
        return None
    left_edge, right_edge = min(a.box.x0 for a in atoms), max(a.box.x1 for a in atoms)
    width = right_edge - left_edge
    starts = Counter(round(a.box.x0 / 2) * 2 for a in atoms)
    best, best_pairs = None, 0
    for start, count in starts.items():
        near = count + starts.get(start - 2, 0) + starts.get(start + 2, 0)
        gutter = start - 1.0 - 0.25 * size
        if near < 3 or not left_edge + 0.08 * width < gutter < right_edge - 0.1 * width:
            continue
        pairs = _pairs(atoms, gutter, size, width)
        if pairs > best_pairs:
            best, best_pairs = gutter, pairs
    return None if best is None else _widened(atoms, best, size)


def _widened(atoms: Sequence[Atom], gutter: float, size: float) -> float:
    """The gutter moved left of lines that hang out of their column, as labels of references do."""
    left = max((a.box.x1 for a in atoms if a.box.x1 <= gutter), default=gutter)
    out = [a.box.x0 for a in atoms if left < a.box.x0 < gutter and a.box.x1 > gutter + size]
    return max(left + 0.5, min(out) - 1.0 - 0.25 * size) if out else gutter


def _pairs(atoms: Sequence[Atom], gutter: float, size: float, width: float) -> int:
    """How many atoms right of the gutter have one beside them on the left; 0 if it is no gutter."""
    left = sorted((a.box for a in atoms if a.box.x1 <= gutter), key=lambda b: b.y0)
    right = [a.box for a in atoms if a.box.x0 >= gutter - 1]
    if len(left) < 3 or len(right) < 3:
        return 0
    tops = [b.y0 for b in left]
    tallest = max(b.height for b in left)
    pairs, widths = 0, []
    for box in right:
        middle = (box.y0 + box.y1) / 2
        slack = 0.3 * size  # lines of one column may stand between those of the other
        for k in range(bisect.bisect_right(tops, middle + slack) - 1, -1, -1):
            if left[k].y1 >= middle - slack:
                pairs += 1
                widths.append((left[k].width, box.width))
                break
            if left[k].y0 + tallest < middle - slack:
                break
    crossing = sum(1 for a in atoms if _crosses(a, gutter, size))
    if pairs < 3 or pairs < 0.12 * crossing:
        return 0
    for side in (0, 1):  # labels of a list are no column
        if sorted(w[side] for w in widths)[len(widths) // 2] < max(0.12 * width, 4 * size):
            return 0
    return pairs
