"""Table finders behind one shape: quire and the libraries it is compared with.

Each tool is a function `(pdf, regions) -> found regions`: with `regions=None` it searches the whole file;
with gold regions it is told the box of each table and returns one table (or nothing) for each of them, in
order. A library that cannot be imported is left out and named. Defaults of each library are kept, except
for what is said beside the tool's name. Tools that look for drawn lines are told the box with a margin of
3 points, because the gold boxes hug the text and leave the outer lines out (without it they lose up to
half of their recall).
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from icdar2013 import Cell, Edges, Region
from quire.pdf import tables
from quire.pdf.floats import scan
from quire.pdf.guard import Guard
from quire.pdf.layout.headers_footers import with_heads
from quire.pdf.layout.profile import measure
from quire.pdf.pdfium.reader import open_pdf
from quire.pdf.raw import Edges as Box

MARGIN = 3.0

Tool = Callable[[Path, Sequence[Region] | None], list[Region]]


def available() -> tuple[dict[str, Tool], list[str]]:
    """The tools that can run here, and the names of the libraries that are missing."""
    tools: dict[str, Tool] = {"quire": grids}
    missing = []
    for module, entries in RIVALS.items():
        if importlib.util.find_spec(module) is None:
            missing.append(module)
        else:
            tools.update(entries)
    return tools, missing


def from_boxes(page: int, box: Edges, cells: Iterable[tuple[Edges, str]]) -> Region:
    """A grid from cell boxes: rows and columns are the gaps between the distinct edges."""
    cells = list(cells)
    xs = _edges(x for (x0, _, x1, _), _ in cells for x in (x0, x1))
    ys = _edges(y for (_, y0, _, y1), _ in cells for y in (y0, y1))
    placed = []
    for (x0, y0, x1, y1), text in cells:
        row, col = _nearest(ys, y0), _nearest(xs, x0)
        placed.append(
            Cell(text or "", row, col, max(row, _nearest(ys, y1) - 1), max(col, _nearest(xs, x1) - 1))
        )
    return Region(page, box, tuple(placed))


def _padded(box: Edges) -> Edges:
    return box[0] - MARGIN, box[1] - MARGIN, box[2] + MARGIN, box[3] + MARGIN


def _edges(values: Iterable[float], tolerance: float = 1.0) -> list[float]:
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > tolerance:
            kept.append(value)
    return kept


def _nearest(edges: list[float], value: float) -> int:
    return min(range(len(edges)), key=lambda i: abs(edges[i] - value))


# --------------------------------------------------------------------------- quire


def grids(pdf: Path, regions: Sequence[Region] | None) -> list[Region]:
    """Quire's tables of a file, found or in the given regions."""
    with open_pdf(pdf) as file:
        pages = list(file.pages(limit=2000))
    if regions is not None:
        return [_grid(r.page, tables.read(pages[r.page - 1], Box(*r.box)), r) for r in regions]
    views = scan(with_heads(pages), measure(pages), Guard())
    return [_grid(v.page.number, t.grid, None) for v in views for t in v.tables]


def _grid(page: int, grid: tables.Grid | None, wanted: Region | None) -> Region:
    if grid is None:
        return Region(page, wanted.box if wanted else (0.0, 0.0, 0.0, 0.0))
    cells = tuple(Cell(c.text, c.row, c.col, c.row_end, c.col_end) for c in grid.cells)
    return Region(page, tuple(grid.box), cells)


# --------------------------------------------------------------------------- PyMuPDF and pdfplumber


def _by_page(
    opened: Callable[[Path], AbstractContextManager[Sequence[Any]]],
    search: Callable[[Any, Edges | None], Iterable[Any]],
) -> Tool:
    """A tool that searches a page, or a box of it, for tables with rows of boxes."""

    def run(pdf: Path, regions: Sequence[Region] | None) -> list[Region]:
        with opened(pdf) as pages:
            if regions is None:
                return [_drawn(n, each) for n, page in enumerate(pages, 1) for each in search(page, None)]
            found = [(r, search(pages[r.page - 1], _padded(r.box))) for r in regions]
            return [_largest([_drawn(r.page, each) for each in own], r) for r, own in found]

    return run


