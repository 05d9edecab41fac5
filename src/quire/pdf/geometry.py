"""How things on a page stand to each other: tests that all parts of this room share; pages turned upright.

What has edges (lines, words, boxes, drawings, rules) can be compared with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol, TypeVar

from quire.pdf.raw import DESCENT, Edges, Glyph, Line, RawPage, Word, make_line
from quire.types import Box

CLOSE, LOOSE = 1.45, 1.9  # em between the baselines of one paragraph or cell, of one heading or list
SAME = 0.04  # share of its size by which the type of one text may differ
SMALLER, LARGER = 0.94, 1.12  # times the size of running text: notes are smaller, titles are larger
LEVEL = 0.36  # em: baselines nearer than this are one row
HEAD, FOOT = 0.125, 0.1  # of the page's height, in which headers and footers stand
MASTHEAD = 0.2  # of the height of the first page, in which its masthead stands
SENTENCE, PROSE = 5, 6  # words that make a line running text; one among figures, a row among cells
T = TypeVar("T")


class Placed(Protocol):
    """Whatever has edges, in points from the top left: lines, words, drawings, cells, formulas."""

    @property
    def x0(self) -> float: ...  # noqa: D102 - the names say it
    @property
    def y0(self) -> float: ...  # noqa: D102
    @property
    def x1(self) -> float: ...  # noqa: D102
    @property
    def y1(self) -> float: ...  # noqa: D102


def edges_of(one: Placed) -> Edges:
    """Its box."""
    return Edges(one.x0, one.y0, one.x1, one.y1)


def rounded(edges: Edges) -> Box:
    """A box as documents hold it."""
    x0, y0, x1, y1 = edges
    return Box.from_edges(round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))


def same_size(one: float, other: float) -> bool:
    """Whether two sizes of type are those of one text."""
    return abs(one - other) <= SAME * one


def shared_width(one: Placed, other: Placed) -> float:
    """Over how much of their width one stands over the other; negative is a gap."""
    return min(one.x1, other.x1) - max(one.x0, other.x0)


def shared_height(one: Placed, other: Placed) -> float:
    """Over how much of their height they stand side by side; negative is a gap."""
    return min(one.y1, other.y1) - max(one.y0, other.y0)


def overlap(one: Placed, other: Placed) -> float:
    """The area that they share."""
    return max(0.0, shared_width(one, other)) * max(0.0, shared_height(one, other))


def are_level(one: Placed, other: Placed, share: float = 0.6) -> bool:
    """Whether they stand on one height, by that share of the lower one."""
    return shared_height(one, other) > share * min(one.y1 - one.y0, other.y1 - other.y0)


def are_stacked(one: Placed, other: Placed) -> bool:
    """Whether one stands over the other, by half the width of the narrower."""
    return shared_width(one, other) > 0.5 * min(one.x1 - one.x0, other.x1 - other.x0)


def touch(one: Placed, other: Placed, slack: float = 0.0) -> bool:
    """Whether they meet, or are nearer to each other than the slack."""
    across = one.x0 < other.x1 + slack and other.x0 < one.x1 + slack
    return across and one.y0 < other.y1 + slack and other.y0 < one.y1 + slack


def is_within(one: Placed, box: Placed, slack: float = 0.0) -> bool:
    """Whether all of it is in the box, but for the slack."""
    across = box.x0 - slack <= one.x0 and one.x1 <= box.x1 + slack
    return across and box.y0 - slack <= one.y0 and one.y1 <= box.y1 + slack


def centre_in(one: Placed, box: Placed, slack: float = 0.0) -> bool:
    """Whether the middle of something is in the box."""
    x, y = (one.x0 + one.x1) / 2, (one.y0 + one.y1) / 2
    return box.x0 - slack <= x <= box.x1 + slack and box.y0 - slack <= y <= box.y1 + slack


def at_edge(one: Placed, page: RawPage, head: float = HEAD, foot: float = FOOT) -> bool:
    """Whether it stands in these shares of the page's height, at its head or foot."""
    return one.y1 < head * page.height or one.y0 > (1 - foot) * page.height


