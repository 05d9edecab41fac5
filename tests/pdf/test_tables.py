from __future__ import annotations

from pathlib import Path

from quire.pdf import tables
from quire.pdf.captions import find as find_captions
from quire.pdf.layout.profile import measure
from quire.pdf.tables import FoundTable
from tests.pdf.paper import Paper, words
from tests.pdf.tabled import bar, cells, floats_of, paper_with_text, raw_pages, rule

ROWS = [
    ["Stone", "Weight", "Colour"],
    ["granite", "2.7", "grey"],
    ["basalt", "3.0", "black"],
    ["chalk", "2.3", ""],
]
XS = [80.0, 180.0, 260.0]


def found_in(paper: Paper) -> list[FoundTable]:
    pages = raw_pages(paper.save())
    profile = measure(pages)
    return [t for page in pages for t in tables.find(page, find_captions(page, profile), profile)]


def texts(table: FoundTable) -> list[list[str]]:
    grid = [[""] * table.grid.columns for _ in range(table.grid.rows)]
    for cell in table.grid.cells:
        grid[cell.row][cell.col] = cell.text
    return grid


def test_lines_all_around(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y
    cells(paper, ROWS, XS, top + 11)
    for k in range(5):
        rule(paper, 75, 320, top + 14 * k)
    for x in (75, 175, 255, 320):
        bar(paper, x, top, top + 56)
    (table,) = found_in(paper)
    assert texts(table) == ROWS
    assert table.grid.header_rows == 1
    assert table.caption is None
    assert 0.5 < (table.table().confidence or 0) <= 1


def test_three_lines_and_a_caption(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1: Stones", size=9)
    top = paper.y + 4
    rule(paper, 75, 320, top)
    rule(paper, 75, 320, top + 15)
    bottom = cells(paper, ROWS, XS, top + 11)
    rule(paper, 75, 320, bottom - 9)
    paper.y = bottom + 10
    paper.text(words(60, 4))
    (table,) = found_in(paper)
    assert table.caption is not None
    assert table.table().confidence is None, "its caption says that it is one"
    assert table.caption.label == "Table 1"
    assert texts(table) == ROWS


def test_no_lines_but_a_caption(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1: Stones", size=9)
    cells(paper, ROWS, XS, paper.y + 8)
    paper.gap(20)
    paper.text(words(60, 4))
    (table,) = found_in(paper)
    assert texts(table) == ROWS


def test_captions_below_their_tables_without_lines(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    for number in (1, 2, 3):
        rows = [
            ["Place", "Stones", "Width"],
            *([f"River {number}{k}", f"{13 * k}", f"{k}.7"] for k in range(6)),
        ]
        cells(paper, rows, [76, 200, 320], paper.y)
        paper.line(f"Table {number}: Stones of the rivers", y=paper.y + 8, size=9)
        paper.gap(14)
    paper.text(words(60, 3))
    found = [(t.caption.label if t.caption else "", texts(t)[1][0]) for t in found_in(paper)]
    assert found == [("Table 1", "River 10"), ("Table 2", "River 20"), ("Table 3", "River 30")]


def test_lines_between_groups_alone_tell_no_head_of_their_rows(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1: Stones", size=9)
    top = paper.y + 4
    rows = [["Place", "Stones", "Width"], *([f"River {k}", f"{13 * k}", f"{k}.7"] for k in range(8))]
    for line in (0, 4, 9):
        rule(paper, 75, 360, top + 14 * line)
    cells(paper, rows, [80, 180, 260], top + 11)
    (table,) = found_in(paper)
    assert table.grid.header_rows == 1
    assert texts(table) == rows


def test_a_continued_table_ends_above_running_text(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.page()
    paper.line("Table 1 (continued)", size=9)
    rows = [[f"River {k}", f"{13 * k}"] for k in range(8)]
    top = cells(paper, rows, [76, 200], paper.y + 8) + 20
    for x in (72, 305):
        paper.y = top
        paper.text(words(220, x), x=x, width=215)
    (table,) = found_in(paper)
    assert texts(table) == rows


def test_head_over_two_columns(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1: Stones", size=9)
    top = paper.y + 4
    rule(paper, 75, 340, top)
    paper.line("Upper river", x=195, y=top + 11, size=9)
    rule(paper, 175, 290, top + 14)
    rule(paper, 75, 340, top + 29)
    head = [["Stone", "mean", "max"]]
    bottom = cells(
        paper, [*head, ["granite", "2.7", "3.1"], ["basalt", "3.0", "3.3"]], [80, 190, 260], top + 25
    )
    rule(paper, 75, 340, bottom - 9)
    (table,) = found_in(paper)
    span = next(c for c in table.grid.cells if c.text == "Upper river")
    assert (span.row, span.col, span.col_end) == (0, 1, 2)
    assert table.grid.header_rows == 2
    assert [c.text for c in table.grid.row_cells(2)] == ["granite", "2.7", "3.1"]


def test_names_with_numbers_below_a_span_are_of_the_head(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1: Stones", size=9)
    top = paper.y + 4
    rule(paper, 75, 340, top)
    paper.line("Size (mm)", x=195, y=top + 11, size=9)
    rule(paper, 175, 340, top + 14)
    rows = [["", "C10", "C11", "C12"], ["granite", "2.7", "3.1", "4"], ["basalt", "3.0", "3.3", "5"]]
    bottom = cells(paper, rows, [80, 190, 220, 300], top + 25)
    rule(paper, 75, 340, bottom - 9)
    (table,) = found_in(paper)
    assert table.grid.header_rows == 2


def test_cell_of_two_lines_beside_centred_cells(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("Table 1: Stones", size=9)
    top = paper.y + 4
    rule(paper, 75, 340, top)
    cells(paper, [["Stone", "Weight"]], [80, 220], top + 11)
    rule(paper, 75, 340, top + 15)
    y = top + 27
    for name, kind, weight in (("granite", "of the Alps", "2.7"), ("basalt", "of the Eifel", "3.0")):
        paper.line(name, x=80, y=y, size=9)
        paper.line(kind, x=80, y=y + 10.5, size=9)
        paper.line(weight, x=220, y=y + 5.25, size=9)
        y += 24
    rule(paper, 75, 340, y - 5)
    (table,) = found_in(paper)
    assert texts(table) == [
        ["Stone", "Weight"],
        ["granite of the Alps", "2.7"],
        ["basalt of the Eifel", "3.0"],
    ]


def test_rows_told_apart_by_shading(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    top = paper.y
    for k in range(4):
        paper.canvas.setFillGray(0.9 if k % 2 else 0.8)
        paper.canvas.rect(75, 841.89 - top - 14 * (k + 1), 245, 14, stroke=0, fill=1)
    paper.canvas.setFillGray(0)
    cells(paper, ROWS, XS, top + 11)
    (table,) = found_in(paper)
    assert texts(table) == ROWS


def test_a_caption_parts_tables_with_shaded_rows(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    rows = [["Place", "Stones", "Width"], *([f"River {k}", f"{13 * k}", f"{k}.7"] for k in range(6))]
    for number in (1, 2):
        paper.line(f"Table {number}: Stones of the rivers by place and year", size=9)
        top = paper.y + 4
        for k in range(0, 7, 2):
            paper.canvas.setFillGray(0.9)
            paper.canvas.rect(75, 841.89 - top - 14 * (k + 1), 245, 14, stroke=0, fill=1)
        paper.canvas.setFillGray(0)
        cells(paper, rows, XS, top + 11)
        paper.gap(12)
    found = found_in(paper)
    assert [(t.caption.label if t.caption else "", texts(t)) for t in found] == [
        ("Table 1", rows),
        ("Table 2", rows),
    ]


def test_text_between_lines_and_frames_is_no_table(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    rule(paper, 72, 522, paper.y - 8)
    paper.text(words(150, 5))
    rule(paper, 72, 522, paper.y)
    paper.gap(20)
    paper.line("Algorithm 1: Throwing", size=9)
    top = paper.y + 2
    rule(paper, 75, 320, top)
    bottom = cells(paper, [["1:", "take a stone"], ["2:", "throw it"], ["3:", "repeat"]], [80, 100], top + 12)
    rule(paper, 75, 320, bottom)
    assert found_in(paper) == []


def test_sideways_table(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.page()
    canvas = paper.canvas
    canvas.saveState()
    canvas.translate(300, 200)
    canvas.rotate(90)
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(0, 60, "Table 1: Stones")
    for k, row in enumerate(ROWS):
        for text, x in zip(row, (5, 100, 180), strict=True):
            canvas.drawString(x, 40 - 14 * k, text)
    for y in (51, 36, -6):
        canvas.line(0, y, 240, y)
    canvas.restoreState()
    (table,) = floats_of(paper.save()).tables
    assert (table.page, table.label) == (2, "Table 1")
    assert "<td>granite</td><td>2.7</td><td>grey</td>" in table.html
    assert table.bbox.height > table.bbox.width
    granite = next(c for c in table.cells if c.text == "granite")
    assert granite.bbox.height > granite.bbox.width  # on the page as displayed
    assert table.bbox.x0 <= granite.bbox.x0 < granite.bbox.x1 <= table.bbox.x1


def test_table_that_goes_on_over_a_page(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    for label, rows in (
        ("Table 1: Stones", ROWS),
        ("Table 1: (continued)", [ROWS[0], ["slate", "2.8", "blue"]]),
    ):
        paper.line(label, size=9)
        top = paper.y + 4
        rule(paper, 75, 320, top)
        rule(paper, 75, 320, top + 15)
        bottom = cells(paper, rows, XS, top + 11)
        rule(paper, 75, 320, bottom - 9)
        paper.page()
        paper.text(words(80, 9))
        paper.gap(14)
    (table,) = floats_of(paper.save()).tables
    assert table.page == 1
    assert table.html.count("<tr>") == 5
    assert "slate" in table.html
    assert {c.page for c in table.cells} == {1, 2}
    slate = next(c for c in table.cells if c.text == "slate")
    assert (slate.page, slate.row, slate.head) == (2, 4, False)


def test_table_without_caption_that_goes_on_over_a_page(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    for y, rows in ((700.0, ROWS), (90.0, [["slate", "2.8", "blue"], ["gneiss", "2.7", "grey"]])):
        cells(paper, rows, XS, y + 11)
        for k in range(len(rows) + 1):
            rule(paper, 75, 320, y + 14 * k)
        for x in (75, 175, 255, 320):
            bar(paper, x, y, y + 14 * len(rows))
        paper.page()
    (table,) = floats_of(paper.save()).tables
    assert (table.page, table.html.count("<tr>")) == (1, 6)
