"""The rows of a document in reading order: what `blocks.py` puts together into paragraphs.

A row is one visual line of one column. Tables, figures and captions (the caller knows their boxes) are
kept out of the flow but keep their place in the page's readable text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.documents.layout.columns import Ordered, reading_order
from quire.documents.layout.furniture import Furniture
from quire.documents.layout.gutters import Atom
from quire.documents.layout.profile import Profile
from quire.documents.raw import Edges, Line, RawPage, centre_in, make_line


@dataclass(frozen=True, slots=True)
class Row:
    """A visual line with the edges of its column. `column` is unique on the page; `aside` is its margin."""

    line: Line
    page: int
    left: float
    right: float
    column: int
    aside: bool = False

    @property
    def text(self) -> str:
        """As readable text."""
        return self.line.text


@dataclass(frozen=True, slots=True)
class Piece:
    """Something readable on a page: a row, a line of furniture, or a line of a float (its `box`)."""

    text: str
    row: Row | None = None
    box: Edges | None = None
    line: Edges | None = None


@dataclass(frozen=True, slots=True)
class PageFlow:
    """One page: the rows of running text, and everything readable on it in order."""

    number: int
    rows: tuple[Row, ...]
    floats: tuple[tuple[int, Edges], ...]  # (rows before it, box) for each float
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The pieces, a line each."""
        return "\n".join(piece.text for piece in self.pieces)


def flow(
    page: RawPage,
    floats: Sequence[Edges],
    furniture: Furniture,
    profile: Profile,
    gutter: float | None = None,
) -> PageFlow:
    """Put one page in order. `floats` are the boxes of tables, figures and captions, or parts of them.

    `gutter` is where most pages of the document have theirs.
    """
    boxes = _disjoint(floats)
    heads, inside, atoms = _parted(page, boxes, furniture)
    rows: list[Row] = []
    placed: list[tuple[int, Edges]] = []
    pieces = [Piece(page.lines[i].text) for i in heads if page.lines[i].y1 < page.height / 2]
    row: list[Line] = []
    last: Ordered | None = None
    for at in reading_order(atoms, profile.size, rtl=profile.rtl, usual=gutter):
        if at.key < 0:
            _close(row, last, page, rows, pieces)
            placed.append((len(rows), boxes[-1 - at.key]))
            for text, line_box in _float_lines(page, inside.get(-1 - at.key, ())):
                pieces.append(Piece(text, box=boxes[-1 - at.key], line=line_box))
            continue
        line = page.lines[at.key]
        if row and (last is None or last.column != at.column or _parts(row[-1], line, profile.size)):
            _close(row, last, page, rows, pieces)
        row.append(line)
        last = at
    _close(row, last, page, rows, pieces)
    pieces += [Piece(page.lines[i].text) for i in heads if page.lines[i].y1 >= page.height / 2]
    return PageFlow(page.number, tuple(rows), tuple(placed), tuple(pieces))


def _parted(
    page: RawPage, boxes: Sequence[Edges], furniture: Furniture
) -> tuple[list[int], dict[int, list[int]], list[Atom]]:
    """Lines that are furniture or turned, the lines in each box, and what is to be put in order."""
    inside: dict[int, list[int]] = {}
    heads: list[int] = []
    atoms: list[Atom] = []
    for index, line in enumerate(page.lines):
        if (page.number, index) in furniture:
            heads.append(index)
            continue
        owner = next((k for k, box in enumerate(boxes) if centre_in(line, box, 1)), None)
        if owner is not None:
            inside.setdefault(owner, []).append(index)
        elif line.angle == 0:
            atoms.append(Atom(Edges(line.x0, line.y0, line.x1, line.y1), index, False))
        else:
            heads.append(index)
    atoms += [Atom(box, -1 - k, True) for k, box in enumerate(boxes)]
    return heads, inside, atoms


def _close(
    row: list[Line], last: Ordered | None, page: RawPage, rows: list[Row], pieces: list[Piece]
) -> None:
    if not row or last is None:
        return
    line = row[0] if len(row) == 1 else _joined(row)
    rows.append(Row(line, page.number, last.left, last.right, last.column, last.aside))
    pieces.append(Piece(line.text, rows[-1]))
    row.clear()


def _joined(pieces: Sequence[Line]) -> Line:
    main = max(pieces, key=lambda p: len(p.words) and sum(len(w.text) for w in p.words))
    return make_line([w for p in pieces for w in p.words], main.size, main.baseline)


_LARGER = 1.25  # ratio of sizes from which on a label beside a title is a row of its own,
_LABEL_GAP = 0.4  # em of the title's type between them
_DISPLAY = 1.5  # body sizes from which on type is displayed, and parted at gaps
_DISPLAY_GAP = 1.2  # em of that width, but behind numbers


def _parts(one: Line, other: Line, size: float) -> bool:
    """Whether two pieces are rows of their own: not on one level, or a label beside a title."""
    if not _level(one, other):
        return True
    small, large = sorted((one.size, other.size))
    gap = max(other.x0 - one.x1, one.x0 - other.x1)
    if large > _LARGER * small and gap > _LABEL_GAP * large:
        return True
    numbered = one.text.strip(". ").replace(".", "").isdecimal()
    return small > _DISPLAY * size and gap > _DISPLAY_GAP * large and not numbered


def _level(one: Line, other: Line) -> bool:
    overlap = min(one.y1, other.y1) - max(one.y0, other.y0)
    return overlap > 0.6 * min(one.y1 - one.y0, other.y1 - other.y0)


def _disjoint(floats: Sequence[Edges]) -> list[Edges]:
    """Boxes that overlap (a figure and its caption's box) become one."""
    boxes: list[Edges] = []
    for box in floats:
        merged = box
        again = True
        while again:
            again = False
            for other in boxes:
                if _overlap(merged, other):
                    boxes.remove(other)
                    merged = merged.union(other)
                    again = True
                    break
        boxes.append(merged)
    return boxes


def _overlap(one: Edges, other: Edges) -> bool:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    return (
        across > 2
        and down > 1
        and across * down > 0.25 * min(one.width * one.height, other.width * other.height)
    )


def _float_lines(page: RawPage, indices: Sequence[int]) -> list[tuple[str, Edges]]:
    lines = sorted((page.lines[i] for i in indices), key=lambda p: (round(p.y1 / 3), p.x0))
    out: list[tuple[str, Edges]] = []
    last: Line | None = None
    for line in lines:
        box = Edges(line.x0, line.y0, line.x1, line.y1)
        if last is not None and _level(last, line):
            text, before = out[-1]
            out[-1] = (f"{text} {line.text}", before.union(box))
        else:
            out.append((line.text, box))
        last = line
    return out