def on_one_baseline(one: Line, other: Line) -> bool:
    """Whether two lines are pieces of one row."""
    return abs(one.baseline - other.baseline) < LEVEL * one.size


def stands_on(glyph: Glyph, line: Line) -> bool:
    """Whether a sign is one of those of a line."""
    return line.x0 - 1 < glyph.x0 < line.x1 and abs(glyph.baseline - line.baseline) < 1


def column_edges(box: Placed, page: RawPage) -> tuple[float, float]:
    """Left and right limit of the columns in which a box stands; the page's gutters part them."""
    edges = (0.0, *page.gutters, page.width)
    low = max((e for e in edges if e < box.x0 + 8), default=0.0)
    high = min((e for e in edges if e > box.x1 - 8), default=page.width)
    return low, high


def around(placed: Iterable[Placed]) -> Edges:
    """The box around all of them."""
    x0, y0, x1, y1 = zip(*[(one.x0, one.y0, one.x1, one.y1) for one in placed], strict=True)
    return Edges(min(x0), min(y0), max(x1), max(y1))


def runs(items: Iterable[T], joins: Callable[[list[T], T], bool]) -> list[list[T]]:
    """Items in their order, parted where one does not join the run of those before it."""
    found: list[list[T]] = []
    for item in items:
        if found and joins(found[-1], item):
            found[-1].append(item)
        else:
            found.append([item])
    return found


def parted(items: Iterable[T], told: Callable[[T], bool]) -> tuple[list[T], list[T]]:
    """The items of which something can be told, and the others."""
    yes: list[T] = []
    no: list[T] = []
    for item in items:
        (yes if told(item) else no).append(item)
    return yes, no


class Groups:
    """The numbers from 0, each in a group of its own until it is joined to others."""

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))

    def join(self, one: int, other: int) -> None:
        """Make one group of the groups of both."""
        self._parent[self._root(one)] = self._root(other)

    def members(self) -> list[list[int]]:
        """The groups, each in order, by their first members."""
        groups: dict[int, list[int]] = {}
        for i in range(len(self._parent)):
            groups.setdefault(self._root(i), []).append(i)
        return list(groups.values())

    def _root(self, i: int) -> int:
        while self._parent[i] != i:
            self._parent[i] = self._parent[self._parent[i]]
            i = self._parent[i]
        return i


def rotated(page: RawPage, angle: int) -> RawPage:
    """The page with the text of that angle (90: upwards, 270: downwards) upright; other text is left out."""

    def turn(box: Placed) -> Edges:
        return _turned(box, page.width, page.height, angle)

    def turned_line(line: Line) -> Line:
        words = [_upright(word, turn(word)) for word in line.words]
        main = next((w for w in words if w.script == 0), words[0])
        return make_line(words, line.size, main.baseline)

    return replace(
        page,
        width=page.height,
        height=page.width,
        lines=tuple(turned_line(line) for line in page.lines if line.angle == angle),
        rules=tuple(map(turn, page.rules)),
        pictures=tuple(map(turn, page.pictures)),
        drawings=tuple(map(turn, page.drawings)),
        shades=tuple(map(turn, page.shades)),
    )


def rotated_back(box: Edges, page: RawPage, angle: int) -> Edges:
    """A box of a rotated view on the page itself."""
    return _turned(box, page.height, page.width, 360 - angle)


def _turned(box: Placed, width: float, height: float, angle: int) -> Edges:
    if angle == 90:
        return Edges(height - box.y1, box.x0, height - box.y0, box.x1)
    return Edges(box.y0, width - box.x1, box.y1, width - box.x0)


def _upright(word: Word, box: Edges) -> Word:
    x0, y0, x1, y1 = box
    return word._replace(x0=x0, y0=y0, x1=x1, y1=y1, baseline=y1 - DESCENT * word.size, angle=0)
