"""Parts of one table are one: side by side, in the next column, on the next page; what is none has no row."""

from __future__ import annotations

from pathlib import Path

from quire.pdf.equations import find
from tests.pdf.paper import Paper, words
from tests.pdf.tabled import cells, floats_of, paper_with_text, raw_pages, rule

ROWS = [
    ["Stone", "Weight", "Depth"],
    ["granite", "2.7", "14"],
    ["basalt", "3.0", "25"],
    ["chalk", "2.3", "9"],
]
XS = [80.0, 150.0, 230.0]


def column(paper: Paper, x: float, seed: int, last: float) -> None:
    """Running text in a column 220 points wide, down to a height."""
    while paper.y < last:
        paper.text(words(24, seed), x=x, width=220)
        seed += 1


def test_a_table_that_heads_the_next_column_without_a_title_goes_on_there(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    column(paper, 60, 1, 560)
    paper.gap(14)
    paper.line("Table 1. Stones", x=60, size=9)
    cells(
        paper,
        [*ROWS, *([f"stone {k}", f"{k}.5", f"{k}"] for k in range(10, 16))],
        (62, 140, 220),
        paper.y + 8,
    )
    cells(paper, [[f"stone {k}", f"{k}.5", f"{k}"] for k in range(16, 30)], (322, 400, 480), 110)
    paper.gap(20)
    column(paper, 320, 5, 700)
    (table,) = floats_of(paper.save()).tables
    stones = [c.text for c in table.cells if c.column == 0]
    assert table.label == "Table 1"
    assert stones == ["Stone", "granite", "basalt", "chalk", *(f"stone {k}" for k in range(10, 30))]


def test_a_table_over_two_columns_of_text_is_not_cut_at_their_gutter(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.line("Table 1. Stones", x=60, size=9)
    xs = (62, 120, 180, 235, 322, 380, 440, 500)
    rows = [[f"{a}.{b}" for b in range(1, 9)] for a in range(11, 21)]
    cells(paper, rows, xs, paper.y + 8)
    start = paper.y + 20
    for x in (60, 320):
        paper.y = start
        column(paper, x, int(x), 700)
    (table,) = floats_of(paper.save()).tables
    assert (table.label, max(c.column for c in table.cells)) == ("Table 1", 7)


def test_a_masthead_and_what_a_program_prints_are_no_tables(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    for y in (60.0, 75.0, 120.0):
        rule(paper, 75, 520, y)
    cells(paper, [["Journal", "of", "Stones"], ["2017", "7", "97"], ["2018", "8", "98"]], XS, 72)
    paper.gap(60)
    paper.line("Stones of the river", size=16)
    paper.text(words(160, 3))
    paper.gap(20)
    top = paper.y
    for y in (top, top + 15, top + 75):
        rule(paper, 75, 320, y)
    for k, row in enumerate([*ROWS, ["slate", "2.8", "7"]]):
        for text, x in zip(row, XS, strict=True):
            paper.line(text, x=x, y=top + 11 + 14 * k, size=9, face="c")
    assert floats_of(paper.save()).tables == ()


def test_lines_of_figures_that_fill_their_column_are_text(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    figures = (
        "= 7.54 (d, J = 8.2, 2H, Hz), 7.42 (d, J = 8.3, 1H, H4), 7.24 (m, 3H, H6), 6.41 (d, J = 7.8, 1H)"
    )
    for k in range(4):
        paper.line(f"{k} {figures}; 5.9", size=10)
    (page,) = raw_pages(paper.save())
    full = [line for line in page.lines if "8.2" in line.text]
    assert len(full) == 4
    assert find(page, ()) == []
