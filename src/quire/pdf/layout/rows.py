"""The rows of a document in reading order: what `blocks.py` puts together into paragraphs.

A row is one visual line of one column. Tables, figures and captions (the caller knows their boxes) are
kept out of the flow but keep their place in the page's readable text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.pdf.geometry import (
    LOOSE,
    are_level,
    around,
    centre_in,
    edges_of,
    overlap,
    rounded,
    runs,
    same_size,
)
from quire.pdf.layout.columns import FlowItem, Ordered, reading_order
from quire.pdf.layout.profile import Profile
from quire.pdf.raw import Edges, Line, RawPage, make_line
from quire.types import Box

LABELS = (
    "title",
    "author",
    "affiliation",  # and addresses of authors
    "abstract",
    "heading",
    "runin",  # a paragraph's first line that begins with a heading
    "para",  # first line of a paragraph
    "text",  # its further lines
    "float",  # captions, tables, figures and their notes, as far as they stand in the flow
    "note",  # footnotes
    "ref",  # first line of an entry of the list of references
    "ref2",  # its further lines
    "other",  # headers, footers, imprints, boxes of the publisher
)
"""What a row can be, in the order of the columns of a line classifier's output."""


@dataclass(frozen=True)
class Row:
    """A visual line with the edges of its column. `column` is unique on the page; `aside` is its margin.

    `label` is what it is, `scores` are the probabilities of all labels, once they are known.
    """

    line: Line
    page: int
    left: float
    right: float
    column: int
    aside: bool = False
    label: str = ""
    scores: tuple[float, ...] = ()

    def score(self, label: str) -> float:
        """The probability of a label, as far as the row alone tells."""
        return self.scores[LABELS.index(label)] if self.scores else float(label == self.label)

    @property
    def text(self) -> str:
        """As readable text."""
        return self.line.text

    def in_column_of(self, other: Row) -> bool:
        """Whether it stands in the column of another row."""
        return (other.page, other.column) == (self.page, self.column)

    def is_under(self, above: Row, reach: float = LOOSE) -> bool:
        """Whether it stands under another row of its column, less than so many em further down."""
        step = self.line.baseline - above.line.baseline
        return self.in_column_of(above) and 0 < step < reach * max(self.line.size, above.line.size)

    def is_like(self, other: Row) -> bool:
        """Whether it is set in type of the same size."""
        return same_size(self.line.size, other.line.size)

    @cached_property
    def box(self) -> Box:
        """Around its words."""
        return rounded(edges_of(self.line))


@dataclass(frozen=True, slots=True)
class PagePiece:
    """Something readable on a page: a row, a header or footer, or a line of a float (its `box`)."""

    text: str
    row: Row | None = None
    box: Edges | None = None
    line: Edges | None = None


@dataclass(frozen=True, slots=True)
class PageFlow:
    """One page: the rows of running text, and everything readable on it in order."""

    number: int
    rows: tuple[Row, ...]
    pieces: tuple[PagePiece, ...]

    @property
    def text(self) -> str:
        """The pieces, a line each."""
        return "\n".join(piece.text for piece in self.pieces)


def flow(page: RawPage, floats: Sequence[Edges], profile: Profile) -> PageFlow:
    """Put one page in order. `floats` are the boxes of tables, figures and captions, or parts of them."""
    boxes = _disjoint(floats)
    heads, inside, atoms = _parted(page, boxes)

    def joins(row: Sequence[Ordered], at: Ordered) -> bool:
        last = row[-1]
        in_line = last.key >= 0 and at.key >= 0 and last.column == at.column
        return in_line and not _parts(page.lines[last.key], page.lines[at.key])

    rows: list[Row] = []
    pieces = [PagePiece(page.lines[i].text) for i in heads if page.lines[i].y1 < page.height / 2]
    for group in runs(reading_order(atoms, profile.size, rtl=profile.rtl), joins):
        at = group[-1]
        if at.key < 0:
            box, lines = boxes[-1 - at.key], _float_lines(page, inside.get(-1 - at.key, ()))
            pieces += (PagePiece(text, box=box, line=line_box) for text, line_box in lines)
        else:
            line = _whole([page.lines[each.key] for each in group])
            rows.append(Row(line, page.number, at.left, at.right, at.column, at.aside))
            pieces.append(PagePiece(line.text, rows[-1]))
    pieces += [PagePiece(page.lines[i].text) for i in heads if page.lines[i].y1 >= page.height / 2]
    return PageFlow(page.number, tuple(rows), tuple(pieces))


def _parted(page: RawPage, boxes: Sequence[Edges]) -> tuple[list[int], dict[int, list[int]], list[FlowItem]]:
    """Headers, footers and turned lines, the lines in each box, and what is to be put in order."""
    inside: dict[int, list[int]] = {}
    heads: list[int] = []
    atoms: list[FlowItem] = []
    for index, line in enumerate(page.lines):
        if index in page.heads:
            heads.append(index)
            continue
        owner = next((k for k, box in enumerate(boxes) if centre_in(line, box, 1)), None)
        if owner is not None:
            inside.setdefault(owner, []).append(index)
        elif line.angle == 0:
            atoms.append(FlowItem(edges_of(line), index, False))
        else:
            heads.append(index)
    atoms += [FlowItem(box, -1 - k, True) for k, box in enumerate(boxes)]
    return heads, inside, atoms


def _whole(row: Sequence[Line]) -> Line:
    """The pieces of a row as one line."""
    if len(row) == 1:
        return row[0]
    main = max(row, key=lambda piece: sum(len(w.text) for w in piece.words))
    return make_line([w for piece in row for w in piece.words], main.size, main.baseline)


_LARGER = 1.25  # ratio of sizes from which on a label beside a title is a row of its own
_LABEL_GAP = 0.4  # em of the title's type between them


def _parts(one: Line, other: Line) -> bool:
    """Whether two pieces are rows of their own: not on one level, or a label beside a title."""
    if not are_level(one, other):
        return True
    small, large = sorted((one.size, other.size))
    gap = max(other.x0 - one.x1, one.x0 - other.x1)
    return large > _LARGER * small and gap > _LABEL_GAP * large


def _disjoint(floats: Sequence[Edges]) -> list[Edges]:
    """Boxes that overlap (a figure and its caption's box) become one."""
    boxes: list[Edges] = []
    for box in floats:
        while (other := next((each for each in boxes if _overlap(box, each)), None)) is not None:
            boxes.remove(other)
            box = around((box, other))
        boxes.append(box)
    return boxes


def _overlap(one: Edges, other: Edges) -> bool:
    smaller = min(one.width * one.height, other.width * other.height)
    return overlap(one, other) > 0.25 * smaller


def _float_lines(page: RawPage, indices: Sequence[int]) -> list[tuple[str, Edges]]:
    lines = sorted((page.lines[i] for i in indices), key=lambda p: (round(p.y1 / 3), p.x0))
    rows = runs(lines, lambda row, line: are_level(row[-1], line))
    return [(" ".join(line.text for line in row), around(row)) for row in rows]
