"""Gutters: vertical strips that few lines cross and that have lines side by side left and right of them."""

from __future__ import annotations

import bisect
import itertools
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from quire.pdf.geometry import are_level
from quire.pdf.raw import Edges

_GAP = 0.8  # em of blank over the whole width that parts the two
_APART = 3.0  # em between their gutters
_FEWEST = 3  # lines of each that cross the gutter of the other
_TRIED = 4  # blanks, the highest first: a map with thousands of labels has hundreds
_FOOT = 0.25  # share of the lower lines that may cross their own gutter: a licence under the text


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


_TEXT = 6  # lines of a text beside its margin, at least
_LABEL = 0.12  # of the width: what is narrower is no column, but labels of a list
MOST_STARTS = 60  # xs that are tried; a map with thousands of labels has hundreds, a page of text a dozen


def find_gutter(atoms: Sequence[FlowItem], size: float) -> float | None:
    """The x that best parts the atoms into two columns, or None."""
    if len(atoms) < 6:
        return None
    left_edge, right_edge = min(a.box.x0 for a in atoms), max(a.box.x1 for a in atoms)
    width = right_edge - left_edge
    starts = Counter(round(a.box.x0 / 2) * 2 for a in atoms)
    best, best_pairs = None, 0
    nearby = {x: n + starts.get(x - 2, 0) + starts.get(x + 2, 0) for x, n in starts.items()}
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
    return one is not None and other is not None and abs(one - other) >= _APART * size
