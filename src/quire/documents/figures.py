"""Figures: pictures and drawings with the words in them, found beside their captions.

find(page, captions, tables, profile)[0].caption.label     # 'Figure 2'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.documents.captions import Caption
from quire.documents.layout.profile import Profile
from quire.documents.raw import Edges, RawPage
from quire.types import Box, Image


@dataclass(frozen=True, slots=True)
class FoundFigure:
    """A figure on its page. `box` holds what is drawn, not the caption."""

    page: int
    box: Edges
    caption: Caption | None = None

    def image(self, box: Edges) -> Image:
        """The figure as the document holds it, in a box of the page as displayed."""
        label, text = (self.caption.label, self.caption.text) if self.caption else ("", "")
        return Image(self.page, Box.from_edges(*(round(v, 2) for v in box)), label, text)


def find(
    page: RawPage, captions: Sequence[Caption], tables: Sequence[Edges], profile: Profile
) -> list[FoundFigure]:
    """The figures of a page."""
    own = [c for c in captions if c.kind == "figure"]
    return [FoundFigure(page.number, c.box, c) for c in own]
