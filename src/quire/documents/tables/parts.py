"""Tables that hold several with columns of their own, "(a)" above "(b)", under one caption."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.documents.raw import Edges, joined
from quire.documents.tables.grid import Cell, Grid, stacked
from quire.documents.tables.reading import read_grid
from quire.documents.tables.rules import Stroke
from quire.documents.tables.tokens import Row, Token, rows_of

_MARK = re.compile(r"^\([b-h]\)(?:\s|$)")
LEAST = 3  # rows of a part
GAP = 1.1  # em between pieces of a row that are cells of their own


def read_parts(
    tokens: Sequence[Token], across: Sequence[Stroke], down: Sequence[Stroke], box: Edges
) -> Grid | None:
    """The grid of a table; its parts are read one by one and stand in it below each other."""
    rows = rows_of(tokens)
    marks = [k for k, row in enumerate(rows) if _is_mark(row, box)]
    edges = [-1, *marks, len(rows)]
    if not marks or any(b - a <= LEAST for a, b in zip(edges, edges[1:], strict=False)):
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
        if whole is None:
            whole = part
        else:
            whole = stacked(_titled(whole, rows[start]), part)
    return replace(whole, box=box) if whole else None


def _is_mark(row: Row, box: Edges) -> bool:
    """A mark alone in the middle of its row, not a label in the first column."""
    pieces = row.pieces(space=GAP)
    text = " ".join(t.text for t in row.tokens)
    return len(pieces) == 1 and bool(_MARK.match(text)) and row.x0 > box.x0 + 0.15 * box.width


def _titled(grid: Grid, row: Row) -> Grid:
    text = joined([w for t in row.tokens for w in t.words])
    title = Cell(grid.rows, 0, grid.rows, grid.columns - 1, text)
    return replace(grid, rows=grid.rows + 1, cells=(*grid.cells, title))
