"""quire's table finder in the shape of `table_tools.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from icdar2013 import Cell, Region
from quire.pdf import tables
from quire.pdf.floats import scan
from quire.pdf.guard import Guard
from quire.pdf.layout.headers_footers import with_heads
from quire.pdf.layout.profile import measure
from quire.pdf.pdfium.reader import open_pdf
from quire.pdf.raw import Edges


def grids(pdf: Path, regions: Sequence[Region] | None) -> list[Region]:
    """Tables of a file, found or in the given regions."""
    with open_pdf(pdf) as file:
        pages = list(file.pages(limit=2000))
    if regions is not None:
        return [_region(r.page, tables.read(pages[r.page - 1], Edges(*r.box)), r) for r in regions]
    views = scan(with_heads(pages), measure(pages), Guard())
    return [_region(v.page.number, t.grid, None) for v in views for t in v.tables]


def _region(page: int, grid: tables.Grid | None, wanted: Region | None) -> Region:
    if grid is None:
        return Region(page, wanted.box if wanted else (0.0, 0.0, 0.0, 0.0))
    cells = tuple(Cell(c.text, c.row, c.col, c.row_end, c.col_end) for c in grid.cells)
    return Region(page, tuple(grid.box), cells)
