"""The result of reading a table: cells with spans on a grid; and parts of one table put together.

Parts are those of a page, of its next column, of the pages behind.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from quire.pdf.captions import Caption
from quire.pdf.geometry import around, overlap, rounded, shared_height
from quire.pdf.raw import Edges, RawPage
from quire.pdf.vocabulary import CONTINUED
from quire.pdf.writers.grids import tagged
from quire.types import Table, TableCell

_CONTINUED = re.compile(rf"(?:^|[\s(]){CONTINUED}[.)]*$", re.IGNORECASE)
_FROM = re.compile(r"^\(?(?:table \w+ )?continued from (?:the )?(?:previous|preceding) column", re.IGNORECASE)
_LONG = 40  # points: shorter lines are no text
_NEAR = 80.0  # points between two parts of a table on one page, below or beside each other
_HEADS = 2  # rows that one of two parts side by side may have more than the other
_LEVEL = 0.75  # share of the height of the higher of two parts side by side


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and what it covers: rows `row` to `row_end`, columns `col` to `col_end`, both ends included.

    `box` holds its text, on the page `page` where that is not the page on which the table begins.
    """

    row: int
    col: int
    row_end: int
    col_end: int
    text: str
    bold: bool = False
    box: Edges | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells in row order. The first `header_rows` rows are the table's head. Empty slots have no cell."""

    box: Edges
    rows: int
    columns: int
    cells: tuple[Cell, ...]
    header_rows: int = 0

    @property
    def filled(self) -> float:
        """Share of the slots that hold text."""
        covered = sum((c.row_end - c.row + 1) * (c.col_end - c.col + 1) for c in self.cells if c.text)
        return covered / max(1, self.rows * self.columns)

    def row_cells(self, row: int) -> list[Cell]:
        """Cells that begin in a row."""
        return [c for c in self.cells if c.row == row]


def without_empty(grid: Grid) -> Grid:
    """The grid without the rows and columns in which no text begins or ends."""
    filled = [c for c in grid.cells if c.text]
    rows = _kept([(c.row, c.row_end) for c in filled])
    columns = _kept([(c.col, c.col_end) for c in filled])
    cells = [
        replace(
            c, row=bisect_left(rows, c.row), col=bisect_left(columns, c.col),
            row_end=bisect_right(rows, c.row_end) - 1, col_end=bisect_right(columns, c.col_end) - 1,
        )
        for c in filled
    ]  # fmt: skip
    cells.sort(key=lambda c: (c.row, c.col))
    return Grid(grid.box, len(rows), len(columns), tuple(cells), bisect_left(rows, grid.header_rows))


def _kept(spans: Sequence[tuple[int, int]]) -> list[int]:
    """The lines where something stands, in order; a span alone keeps its first line."""
    used = {first for first, last in spans if first == last}
    for first, last in spans:
        if used.isdisjoint(range(first, last + 1)):
            used.add(first)
    return sorted(used)


def stacked(above: Grid, below: Grid) -> Grid:
    """Two parts of one table as one; a head that is repeated is left out."""
    skip = below.header_rows if _texts(above, above.header_rows) == _texts(below, below.header_rows) else 0
    moved = [
        replace(c, row=c.row - skip + above.rows, row_end=c.row_end - skip + above.rows)
        for c in below.cells
        if c.row >= skip
    ]
    rows = above.rows + below.rows - skip
    return replace(
        above, rows=rows, columns=max(above.columns, below.columns), cells=above.cells + tuple(moved)
    )


def _texts(grid: Grid, rows: int) -> list[str]:
    return [c.text for c in grid.cells if c.row < rows]


def to_html(grid: Grid) -> str:
    """The table as one `<table>` element; empty slots are empty cells.

    >>> to_html(Grid(Edges(0, 0, 1, 1), 1, 1, (Cell(0, 0, 0, 0, "a<b"),)))
    '<table><tbody><tr><td>a&lt;b</td></tr></tbody></table>'
    """
    return tagged(table_cells(grid, 0), grid.rows, grid.columns, grid.header_rows)


