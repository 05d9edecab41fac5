"""Reading order: columns from left to right between whatever spans them, from top to bottom.

A gutter is a vertical strip that few lines cross and that has lines side by side left and right of it.
Lines that cross it (a title, a wide table) cut the page into bands; within a band the left column comes
before the right one, and each column is looked at again for gutters of its own. What stands right of
lines that span the gutter is held back: it is the top of the right column, narrowed by an abstract that
is wider than the left one.
"""

from __future__ import annotations

import bisect
import itertools
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from quire.pdf.geometry import are_level, parted, runs, same_size, shared_height, shared_width
from quire.pdf.raw import Edges

SPANNING, BESIDE, APART, HELD = range(4)  # kinds of bands; what stands apart has edges of its own
_HELD = 4  # lines that are held back, at least
_NOTE = 0.87  # em of the body's type: the height of lines in smaller type
_WIDE = 0.45  # share of the page's text that the lines beside them must span
_GAP = 0.8  # em of blank over the whole width that parts the two
_PARTED = 3.0  # em between their gutters
_FEWEST = 3  # lines of each that cross the gutter of the other
_TRIED = 4  # blanks, the highest first: a map with thousands of labels has hundreds
_FOOT = 0.25  # share of the lower lines that may cross their own gutter: a licence under the text
_TEXT = 6  # lines of a text beside its margin, at least
_LABEL = 0.12  # of the width: what is narrower is no column, but labels of a list
MOST_STARTS = 60  # xs that are tried; a map with thousands of labels has hundreds, a page of text a dozen


class FlowItem(NamedTuple):
    """Something to be put in order: a line, or a table or figure as a whole."""

    box: Edges
    key: int  # the caller's own
    solid: bool  # a table, figure or picture


def middle_of(atom: FlowItem) -> float:
    """Its middle, from left to right."""
    return (atom.box.x0 + atom.box.x1) / 2


def crosses(atom: FlowItem, gutter: float, size: float) -> bool:
    """Whether it stands on both sides of a gutter, by more than an em."""
    return atom.box.x0 < gutter - size and atom.box.x1 > gutter + size


def find_gutter(atoms: Sequence[FlowItem], size: float) -> float | None:
    """The x that best parts the atoms into two columns, or None."""
    if len(atoms) < 6:
        return None
    left_edge, right_edge = min(a.box.x0 for a in atoms), max(a.box.x1 for a in atoms)
    width = right_edge - left_edge
    starts = Counter(round(a.box.x0 / 2) * 2 for a in atoms)
    best, best_pairs = None, 0
    nearby = {x: n + starts[x - 2] + starts[x + 2] for x, n in starts.items()}
    if len(nearby) > MOST_STARTS:
        likely = set(sorted(nearby, key=lambda x: -nearby[x])[:MOST_STARTS])
        nearby = {x: n for x, n in nearby.items() if x in likely}
    for start, near in nearby.items():
        gutter = start - 1.0 - 0.25 * size
        inner = left_edge + 0.08 * width < gutter < right_edge - 0.1 * width
        pairs = _pairs(atoms, gutter, size, width) if near >= 3 and inner else 0
        if pairs > best_pairs:
            best, best_pairs = gutter, pairs
    return None if best is None else _widened(atoms, best, size)


