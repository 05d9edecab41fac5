"""Pages on which one pair of columns stands above another: "Article info" beside an abstract, text below.

The gutter that most lines stand beside is then that of one of them, and the lines of the other cross it.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.layout.gutters import Atom, crosses, find_gutter

_GAP = 0.8  # em of blank over the whole width that parts the two
_APART = 3.0  # em between their gutters
_FEWEST = 3  # lines of each that cross the gutter of the other
_TRIED = 4  # blanks, the highest first: a map with thousands of labels has hundreds
_FOOT = 0.25  # share of the lower lines that may cross their own gutter: a licence under the text


def stacked(atoms: Sequence[Atom], gutter: float, size: float) -> tuple[list[Atom], list[Atom]] | None:
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
        if _parted(order[:at], order[at:], gutter, size):
            return order[:at], order[at:]
    return None


def _parted(upper: Sequence[Atom], lower: Sequence[Atom], gutter: float, size: float) -> bool:
    """Whether both parts have a gutter, each crossed by lines of the other only."""
    found = [find_gutter(part, size) for part in (upper, lower)]
    one, other = found
    if one is None or other is None or abs(one - other) < _APART * size:
        return False
    if min(abs(one - gutter), abs(other - gutter)) > size:
        return False
    return (
        sum(crosses(a, other, size) for a in lower) <= _FOOT * len(lower)
        and sum(crosses(a, one, size) for a in lower) >= _FEWEST
        and sum(crosses(a, other, size) for a in upper) >= _FEWEST
    )
