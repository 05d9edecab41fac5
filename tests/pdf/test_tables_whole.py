"""Tables are found whole: over pages, at their edges, sideways."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.pdf import parse
from tests.pdf.paper import HEIGHT, Paper, words
from tests.pdf.tabled import bar, cells, floats_of, paper_with_text, rule

ROWS = [["Stone", "Weight", "Colour"], ["granite", "2.7", "grey"], ["basalt", "3.0", "black"]]
MORE = [ROWS[0], ["slate", "2.8", "blue"], ["gneiss", "2.7", "grey"]]
XS = [80.0, 180.0, 260.0]


def ruled(paper: Paper, rows: list[list[str]]) -> float:
    """A table between three lines at the paper's place; gives the y of the last line."""
    top = paper.y + 4
    rule(paper, 75, 320, top)
    rule(paper, 75, 320, top + 15)
    bottom = cells(paper, rows, XS, top + 11) - 9
    rule(paper, 75, 320, bottom)
    return bottom


@pytest.mark.parametrize("again", ["Table 1. Cont.", "Continued Table 1", "Table 1", "Table 1 (continued)"])
def test_parts_of_one_table_are_joined_whatever_they_call_themselves(tmp_path: Path, again: str) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    for label, rows in (("Table 1. Stones", ROWS), (again, MORE)):
        paper.line(label, size=9)
        ruled(paper, rows)
        paper.page()
        paper.text(words(80, 9))
        paper.gap(14)
    (table,) = floats_of(paper.save()).tables
    assert [c.text for c in table.cells if c.column == 0] == ["Stone", "granite", "basalt", "slate", "gneiss"]