def find_margin(atoms: Sequence[FlowItem]) -> float | None:
    """The left edge of a page's text where a few lines stand in the margin beside it, or None.

    Nothing crosses that edge; what stands left of it is wider than labels are, and beside the text.
    """
    room = max((a.box.x1 for a in atoms), default=0.0) - min((a.box.x0 for a in atoms), default=0.0)
    for edge in sorted({a.box.x0 for a in atoms})[1:]:
        left = [a.box for a in atoms if a.box.x1 <= edge]
        right = [a.box for a in atoms if a.box.x0 >= edge]
        if not left or len(left) + len(right) < len(atoms) or len(right) < _TEXT:
            continue
        wide, narrow = (sorted(box.width for box in side)[len(side) // 2] for side in (right, left))
        apart = edge - max(box.x1 for box in left)
        beside = any(are_level(one, other) for one in left for other in right)
        return edge - 0.5 * apart if beside and narrow > _LABEL * room and wide > 0.5 * room else None
    return None


def _widened(atoms: Sequence[FlowItem], gutter: float, size: float) -> float:
    """The gutter moved left of lines that hang out of their column, as labels of references do."""
    left = max((a.box.x1 for a in atoms if a.box.x1 <= gutter), default=gutter)
    out = [a.box.x0 for a in atoms if left < a.box.x0 < gutter and a.box.x1 > gutter + size]
    return max(left + 0.5, min(out) - 1.0 - 0.25 * size) if out else gutter


def _pairs(atoms: Sequence[FlowItem], gutter: float, size: float, width: float) -> int:
    """How many atoms right of the gutter have one beside them on the left; 0 if it is no gutter."""
    left = sorted((a.box for a in atoms if a.box.x1 <= gutter), key=lambda b: b.y0)
    right = [a.box for a in atoms if a.box.x0 >= gutter - 1]
    if len(left) < 3 or len(right) < 3:
        return 0
    tops = [b.y0 for b in left]
    lowest = list(itertools.accumulate((b.y1 for b in left), max))  # bottom of all up to here
    pairs, widths = 0, []
    for box in right:
        middle = (box.y0 + box.y1) / 2
        slack = 0.3 * size  # lines of one column may stand between those of the other
        for k in range(bisect.bisect_right(tops, middle + slack) - 1, -1, -1):
            if left[k].y1 >= middle - slack:
                pairs += 1
                widths.append((left[k].width, box.width))
                break
            if lowest[k] < middle - slack:
                break
    crossing = sum(1 for a in atoms if crosses(a, gutter, size))
    if pairs < 3 or pairs < 0.12 * crossing:
        return 0
    middles = (sorted(side)[len(widths) // 2] for side in zip(*widths, strict=True))
    return pairs if min(middles) >= max(_LABEL * width, 4 * size) else 0


def stacked(
    atoms: Sequence[FlowItem], gutter: float, size: float
) -> tuple[list[FlowItem], list[FlowItem]] | None:
    """The upper and lower part of such a page, or None."""
    order = sorted(atoms, key=lambda a: a.box.y0)
    across = [crosses(a, gutter, size) for a in order]
    total, above, bottom = sum(across), 0, order[0].box.y1
    gaps: list[tuple[float, int]] = []
    for at, atom in enumerate(order):
        gap, below = atom.box.y0 - bottom, total - above
        if gap > _GAP * size and (below >= _FEWEST or above >= _FEWEST >= below - _FOOT * (len(order) - at)):
            gaps.append((gap, at))
        above += across[at]
        bottom = max(bottom, atom.box.y1)
    for _, at in sorted(gaps, reverse=True)[:_TRIED]:
        if _parted(order[:at], order[at:], size):
            return order[:at], order[at:]
    return None


def _parted(upper: Sequence[FlowItem], lower: Sequence[FlowItem], size: float) -> bool:
    """Whether both parts have a gutter, and not the same."""
    found = [find_gutter(part, size) for part in (upper, lower)]
    one, other = found
    return one is not None and other is not None and abs(one - other) >= _PARTED * size


def bands(atoms: Sequence[FlowItem], gutter: float, size: float) -> list[tuple[int, list[FlowItem]]]:
    """Groups from top to bottom: atoms that span the gutter, and what stands beside it between them."""
    groups: list[tuple[int, list[FlowItem]]] = []
    spans, rest = parted(sorted(atoms, key=_top), lambda a: crosses(a, gutter, size))
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
        middle = atom.box.y0 + atom.box.y1
        above, rest = parted(rest, lambda a: a.box.y0 + a.box.y1 < middle)  # noqa: B023 - used up at once
        groups += [(BESIDE, above)] * bool(above)
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
    sides = parted(rows[:cut], lambda a: middle_of(a) < gutter)
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
    others = (a for a in (*spans, *rest) if a.key not in placed)
    above, below = parted(others, lambda a: a.box.y0 < wide[0].box.y0)
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
    gutter = find_gutter(atoms, size)
    margin = find_margin(atoms) if gutter is None else None
    loose = _beside_columns(atoms, size) if gutter is not None else []
    if margin is not None:  # behind the text, which may go on from the page before
        sides = parted(atoms, lambda a: middle_of(a) >= margin)
        columns = [column for side in sides for column in _split(side, _bounds(side), size, rtl, 1)]
    else:
        columns = [*_split([a for a in atoms if a not in loose], _bounds(atoms), size, rtl, 0)]
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
    few = len(lines) // 20
    return sorted(b.x0 for b in lines)[few], sorted(b.x1 for b in lines)[-1 - few]


def _down(column: list[FlowItem], rtl: bool) -> list[FlowItem]:
    """From top to bottom; pieces on one height from left to right (right to left in Arabic)."""

    def joins(row: list[FlowItem], atom: FlowItem) -> bool:
        return not (atom.solid or row[0].solid) and are_level(row[0].box, atom.box)

    rows = runs(sorted(column, key=lambda a: (a.box.y1, a.box.x0)), joins)
    return [a for row in rows for a in sorted(row, key=lambda a: -a.box.x1 if rtl else a.box.x0)]


def _split(
    atoms: list[FlowItem], bounds: tuple[float, float], size: float, rtl: bool, depth: int
) -> Iterator[tuple[list[FlowItem], float, float]]:
    """The columns of a page or of a part of it, with their edges."""
    if not atoms:
        return
    gutter = find_gutter(atoms, size) if depth < 4 else None
    if gutter is None:
        yield atoms, *bounds
        return
    again = partial(_split, size=size, rtl=rtl, depth=depth + 1)
    if parts := stacked(atoms, gutter, size):
        for part in parts:
            yield from again(part, _bounds(part))
        return
    beside = [a for a in atoms if not crosses(a, gutter, size)]
    left_bounds, right_bounds = map(_bounds, parted(beside, lambda a: middle_of(a) < gutter))
    held: list[FlowItem] = []
    for kind, band in bands(atoms, gutter, size):
        if kind == HELD:
            held = band
        elif kind == SPANNING:
            yield band, *bounds
        elif kind == APART:
            yield from again(band, _bounds(band))
        else:
            top = centred_top(band, gutter, size)
            yield from again(top, _bounds(top))
            left, right = parted((a for a in band if a not in top), lambda a: middle_of(a) < gutter)
            sides = [(left, left_bounds), (held, _bounds(held)), (right, right_bounds)]
            for side, edges in reversed(sides) if rtl else sides:
                yield from again(side, edges)
            held = []
    yield from again(held, _bounds(held))