def _drawn(page: int, table: Any) -> Region:
    cells = [
        (tuple(box), text)
        for row, line in zip(table.rows, table.extract(), strict=True)
        for box, text in zip(row.cells, line, strict=True)
        if box is not None
    ]
    return from_boxes(page, tuple(table.bbox), cells)


@contextmanager
def _mupdf_pages(pdf: Path) -> Iterator[Sequence[Any]]:
    import pymupdf

    with pymupdf.open(pdf) as document:
        yield list(document)


def _mupdf(strategy: str) -> Tool:
    return _by_page(_mupdf_pages, lambda page, box: page.find_tables(strategy=strategy, clip=box).tables)


@contextmanager
def _plumber_pages(pdf: Path) -> Iterator[Sequence[Any]]:
    import pdfplumber

    with pdfplumber.open(pdf) as document:
        yield document.pages


def _plumber(strategy: str) -> Tool:
    settings = {"vertical_strategy": strategy, "horizontal_strategy": strategy}

    def search(page: Any, box: Edges | None) -> Iterable[Any]:
        if box:
            x0, top, x1, bottom = box
            inside = (max(x0, 0), max(top, 0), min(x1, page.width), min(bottom, page.height))
            page = page.crop(inside, strict=False)
        return list(page.find_tables(settings))

    return _by_page(_plumber_pages, search)


# --------------------------------------------------------------------------- camelot


def _camelot(flavor: str, keyword: str) -> Tool:
    def run(pdf: Path, regions: Sequence[Region] | None) -> list[Region]:
        import camelot

        heights = _heights(pdf)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if regions is None:
                tables = camelot.read_pdf(str(pdf), pages="all", flavor=flavor)
                return [_camelot_region(t, heights) for t in tables]
            found = []
            for region in regions:
                x0, top, x1, bottom = _padded(region.box) if keyword == "table_regions" else region.box
                height = heights[region.page]
                area = {keyword: [f"{x0},{height - top},{x1},{height - bottom}"]}
                tables = camelot.read_pdf(str(pdf), pages=str(region.page), flavor=flavor, **area)
                found.append(_largest([_camelot_region(t, heights) for t in tables], region))
        return found

    return run


def _heights(pdf: Path) -> dict[int, float]:
    import pypdfium2

    with pypdfium2.PdfDocument(pdf) as document:
        return {number: page.get_height() for number, page in enumerate(document, 1)}


def _camelot_region(table: Any, heights: dict[int, float]) -> Region:
    height = heights[table.page]
    x0, low, x1, high = table._bbox
    return Region(table.page, (x0, height - high, x1, height - low), tuple(_camelot_cells(table)))


def _camelot_cells(table: Any) -> Iterable[Cell]:
    # Camelot keeps every slot of a merged cell and marks the borders that are not drawn.
    rows, columns = len(table.cells), len(table.cells[0]) if table.cells else 0
    seen: set[tuple[int, int]] = set()
    for r in range(rows):
        for c in range(columns):
            if (r, c) in seen:
                continue
            right, down = c, r
            while right + 1 < columns and not table.cells[r][right].right:
                right += 1
            while down + 1 < rows and not table.cells[down][c].bottom:
                down += 1
            slots = [(i, j) for i in range(r, down + 1) for j in range(c, right + 1) if (i, j) not in seen]
            seen.update(slots)
            yield Cell(" ".join(table.cells[i][j].text for i, j in slots), r, c, down, right)


# --------------------------------------------------------------------------- choosing


def _largest(found: list[Region], wanted: Region) -> Region:
    def area(region: Region) -> float:
        x0, top, x1, bottom = region.box
        return (x1 - x0) * (bottom - top)

    return max(found, key=area, default=Region(wanted.page, wanted.box))


RIVALS: dict[str, dict[str, Tool]] = {
    "pymupdf": {
        "PyMuPDF find_tables": _mupdf("lines"),
        "PyMuPDF find_tables (text)": _mupdf("text"),
    },
    "pdfplumber": {"pdfplumber": _plumber("lines"), "pdfplumber (text)": _plumber("text")},
    "camelot": {
        "camelot lattice": _camelot("lattice", "table_regions"),
        "camelot stream": _camelot("stream", "table_areas"),
        "camelot network": _camelot("network", "table_areas"),
        "camelot hybrid": _camelot("hybrid", "table_regions"),
    },
}
