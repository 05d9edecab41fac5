from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from quire.pdf.raw import Edges
from quire.pdf.tables import Cell, Grid, to_html
from quire.pdf.tables.grid import stacked, without_empty

BOX = Edges(0, 0, 100, 100)


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.cells[-1] += data


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    return reader


@given(st.lists(st.lists(st.text(max_size=8), min_size=1, max_size=4), min_size=1, max_size=4))
def test_any_text_comes_back_from_html(rows: list[list[str]]) -> None:
    width = max(map(len, rows))
    cells = tuple(Cell(r, c, r, c, text) for r, row in enumerate(rows) for c, text in enumerate(row))
    found = read(to_html(Grid(BOX, len(rows), width, cells, header_rows=1)))
    assert set(found.tags) <= {"table", "thead", "tbody", "tr", "th", "td"}
    want = [text for row in rows for text in row + [""] * (width - len(row))]
    assert [c.replace("\r", "\n") for c in found.cells] == [w.replace("\r", "\n") for w in want]


def test_heads_and_spans() -> None:
    cells = (Cell(0, 0, 1, 0, "A"), Cell(0, 1, 0, 2, "B"), Cell(1, 1, 1, 1, "c"), Cell(2, 2, 2, 2, "<1"))
    assert to_html(Grid(BOX, 3, 3, cells, header_rows=2)) == (
        '<table><thead><tr><th rowspan="2">A</th><th colspan="2">B</th></tr>'
        "<tr><th>c</th><th></th></tr></thead>"
        "<tbody><tr><td></td><td></td><td>&lt;1</td></tr></tbody></table>"
    )


def test_rows_and_columns_without_text_go() -> None:
    cells = (Cell(0, 0, 0, 3, "over all"), Cell(2, 1, 2, 1, "x"), Cell(2, 3, 2, 3, "y"))
    grid = without_empty(Grid(BOX, 4, 5, cells, header_rows=1))
    assert (grid.rows, grid.columns, grid.header_rows) == (2, 2, 1)
    assert grid.cells == (Cell(0, 0, 0, 1, "over all"), Cell(1, 0, 1, 0, "x"), Cell(1, 1, 1, 1, "y"))


def test_a_repeated_head_is_left_out_when_parts_are_joined() -> None:
    def part(value: str) -> Grid:
        cells = (Cell(0, 0, 0, 0, "Name"), Cell(0, 1, 0, 1, "Weight"), Cell(1, 0, 1, 0, value))
        return Grid(BOX, 2, 2, cells, header_rows=1)

    whole = stacked(part("one"), part("two"))
    assert [c.text for c in whole.cells] == ["Name", "Weight", "one", "two"]
    assert whole.rows == 3
