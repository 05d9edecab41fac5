"""Rows that belong together: a paragraph, a heading, an entry, over columns and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.documents.joining import join_marked, word_end
from quire.documents.layout.rows import Row
from quire.types import Box, TextLine


@dataclass(frozen=True)
class Block:
    """Rows that belong together, in one style."""

    rows: tuple[Row, ...]

    @property
    def page(self) -> int:
        """Where it begins."""
        return self.rows[0].page

    @cached_property
    def text(self) -> str:
        """Its rows as one text, without the hyphens of line ends."""
        return self._marked[0]

    @cached_property
    def _marked(self) -> tuple[str, list[int]]:
        return join_marked([row.line.text for row in self.rows])

    @property
    def lines(self) -> tuple[TextLine, ...]:
        """Where each of its rows stands; a word broken over two pages is on the first."""
        text, starts = self._marked
        before = (self.rows[0], *self.rows)
        return tuple(
            TextLine(row.page, box_of((row,)), start if row.page == above.page else word_end(text, start))
            for row, above, start in zip(self.rows, before, starts, strict=False)
        )

    @cached_property
    def size(self) -> float:
        """Of most of its characters."""
        return max(self.rows, key=lambda r: len(r.text)).line.size

    @cached_property
    def bold(self) -> float:
        """Share of its words that are bold."""
        return self._share("bold")

    @cached_property
    def italic(self) -> float:
        """Share of its words that are italic."""
        return self._share("italic")

    def _share(self, what: str) -> float:
        words = [w for row in self.rows for w in row.line.words if any(c.isalpha() for c in w.text)]
        return sum(1 for w in words if getattr(w, what)) / len(words) if words else 0.0

    @property
    def box(self) -> Box:
        """On the page where it begins."""
        return box_of(self.rows)

    @property
    def pages(self) -> tuple[int, ...]:
        """All pages that it touches."""
        return tuple(sorted({row.page for row in self.rows}))


def box_of(rows: Sequence[Row]) -> Box:
    """The box around the rows that stand in the column of the first."""
    first = rows[0]
    mine = [r.line for r in rows if r.page == first.page and r.column == first.column]
    return Box.from_edges(
        round(min(r.x0 for r in mine), 2), round(min(r.y0 for r in mine), 2),
        round(max(r.x1 for r in mine), 2), round(max(r.y1 for r in mine), 2),
    )  # fmt: skip
