"""What is put in reading order: lines, and tables and figures as a whole, by their boxes."""

from __future__ import annotations

from typing import NamedTuple

from quire.documents.raw import Edges


class Atom(NamedTuple):
    """Something to be put in order: a line, or a table or figure as a whole."""

    box: Edges
    key: int  # the caller's own
    solid: bool  # a table, figure or picture


def are_level(one: Edges, other: Edges) -> bool:
    """Whether two boxes stand on one height."""
    overlap = min(one.y1, other.y1) - max(one.y0, other.y0)
    return overlap > 0.6 * min(one.height, other.height)


def middle_of(atom: Atom) -> float:
    """Its middle, from left to right."""
    return (atom.box.x0 + atom.box.x1) / 2


def crosses(atom: Atom, gutter: float, size: float) -> bool:
    """Whether it stands on both sides of a gutter, by more than an em."""
    return atom.box.x0 < gutter - size and atom.box.x1 > gutter + size
