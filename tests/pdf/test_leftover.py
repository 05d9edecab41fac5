"""What no section, table, caption or reference of a page holds."""

from __future__ import annotations

from quire.pdf.layout.rows import PageFlow, PagePiece, Row
from quire.pdf.pagetext import left_over
from quire.pdf.raw import Edges
from quire.types import Box, Document, Metadata, Page, Paragraph, Section, Table, TableCell
from tests.pdf.test_fronts import labelled

BOX = Box(0, 0, 1, 1)
SAID = "Stones are carried by rivers in spring, and they are small where the river is slow and wide."


def row(text: str, base: float) -> Row:
    made: Row = labelled("text", text, base)
    return made


def flow(*lines: str) -> PageFlow:
    rows = [row(line, 100 + 12 * k) for k, line in enumerate(lines)]
    pieces = [
        PagePiece("Stones Quarterly"),
        *(PagePiece(line, each) for line, each in zip(lines, rows, strict=True)),
    ]
    return PageFlow(1, tuple(rows), tuple(pieces))


def found(page: PageFlow, *paragraphs: str, tables: tuple[Table, ...] = ()) -> list[Paragraph]:
    section = Section(
        "One", "1", 1, None, 1, BOX, tuple(Paragraph(1, BOX, text) for text in paragraphs), (1,)
    )
    document = Document(Metadata(), (Page(1, 600, 800, "1", page.text),), (section,), tables=tables)
    return left_over(document, [page])


LISTING = [f"newcommand name{n} means the value of the {n}th letter" for n in range(4)]


def test_most_of_a_page_is_left_over_as_it_is_printed() -> None:
    page = flow(SAID, *LISTING, "Introduction . . . . . . . 3", "Methods of it 14", *LISTING[:2])
    first, last = found(page, SAID)
    assert first.text.splitlines() == LISTING
    assert last.text.splitlines() == LISTING[:2]
    assert [first.text[line.start :].splitlines()[0] for line in first.lines] == LISTING
    assert first.bbox.y0 == first.lines[0].bbox.y0 > 100
    assert first.bbox.y0 + first.bbox.height < last.bbox.y0


def test_a_few_lines_beside_the_sections_are_not() -> None:
    assert found(flow("Received on the 4th of May and printed in June in London", SAID), SAID) == []
    assert found(flow("A few words alone.")) == []


def test_cells_are_held_by_their_table_in_whatever_order_they_are_printed() -> None:
    cells = tuple(TableCell(1, BOX, n, 0, n, 0, f"{n} stones of one river, seen", False) for n in range(9))
    lines = [f"seen river, {n} stones of one" for n in range(9)]
    assert found(flow(*lines)) != []
    assert found(flow(*lines), tables=(Table(1, BOX, "", "", "", cells),)) == []


def test_lines_of_a_figure_stand_alone_in_its_box_unless_they_go_on() -> None:
    said = ["79 patients were enrolled", "4 of them were excluded, as", "they had been ill before"]
    said += ["8 withdrew from the study and", "9 went on with it"]
    lines = [
        PagePiece(text, box=Edges(50, 60, 250, 160), line=Edges(60, 70 + 12 * n, 160, 80 + 12 * n))
        for n, text in enumerate(said)
    ]
    parts = found(PageFlow(1, (), tuple(lines)))
    assert [part.text.splitlines() for part in parts] == [said[:1], said[1:3], said[3:4], said[4:]]
    assert [part.bbox for part in parts[:2]] == [Box(60, 70, 100, 10), Box(60, 82, 100, 22)]


def test_words_in_a_figure_and_notes_under_a_table_count_beside_any_text() -> None:
    text = flow(*[SAID] * 9)
    box, small = Edges(50, 300, 250, 400), Edges(300, 300, 500, 400)
    note = "Values are means of seven stones; KB, keel boat; *p < 0.05."
    pieces = (*text.pieces, PagePiece(note, box=box), PagePiece("Day 1 2 3", box=small))
    (only,) = found(PageFlow(1, text.rows, pieces), SAID)
    assert (only.text, only.bbox) == (note, Box(50, 300, 200, 100))
    said = ("Records that were excluded 983", "Records read in full 1014", "0 10 20 g")
    chart = [PagePiece(line, box=small) for line in said]
    parts = found(PageFlow(1, text.rows, (*text.pieces, *chart)), SAID)
    assert [part.text for part in parts] == [*said[:2]]
