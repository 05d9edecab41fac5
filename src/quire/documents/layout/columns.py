"""Reading order: columns from left to right between whatever spans them, from top to bottom.

A gutter is a vertical strip that few lines cross and that has lines side by side left and right of it.
Lines that cross it (a title, a wide table) cut the page into bands; within a band the left column comes
before the right one, and each column is looked at again for gutters of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quire.documents.layout.bands import APART, HELD, SPANNING, bands, centred_top
from quire.documents.layout.gutters import Atom, are_level, crosses, find_gutter, find_margin, middle_of
from quire.documents.layout.stacks import stacked


class Ordered(NamedTuple):
    """An atom in its place, with the left and right edge of the column it stands in."""

    key: int
    left: float
    right: float
    column: int  # counts up through the page
    aside: bool  # a few lines in the margin


def reading_order(
    atoms: Sequence[Atom], size: float, *, rtl: bool = False, usual: float | None = None
) -> list[Ordered]:
    """The atoms of one page in reading order; `size` is that of the body type in points.

    `usual` is the gutter of the other pages, which helps where a second column holds a line or two.
    """
    columns: list[tuple[list[Atom], float, float]] = []
    own = find_gutter(atoms, size)
    margin = find_margin(atoms, size) if own is None else None
    if margin is not None:  # behind the text, which may go on from the page before
        for side in (False, True):
            part = [a for a in atoms if (middle_of(a) < margin) == side]
            _split(part, _bounds(part), size, rtl, columns, 1)
    elif own is None and usual is not None and _begun(atoms, usual, size):
        for side in (True, False)[:: -1 if rtl else 1]:
            part = [a for a in atoms if (middle_of(a) < usual) == side]
            _split(part, _bounds(part), size, rtl, columns, 1)
    else:
        _split(list(atoms), _bounds(atoms), size, rtl, columns, 0)
    out: list[Ordered] = []
    for number, (column, left, right) in enumerate(columns):
        aside = margin is not None and right < margin
        out.extend(Ordered(a.key, left, right, number, aside) for a in _down(column, rtl))
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
        if last and not atom.solid and not last[0].solid and are_level(last[0].box, atom.box):
            last.append(atom)
        else:
            rows.append([atom])
    return [a for row in rows for a in sorted(row, key=lambda a: -a.box.x1 if rtl else a.box.x0)]


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
    held: list[Atom] = []
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
