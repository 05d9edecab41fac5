from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from reportlab.pdfgen.canvas import Canvas

from quire.pdf import tables
from quire.pdf.layout.profile import Profile
from tests.pdf.tabled import raw_pages

WORD = st.text("abcdefghijklmnopqrstuvwxyzABCDEFG<&>0123456789.%", min_size=1, max_size=6).filter(
    lambda w: any(c.isalnum() for c in w)
)
CELL = st.lists(WORD, min_size=1, max_size=2).map(" ".join)
HEIGHT = 842


@st.composite
def grids(draw: st.DrawFn, least: int = 2) -> list[list[str]]:
    columns = draw(st.integers(least, 4))
    return draw(st.lists(st.lists(CELL, min_size=columns, max_size=columns), min_size=3, max_size=8))


def drawn(rows: list[list[str]], path: Path, *, boxed: bool) -> None:
    canvas = Canvas(str(path), pagesize=(595, HEIGHT), invariant=1)
    columns, width, step, top = len(rows[0]), 125, 15, 100
    canvas.setFont("Helvetica", 9)
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            canvas.drawString(60 + width * c + 4, HEIGHT - (top + step * r + 11), text)
    right, bottom = 60 + width * columns, top + step * len(rows)
    levels = range(len(rows) + 1) if boxed else (0, 1, len(rows))
    for r in levels:
        canvas.line(60, HEIGHT - (top + step * r), right, HEIGHT - (top + step * r))
    for c in range(columns + 1) if boxed else ():
        canvas.line(60 + width * c, HEIGHT - top, 60 + width * c, HEIGHT - bottom)
    canvas.save()


def read_back(rows: list[list[str]], *, boxed: bool) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grid.pdf"
        drawn(rows, path, boxed=boxed)
        (page,) = raw_pages(path)
    (table,) = tables.find(page, (), Profile())
    found = [[""] * table.grid.columns for _ in range(table.grid.rows)]
    for cell in table.grid.cells:
        found[cell.row][cell.col] = cell.text
    return found


@settings(max_examples=30, deadline=None, derandomize=True)
@given(grids())
def test_a_boxed_grid_comes_back(rows: list[list[str]]) -> None:
    assert read_back(rows, boxed=True) == rows


@settings(max_examples=30, deadline=None, derandomize=True)
@given(grids(least=3))
def test_a_grid_between_three_lines_comes_back(rows: list[list[str]]) -> None:
    assert read_back(rows, boxed=False) == rows
