from __future__ import annotations

from pathlib import Path

from quire.pdf.floats import FoundFloats
from quire.types import Table
from tests.pdf.paper import HEIGHT, Paper
from tests.pdf.tabled import bar, cells, floats_of, paper_with_text, rule


def finished(paper: Paper, path: Path) -> FoundFloats:
    paper.save()
    return floats_of(path)


def the_table(floats: FoundFloats) -> Table:
    (table,) = floats.tables
    return table


def test_numbers_without_lines_keep_head_groups_and_broken_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    paper = paper_with_text(path)
    rows = [
        ["", "Total", "Urban", "Rural"],
        ["State", "area", "housing", "housing"],
        ["North", "", "", ""],
        ["Maine", "1,320", "512", "808"],
        ["Vermont", "2,110", "1,004", "1,106"],
        ["South", "", "", ""],
        ["Texas and its", "", "", ""],
        ["islands", "9,120", "8,004", "1,116"],
        ["Georgia", "3,313", "2,200", "1,113"],
    ]
    cells(paper, rows, (80, 220, 300, 380), paper.y + 20, step=11)
    table = the_table(finished(paper, path))
    assert "<th>Total area</th><th>Urban housing</th><th>Rural housing</th>" in table.html
    assert "<td>North</td>" in table.html
    assert "<td>Georgia</td><td>3,313</td>" in table.html


def test_signs_in_columns_of_their_own_belong_to_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "b.pdf"
    paper = paper_with_text(path)
    rows = [
        ["Fund", "Income", "", "Share", ""],
        ["Schools", "$", "1,320", "41.5", "%"],
        ["Roads", "$", "2,110", "22.0", "%"],
        ["Total", "$", "3,430", "63.5", "%"],
    ]
    cells(paper, rows, (80, 200, 220, 320, 350), paper.y + 20)
    table = the_table(finished(paper, path))
    assert "<td>$ 2,110</td><td>22.0 %</td>" in table.html


def test_words_between_vertical_lines_are_rows_without_lines_between_them(tmp_path: Path) -> None:
    path = tmp_path / "c.pdf"
    paper = paper_with_text(path)
    paper.line("Table 1: Kinds of values.", x=80, y=paper.y + 10, size=9)
    top = paper.y + 24
    rows = [
        ["Kind", "Holds", "Used for"],
        ["flag", "one bit", "switches"],
        ["word", "letters", "names"],
        ["list", "values", "queues"],
        ["tree", "branches", "indexes"],
    ]
    for x in (76, 196, 296, 420):
        bar(paper, x, top, top + 5 * 12 + 2)
    for y in (top, top + 14, top + 5 * 12 + 2):
        rule(paper, 76, 420, y)
    cells(paper, rows, (80, 200, 300), top + 10, step=12)
    table = the_table(finished(paper, path))
    assert "<tr><td>list</td><td>values</td><td>queues</td></tr>" in table.html


def test_framed_words_are_no_table(tmp_path: Path) -> None:
    path = tmp_path / "d.pdf"
    paper = paper_with_text(path)
    top = paper.y + 10
    for x in (76, 480):
        bar(paper, x, top, top + 50)
    for y in (top, top + 50):
        rule(paper, 76, 480, y)
    cells(paper, [["Theorem 1", ""], ["a)", "Every group acts"], ["which is so.", ""]], (80, 120), top + 14)
    assert finished(paper, path).tables == ()


def test_parts_under_one_caption_are_tables_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "e.pdf"
    paper = paper_with_text(path)
    paper.line("Table 2: Cases.", x=80, y=paper.y + 10, size=9)
    top = paper.y + 20
    first = [["Author", "Age", "Sex"], ["Smith", "41", "f"], ["Jones", "52", "m"], ["Brown", "63", "f"]]
    second = [["Scan", "Drug", "Dose", "End"], ["CT", "none", "0", "well"], ["MRI", "new", "5", "ill"]]
    second += [["CT", "old", "10", "well"]]
    rule(paper, 76, 480, top)
    cells(paper, first, (80, 240, 400), top + 12)
    paper.line("(b)", x=270, y=top + 68, size=9)
    cells(paper, second, (80, 180, 290, 420), top + 82)
    for y in (top + 16, top + 58, top + 72, top + 86, top + 130):
        rule(paper, 76, 480, y)
    one, two = finished(paper, path).tables
    assert (one.label, two.label) == ("Table 2", "Table 2")
    assert two.caption.endswith("(b)")
    assert "<td>Jones</td><td>52</td><td>m</td>" in one.html
    assert "<td>MRI</td><td>new</td><td>5</td><td>ill</td>" in two.html


def test_heads_that_run_upwards_name_their_columns(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1: Who may do what", y=200)
    names, lefts = ("Reading", "Writing", "Nobody"), (200, 250, 300)
    for x in (72, 190, 240, 290, 340):
        bar(paper, x, 206, 360)
    for y in (206, 280, 300, 320, 340, 360):
        rule(paper, 72, 340, y)
    paper.line("Action", x=80, y=220)
    for name, x in zip(names, lefts, strict=True):
        paper.canvas.saveState()
        paper.canvas.translate(x + 20, HEIGHT - 275)
        paper.canvas.rotate(90)
        paper.canvas.drawString(0, 0, name)
        paper.canvas.restoreState()
    for k, action in enumerate(("open", "close", "lock", "move")):
        paper.line(action, x=80, y=294 + 20 * k)
        paper.line("X", x=210 + 50 * (k % 2), y=294 + 20 * k)  # nobody may do anything
    table = the_table(floats_of(paper.save()))
    head = {cell.column: cell.text for cell in table.cells if cell.row == 0}
    assert head == {0: "Action", 1: "Reading", 2: "Writing", 3: "Nobody"}
    assert all(cell.head == (cell.row == 0) for cell in table.cells)