def table_cells(grid: Grid, page: int) -> tuple[TableCell, ...]:
    """The cells as documents hold them, of a table that begins on that page."""
    return tuple(
        TableCell(
            c.page or page, rounded(c.box or grid.box), c.row, c.col, c.row_end, c.col_end, c.text,
            c.row < grid.header_rows,
        )
        for c in grid.cells
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table on its page; the box of its grid holds its cells, not its caption."""

    page: int
    grid: Grid
    caption: Caption | None = None
    confidence: float | None = None  # that it is one, where no caption says so

    @property
    def box(self) -> Edges:
        """Around its cells."""
        return self.grid.box

    def moved(self, to: Callable[[Edges], Edges]) -> FoundTable:
        """The table with every box of it replaced."""
        cells = tuple(replace(c, box=to(c.box) if c.box else None) for c in self.grid.cells)
        return replace(self, grid=replace(self.grid, box=to(self.box), cells=cells))

    def table(self) -> Table:
        """As a view of the document."""
        return Table(
            page=self.page,
            bbox=rounded(self.box),
            label=self.caption.label if self.caption else "",
            caption=self.caption.text if self.caption else "",
            html=to_html(self.grid),
            cells=table_cells(self.grid, self.page),
            confidence=self.confidence,
        )


def _placed(table: FoundTable) -> tuple[Cell, ...]:
    """Its cells, told where they stand, for a table that begins on an earlier page."""
    return tuple(replace(c, page=c.page or table.page) for c in table.grid.cells)


def joined(above: FoundTable, below: FoundTable) -> FoundTable:
    """A table with the part of it that stands on a later page; place and caption are those of the first."""
    return replace(above, grid=stacked(above.grid, replace(below.grid, cells=_placed(below))))


def begun(table: FoundTable) -> FoundTable:
    """A table whose caption was left at the foot of the page before begins there."""
    caption = table.caption
    if caption is None or caption.page == table.page:
        return table
    return replace(table, page=caption.page, grid=replace(table.grid, box=caption.box, cells=_placed(table)))


def whole_on_page(
    found: Sequence[FoundTable], read: Callable[[Edges], Grid | None], walls: Sequence[Edges]
) -> list[FoundTable]:
    """The tables of a page; what was read as two side by side, or over a line, is one if it is one grid."""
    out = sorted(found, key=lambda t: t.caption is None)
    for part in [t for t in out if t.caption is None]:
        for first in [t for t in out if t.caption]:
            if not (_is_beside(first.box, part.box) or _is_below(first.box, part.box)):
                continue
            box = around((first.box, part.box))
            others = [*walls, *(t.box for t in out if t is not first and t is not part)]
            inner = [w for w in others if overlap(w, box) > 0 and not _same_box(w, first.box, part.box)]
            grid = None if inner else read(box)
            if grid and _fits(first, part, grid):
                whole = replace(first, grid=grid)
                out = [whole if t is first else t for t in out if t is not part]
                break
    return out


def _same_box(wall: Edges, *boxes: Edges) -> bool:
    """A wall that is the outline of a table itself."""
    return any(overlap(wall, box) > 0.5 * wall.width * wall.height for box in boxes)


def _is_beside(one: Edges, other: Edges) -> bool:
    gap = max(one.x0 - other.x1, other.x0 - one.x1)
    return 0 <= gap < _NEAR and shared_height(one, other) > _LEVEL * max(one.height, other.height)


def _is_below(one: Edges, other: Edges) -> bool:
    return other.x0 > one.x0 - 6 and other.x1 < one.x1 + 6 and 0 <= other.y0 - one.y1 < _NEAR


def _fits(first: FoundTable, part: FoundTable, grid: Grid) -> bool:
    """Whether the grid of both has the columns of both."""
    if _is_beside(first.box, part.box):
        level = abs(first.grid.rows - part.grid.rows) <= _HEADS
        return level and grid.columns >= first.grid.columns + part.grid.columns - 1
    return grid.columns == first.grid.columns


def _in_next_column(first: FoundTable, part: FoundTable, page: RawPage) -> bool:
    """The part heads the column behind the one at whose foot the other ends, and is as wide."""
    one, other = first.box, part.box
    gutter = next((x for x in page.gutters if one.x1 - 8 < x < other.x0 + 8), None)
    if gutter is None or part.caption or first.grid.columns != part.grid.columns:
        return False
    return abs(one.width - other.width) < 0.1 * one.width


def _says_so(first: FoundTable, part: FoundTable) -> bool:
    """The part is called that of another column, and has the head of the other."""
    one, other = ([c.text for c in table.grid.row_cells(0)] for table in (first, part))
    return first.caption is None and one == other and any(_FROM.match(c.text) for c in part.grid.cells)


def in_columns(parts: Sequence[FoundTable], page: RawPage) -> list[FoundTable]:
    """The tables of a page; one that goes on in another column is joined to its beginning."""
    out = list(parts)
    for part in parts:
        others = [t for t in out if t is not part]
        first = next((t for t in others if _in_next_column(t, part, page) or _says_so(t, part)), None)
        if first:
            whole = replace(joined(first, part), caption=first.caption or part.caption)
            out = [whole if t is first else t for t in others]
    return out


def goes_on(last: FoundTable, before: RawPage, first: FoundTable, page: RawPage) -> bool:
    """The last table of a page and one without caption at the head of the next have the same columns."""
    foot = max((line.y1 for line in before.lines if line.x1 - line.x0 > _LONG), default=0.0)
    own = [p for p in page.lines if p.x1 - p.x0 > _LONG and not _CONTINUED.search(p.text)]
    head = min((line.y0 for line in own), default=first.box.y0)
    return (
        first.caption is None
        and page.number == before.number + 1
        and last.grid.columns == first.grid.columns
        and abs(last.box.x0 - first.box.x0) < 12
        and abs(last.box.x1 - first.box.x1) < 30
        and foot < last.box.y1 + 30
        and head > first.box.y0 - 12
    )


def left_at_foot(captions: Sequence[Caption], found: Sequence[FoundTable], page: RawPage) -> Caption | None:
    """The caption of a table that stands on the next page: the last thing on its own."""
    last = max(captions, key=lambda c: c.box.y1, default=None)
    if last is None or last.kind != "table" or any(t.caption is last for t in found):
        return None
    room = last.box.y1 + 3 * last.size  # for the table's first row, which may have stayed with it
    return None if any(line.y0 > room for line in page.upright) else last


def heads_page(table: FoundTable, page: RawPage) -> bool:
    """The table has no caption and nothing stands above it."""
    own = [line for line in page.upright if line.x1 - line.x0 > _LONG]
    return table.caption is None and not any(line.y1 < table.box.y0 for line in own)


def over_pages(found: Sequence[FoundTable]) -> list[FoundTable]:
    """Tables in page order; parts that say so, or repeat the label without a title, become one."""
    whole: list[FoundTable] = []
    for table in sorted(found, key=lambda t: (t.page, bool(t.caption and t.caption.continued))):
        caption = table.caption
        again = caption and (caption.continued or len(caption.text) <= len(caption.label) + 1)
        for k, first in enumerate(whole):
            if caption and again and first.caption and first.caption.label == caption.label:
                whole[k] = joined(first, table)
                break
        else:
            whole.append(table)
    return whole
