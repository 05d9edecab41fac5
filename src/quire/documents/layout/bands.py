"""The bands of a page with a gutter: what spans it, what stands beside it, side columns that stand apart.

What stands right of lines that span the gutter is held back: it is the top of the right column, narrowed by
an abstract that is wider than the left one.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from quire.documents.layout.gutters import Atom, are_level, crosses, middle_of

SPANNING, BESIDE, APART, HELD = range(4)  # kinds of bands; what stands apart has edges of its own
_HELD = 4  # lines that are held back, at least
_WIDE = 0.45  # share of the page's text that the lines beside them must span


def bands(atoms: Sequence[Atom], gutter: float, size: float) -> list[tuple[int, list[Atom]]]:
    """Groups from top to bottom: atoms that span the gutter, and what stands beside it between them."""
    groups: list[tuple[int, list[Atom]]] = []
    spans = sorted((a for a in atoms if crosses(a, gutter, size)), key=lambda a: a.box.y0)
    rest = sorted((a for a in atoms if not crosses(a, gutter, size)), key=lambda a: a.box.y0)
    ends = _last_lines(spans, rest)
    ends += [a for a in _centred(spans, rest, size) if a not in ends]
    if ends:
        spans = sorted([*spans, *ends], key=lambda a: a.box.y0)
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
    middles = sorted(middle_of(a) for a in spans)
    if len(middles) < 3:
        return []
    middle = middles[len(middles) // 2]
    found: list[Atom] = []
    for atom in rest:
        if atom.solid or abs(middle_of(atom) - middle) > 0.5 * size:
            continue
        below = min((a for a in (*spans, *rest) if a.box.y0 > atom.box.y1 - 2), key=_top, default=None)
        level = any(o is not atom and are_level(o.box, atom.box) for o in rest)
        if below in spans and not level:
            found.append(atom)
    return found


def _top(atom: Atom) -> float:
    return atom.box.y0


def centred_top(band: Sequence[Atom], gutter: float, size: float) -> list[Atom]:
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


def _is_centred(lines: Sequence[Atom]) -> bool:
    """Lines of different length around one middle."""
    best = max(
        ([a for a in lines if abs(middle_of(a) - middle_of(b)) < 4] for b in lines), key=len, default=[]
    )
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
        if not a.solid and not b.solid and a.box.x1 < min(gutter, b.box.x0) and are_level(a.box, b.box)
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
    few = not narrow or len(wide) < 3
    if few or crossed or sorted(b.box.width for b in wide)[len(wide) // 2] < 0.35 * room:
        return [], []  # few lines, or short ones, as in a grid of authors
    wide += [a for a in inside if a.box.x0 >= edge and a.box.x1 > edge]
    placed = {a.key for a in narrow + wide}
    for atom in sorted(rest, key=lambda a: a.box.y0):  # one may be longer than the other
        side = narrow if atom.box.x1 <= edge else wide if atom.box.x0 >= edge else []
        gap = atom.box.y0 - max((a.box.y1 for a in side), default=atom.box.y1)
        if 0 <= gap < 0.6 * size and not atom.solid and atom.key not in placed:
            side.append(atom)
    return narrow, wide


def _around(
    held: list[Atom], spans: Sequence[Atom], rest: Sequence[Atom], gutter: float, size: float
) -> list[tuple[int, list[Atom]]]:
    """The bands above lines that are held back, the wide lines beside them, and the bands below."""
    top, bottom = held[0].box.y0, held[-1].box.y1
    wide = [a for a in spans if top <= a.box.y1 and a.box.y0 < bottom]
    placed = {a.key for a in (*held, *wide)}
    others = [a for a in (*spans, *rest) if a.key not in placed]
    first = wide[0].box.y0
    above, below = ([a for a in others if (a.box.y0 < first) == upper] for upper in (True, False))
    return [*bands(above, gutter, size), (SPANNING, wide), (HELD, held), *bands(below, gutter, size)]


def _narrowed(spans: Sequence[Atom], rest: Sequence[Atom], gutter: float, size: float) -> list[Atom]:
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
        last = max(last, atom.box.y1) if 0 < atom.box.y1 - last < 2 * size else last
    for atom in reversed(near):  # and a first one half a line above
        top = min(top, atom.box.y0) if 0 < top - atom.box.y0 < 2 * size else top
    inside = [a for a in (*spans, *rest) if top < a.box.y1 - 1 and a.box.y0 + 1 < last]
    crossed = any(a.box.x0 < edge < a.box.x1 for a in inside)
    return [] if crossed else [a for a in near if a in inside]


def _raised(rest: Sequence[Atom], edge: float, top: float, size: float) -> float:
    """The top of both columns with the words that head them, side by side."""
    near = [a for a in rest if top - 3 * size < a.box.y0 < top and not a.solid]
    heads = [a for a in near for b in near if a.box.x1 <= edge <= b.box.x0 and are_level(a.box, b.box)]
    return min((a.box.y0 for a in heads), default=top)