def test_the_caption_of_a_sideways_table_may_stand_in_the_margin(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.page()
    canvas = paper.canvas
    canvas.translate(40, 200)
    canvas.rotate(90)
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(0, 0, "Table 1: Stones")
    for k, row in enumerate([*ROWS, *MORE[1:]]):
        for text, x in zip(row, (5, 100, 180), strict=True):
            canvas.drawString(x, -20 - 14 * k, text)
    for y in (-9, -24, -82):
        canvas.line(0, y, 240, y)
    (table,) = floats_of(paper.save()).tables
    assert (table.page, table.label) == (2, "Table 1")


def test_the_last_row_at_the_foot_of_a_page_is_no_page_number(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.y = HEIGHT - 96
    paper.line("Table 1. Numbers", size=9)
    top = paper.y + 4
    xs = (80, 160, 240, 320, 400)
    for y in (top, top + 15, top + 46):
        rule(paper, 75, 450, y)
    rows = [["Name", "a", "b", "c", "d"], ["one", "1", "2", "3", "4"], ["two", "500", "250", "500", "125"]]
    cells(paper, rows, xs, top + 11)
    (table,) = floats_of(paper.save()).tables
    assert "<td>two</td><td>500</td><td>250</td><td>500</td><td>125</td>" in table.html


def test_running_text_above_a_line_is_no_row(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1. Stones", size=8)
    paper.y = ruled(paper, ROWS) + 30
    for k in range(5):
        paper.line("The stone of the", x=80, size=11)
        paper.y -= 1.2 * 11
        paper.line(f"river is grey {k}", x=210, size=11)
    rule(paper, 75, 320, paper.y + 10)
    (table,) = floats_of(paper.save()).tables
    assert len({c.row for c in table.cells}) == 3


def test_a_frame_around_the_head_alone_takes_the_rows_below(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1. Stones", size=9)
    top = paper.y + 4
    for y in (top, top + 14):
        rule(paper, 75, 320, y)
    for x in (75, 170, 250, 320):
        bar(paper, x, top, top + 14)
    cells(paper, [*ROWS, *MORE[1:]], XS, top + 11, step=11)
    (table,) = floats_of(paper.save()).tables
    assert table.html.count("<tr>") == 5


def test_marks_of_a_list_are_in_the_cell_of_their_text(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1. Aims", size=9)
    top = paper.y + 4
    for y in (top, top + 15, top + 30, top + 45):
        rule(paper, 75, 400, y)
    rows = [
        ["Kind", "", "Aim"],
        ["first", "1.", "Throwing of stones"],
        ["second", "2.", "Counting of stones"],
    ]
    cells(paper, rows, (80, 180, 200), top + 11, step=15)
    (table,) = floats_of(paper.save()).tables
    assert "<td>second</td><td>2. Counting of stones</td>" in table.html


def test_lines_around_the_head_alone_take_the_rows_below(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1. Stones", size=9)
    top = paper.y + 4
    for y in (top, top + 15):
        rule(paper, 75, 320, y)
    rows = [*ROWS, *MORE[1:], ["chalk", "2.3", "white"]]
    paper.y = cells(paper, rows[:1], XS, top + 11) + 4
    paper.y = cells(paper, rows[1:], XS, paper.y, step=24) + 30
    paper.text(words(60, 4))
    (table,) = floats_of(paper.save()).tables
    assert [c.text for c in table.cells if c.column == 0] == [row[0] for row in rows]


def test_columns_of_text_below_a_table_without_a_last_line_are_none_of_its_rows(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.line("Table 1. Stones", size=9)
    top = paper.y + 4
    for y in (top, top + 15):
        rule(paper, 42, 553, y)
    rows = [*ROWS, *MORE[1:]]
    below = cells(paper, rows, (44, 220, 400), top + 11) + 12
    for column, x in enumerate((42, 217, 392)):
        if column:
            paper.y = below
            paper.text(words(220, column), x=x, width=161, size=9)
        else:
            paper.text(words(150, 9), x=x, width=161, size=9)
    (table,) = floats_of(paper.save()).tables
    assert [c.text for c in table.cells if c.column == 0] == [row[0] for row in rows]


def test_a_caption_at_the_foot_of_a_page_names_the_table_at_the_head_of_the_next(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1. Stones", y=HEIGHT - 130, size=9)
    paper.page()
    ruled(paper, ROWS)
    (table,) = floats_of(paper.save()).tables
    assert (table.label, table.page) == ("Table 1", 1)
    assert {c.page for c in table.cells} == {2}


def test_a_table_that_goes_on_in_the_next_column_is_one(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y + 4
    for x, rows in ((75, ROWS), (320, [ROWS[0], ["(Continued from previous column)", "", ""], *MORE[1:]])):
        for y in (top, top + 15, top + 60):
            rule(paper, x, x + 200, y)
        cells(paper, rows, (x + 5, x + 80, x + 140), top + 11)
    paper.line("Table 1. Stones", x=320, y=top + 72, size=9)
    (table,) = floats_of(paper.save()).tables
    assert {c.text for c in table.cells if c.column == 0} >= {"Stone", "granite", "basalt", "slate", "gneiss"}
    assert table.label == "Table 1"


def test_notes_within_the_lines_of_a_table_do_not_hide_its_columns(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1. Stones", size=9)
    top = paper.y + 4
    for y in (top, top + 15, top + 120):
        rule(paper, 75, 320, y)
    paper.y = cells(paper, [*ROWS, *MORE[1:]], XS, top + 11)
    paper.text(words(60, 4), x=78, width=235, size=8)
    (table,) = floats_of(paper.save()).tables
    assert table.html.count("<tr>") == 5
    assert "<td>gneiss</td><td>2.7</td><td>grey</td>" in table.html


@pytest.mark.parametrize(
    "first", ["t = trace", "* P < 0.05 against the first boat", "Note: hulls without sails"]
)
def test_notes_in_body_type_under_a_table_are_no_text(tmp_path: Path, first: str) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1. Boats", size=10)
    rows = [["Boat", "Sails", "Length"], *([f"Hull {k}", str(k), f"{k}.5"] for k in range(1, 7))]
    rule(paper, 72, 400, paper.y)
    below = cells(paper, rows, [80, 200, 320], paper.y + 14)
    rule(paper, 72, 400, below - 8)
    paper.line(first, y=below + 6)
    paper.gap(14)
    paper.text(words(60, 3))
    document = parse(paper.save())
    body = "\n".join(paragraph.text for section in document.sections for paragraph in section.paragraphs)
    assert [table.label for table in document.tables] == ["Table 1"]
    assert first not in body
    assert words(60, 3)[:40] in body
    assert first in document.pages[0].text
