r"""The lines of the pages on which a paper tells of itself: one text in which what is found knows its place.

printed = Printed(pages, first=1)
match = next(printed.find(re.compile(r"Received:?\s(\d.*)")))
printed.place("received", match.start(), match.end())        # Place(page=1, bbox=..., field="received", ...)
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from quire.pdf.joining import tidy
from quire.pdf.raw import Line, RawPage
from quire.types import Box, Place

_FRONT, _BACK = 2, 3  # pages at the beginning and at the end


class FrontLines:
    """The first two and last three pages, line by line in the order of the file."""

    def __init__(self, pages: Sequence[RawPage], first: int, hidden: Sequence[tuple[int, Line]] = ()) -> None:
        """Read on from page `first`; hidden lines, with their pages, are left out."""
        own = [page for page in pages if page.number >= first]
        chosen = own[:_FRONT] + own[max(_FRONT, len(own) - _BACK) :]
        gone = defaultdict[int, list[Line]](list)
        for page_number, line in hidden:
            gone[page_number].append(line)
        self.lines: list[tuple[int, Line]] = [
            (page.number, line)
            for page in chosen
            for line in page.lines
            if not any(
                abs(line.baseline - round(other.baseline)) < 2
                and other.x0 - 1 <= line.x0
                and line.x1 <= other.x1 + 1
                for other in gone[page.number]
            )
        ]
        self._starts: list[int] = []
        parts: list[str] = []
        at = 0
        for _, line in self.lines:
            self._starts.append(at)
            parts.append(line.text)
            at += len(line.text) + 1
        self.text = "\n".join(parts)

    def find(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """All matches in the order of the file."""
        return pattern.finditer(self.text)

    def place(self, field: str, start: int, end: int) -> Place:
        """The place of a stretch of the text: its lines on the page where it begins."""
        first = bisect.bisect_right(self._starts, start) - 1
        last = max(first, bisect.bisect_left(self._starts, end) - 1)
        page, line = self.lines[first]
        box = box_of(line)
        for number, other in self.lines[first + 1 : last + 1]:
            if number == page:
                box = box.union(box_of(other))
        return Place(page, box, field, tidy(" ".join(self.text[start:end].split())))

    def at(self, start: int) -> tuple[int, Line]:
        """The page and the line in which a letter of the text stands."""
        return self.lines[bisect.bisect_right(self._starts, start) - 1]


def box_of(line: Line) -> Box:
    """The box of a line."""
    return Box.from_edges(line.x0, line.y0, line.x1, line.y1)
