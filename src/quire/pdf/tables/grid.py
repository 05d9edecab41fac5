"""The result of reading a table: cells with spans on a grid of rows and columns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.pdf.geometry import rounded
from quire.pdf.raw import Edges
from quire.pdf.writers.grids import tagged
from quire.types import TableCell


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
