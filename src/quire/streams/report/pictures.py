"""Pictures of evidence out of a library, for a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from quire.streams.report.question import Picture
from quire.types import Box

_AROUND = 48.0  # points around the evidence, so that a single cell is seen in its table


class Renders(Protocol):
    """What a library offers for this."""

    def render(
        self, paper: str, page: int, *, box: Box | None = None, marks: Sequence[Box] = (), dpi: float = 150
    ) -> bytes:
        """A PNG of a page, or of a box of it."""
        ...


def pictures_of(library: Renders, *, dpi: float = 80) -> Picture:
    """A picture of each piece of evidence with its surroundings, the evidence marked."""

    def picture(paper: str, page: int, box: Box | None) -> bytes | None:
        if page < 1:
            return None  # metadata stands on no page
        if box is None:
            return library.render(paper, page, dpi=dpi)
        x0, y0 = max(0.0, box.x0 - _AROUND), max(0.0, box.y0 - _AROUND)
        part = Box.from_edges(x0, y0, box.x1 + _AROUND, box.y1 + _AROUND)
        return library.render(paper, page, box=part, marks=(box,), dpi=dpi)

    return picture
