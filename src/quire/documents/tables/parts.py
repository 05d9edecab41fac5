"""Tables that hold several with columns of their own, "(a)" above "(b)", under one caption."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.documents.raw import Edges, joined
from quire.documents.tables.grid import Cell, Grid, stacked, without_empty
from quire.documents.tables.reading import read_grid
from quire.documents.tables.rules import Stroke
from quire.documents.tables.tokens import Token, TokenRow, box_of, rows_of

_MARK = re.compile(r"^\([b-h]\)(?:\s|$)")
LEAST = 3  # rows of a part
GAP = 1.1  # em between pieces of a row that are cells of their own


def read_parts(
    tokens: Sequence[Token], across: Sequence[Stroke], down: Sequence[Stroke], box: Edges
) -> Grid | None:
    """The grid of a table; its parts are read one by one and stand in it below each other."""
    rows = rows_of(tokens)
    edges = _edges(rows, box)
    if len(edges) < 3:
        return read_grid(tokens, across, down, box)
    whole: Grid | None = None
    for start, end in zip(edges, edges[1:], strict=False):
        top = rows[start].y1 if start >= 0 else box.y0
        bottom = rows[end].y0 if end < len(rows) else box.y1
        mine = [t for row in rows[start + 1 : end] for t in row.tokens]
        part = read_grid(
            mine,
            [s for s in across if top - 2 <= s.at <= bottom + 2],
            [s for s in down if s.low < bottom and s.high > top],
            Edges(box.x0, top, box.x1, bottom),
        )
        if part is None:
            continue
        whole = stacked(_titled(whole, rows[start]), part) if whole else part
    return replace(whole, box=box) if whole else None


def divided(grid: Grid, tokens: Sequence[Token]) -> list[tuple[str, Grid]]:
    """The parts of a grid that `read_parts` made of `tokens`, each with its mark ("" for the first)."""
    rows = rows_of(tokens)
    edges = _edges(rows, grid.box)
    alone = [c for c in grid.cells if len(grid.row_cells(c.row)) == 1]
    titles = [c.row for c in alone if c.col == 0 and c.col_end > 0 and _MARK.match(c.text)]
    if len(edges) < 3 or len(titles) != len(edges) - 2:
        return [("", grid)]
    parts = []
    levels = [-1, *titles, grid.rows]
    for k, (start, end) in enumerate(zip(edges, edges[1:], strict=False)):
        above, below = levels[k], levels[k + 1]
        box = box_of([t for row in rows[start + 1 : end] for t in row.tokens])
        cells = tuple(
            replace(c, row=c.row - above - 1, row_end=c.row_end - above - 1)
            for c in grid.cells
            if above < c.row < below
        )
        head = grid.header_rows if k == 0 else 1
        part = without_empty(Grid(box, below - above - 1, grid.columns, cells, head))
        parts.append((_text(rows[start]) if start >= 0 else "", part))
    return parts


def _edges(rows: Sequence[TokenRow], box: Edges) -> list[int]:
    """The rows with marks, and what lies before the first and after the last row."""
    marks = [k for k, row in enumerate(rows) if _is_mark(row, box)]
    edges = [-1, *marks, len(rows)]
    close = any(b - a <= LEAST for a, b in zip(edges, edges[1:], strict=False))
    return [-1, len(rows)] if close else edges


def _is_mark(row: TokenRow, box: Edges) -> bool:
    """A mark alone in the middle of its row, not a label in the first column."""
    pieces = row.pieces(space=GAP)
    return len(pieces) == 1 and bool(_MARK.match(_text(row))) and row.x0 > box.x0 + 0.15 * box.width


def _titled(grid: Grid, row: TokenRow) -> Grid:
    box = box_of(row.tokens)
    title = Cell(grid.rows, 0, grid.rows, grid.columns - 1, _text(row), box=box)
    return replace(grid, rows=grid.rows + 1, cells=(*grid.cells, title))


def _text(row: TokenRow) -> str:
    return joined([w for t in row.tokens for w in t.words])
