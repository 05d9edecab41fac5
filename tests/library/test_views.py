from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from quire.library import ids
from quire.library.tabular import table_summary
from quire.library.units import units_of
from quire.library.views import download_url, image_summary, int_box, make_views
from quire.store.schema import (
    CellRow,
    ChunkRow,
    EquationRow,
    ImageRow,
    MetadataRow,
    PlaceRow,
    SectionRow,
    SentenceRow,
    StoredRow,
    TableRow,
)
from quire.types import (
    Box,
    Chunk,
    Document,
    Equation,
    Image,
    Metadata,
    Page,
    Paragraph,
    Place,
    Reference,
    Section,
    Sentence,
    Table,
    TableCell,
)

PAPER = ids.paper_id("0" * 64)
BOX = Box(10.4, 20.6, 100, 12)
TABLE = Table(
    1, BOX, "Table 1", "Table 1. Weights.",
    "<table><tr><th>Kind</th><th>kg &amp; g</th></tr><tr><td>Rye</td><td>2</td></tr></table>",
    (
        TableCell(1, BOX, 0, 0, 0, 0, "Kind", True), TableCell(1, BOX, 0, 1, 0, 1, "kg & g", True),
        TableCell(2, BOX, 1, 0, 1, 0, "Rye", False), TableCell(2, BOX, 1, 1, 1, 1, "2", False),
    ),
)  # fmt: skip


def document(text: str = "Some text. Figure 1 shows a boat.") -> Document:
    paragraph = Paragraph(1, BOX, text)
    return Document(
        metadata=Metadata(title="On Boats", authors=("A. Example",), doi="10.1/ABC", year=2024),
        pages=(Page(1, 612, 792, "iv", text), Page(2, 612, 792, "v", "More.")),
        sections=(
            Section("Introduction", "1", 1, None, 1, BOX, (paragraph,), (1, 2)),
            Section("Hulls", "1.1", 2, 0, 2, None, (), ()),
        ),
        tables=(TABLE,),
        images=(Image(1, BOX, "Figure 1", "Figure 1. A boat."), Image(1, BOX, "", "")),
        equations=(Equation(1, BOX, "x=1", "1", "x = 1"), Equation(2, BOX, "y=2", "", "")),
        references=(Reference(2, BOX, "[1] Ship, A. On ships. 2001.", "[1]", "On ships", 2001),),
    )


def views(text: str = "Some text. Figure 1 shows a boat.") -> Sequence[StoredRow]:
    sentences = (Sentence(1, BOX, "One."), Sentence(1, BOX, "Two."))
    chunks = (
        Chunk(1, BOX, text, 0),
        Chunk(1, BOX, "One. Two.", None, sentences),
        Chunk(2, BOX, "Third.", 1, (Sentence(2, BOX, "Third."),)),
    )
    return make_views(document(text), chunks, PAPER, "boats.pdf", "@misc{x}")


def of(kind: type[StoredRow], made: Sequence[StoredRow]) -> list[StoredRow]:
    return [row for row in made if isinstance(row, kind)]


def test_rows_point_to_each_other() -> None:
    made = views()
    first, second = of(SectionRow, made)
    assert isinstance(first, SectionRow)
    assert isinstance(second, SectionRow)
    assert (first.section_title, second.section_title) == ("1 Introduction", "1.1 Hulls")
    assert (first.page_numbers, second.page_numbers) == ((1, 2), (2,))
    assert (second.parent_section_id, second.section_level) == (first.section_id, 2)
    assert second.section_id == ids.element_id(PAPER, "sections", 0, 1)  # ids stay from version to version
    chunks = [row for row in of(ChunkRow, made) if isinstance(row, ChunkRow)]
    assert [chunk.ordinal for chunk in chunks] == [0, 1, 0]  # numbered on each page
    assert [chunk.ref_section_id for chunk in chunks] == [first.section_id, None, second.section_id]
    assert chunks[2].ref_page_id == ids.page_id(PAPER, 2)
    assert chunks[0].bounding_box == (10, 21, 100, 12)


def test_the_same_paper_gets_the_same_rows() -> None:
    assert views() == views()


def test_what_is_unknown_says_so() -> None:
    (row,) = of(MetadataRow, views())
    assert isinstance(row, MetadataRow)
    assert (row.conference_full, row.conference_abbreviation) == ("uncategorized", "uncategorized")
    assert (row.pdf_path, row.doi) == ("boats.pdf", "10.1/abc")
    assert row.download_url == "https://doi.org/10.1/ABC"
    assert (row.received, row.journal, row.keywords, row.corrected) == (None, None, None, None)


def test_what_is_printed_of_a_paper_and_where() -> None:
    received = Place(1, Box(10, 700.4, 90, 9), "received", "Received 3 May 2020")
    told = Metadata(received=date(2020, 5, 3), keywords=("oars",) * 12, places=(received, received))
    found = make_views(replace(document(), metadata=told), (), PAPER, "boats.pdf", "")
    (row,) = (row for row in found if isinstance(row, MetadataRow))
    assert (row.received, row.keywords) == (date(2020, 5, 3), ("oars",) * 12)
    first, second = (row for row in found if isinstance(row, PlaceRow))
    assert (first.field, first.printed, first.bounding_box) == (
        "received",
        "Received 3 May 2020",
        (10, 700, 90, 9),
    )
    assert (first.ordinal, second.ordinal, first.ref_page_id) == (0, 1, ids.page_id(PAPER, 1))
    assert first.place_id != second.place_id


def test_units_are_all_filled_encodable_values() -> None:
    found = units_of(PAPER, views())
    assert len({(unit.pair, unit.key) for unit in found}) == len(found)
    assert all(unit.text.strip() or unit.box for unit in found)
    captions = [unit for unit in found if unit.pair.column == "image_caption"]
    assert [unit.text for unit in captions] == ["Figure 1. A boat."]  # the figure without caption has no unit
    assert {unit.page for unit in found if unit.pair.table == "reference"} == {2}
    assert {unit.page for unit in found if unit.pair.table == "metadata"} == {-1}


def test_larger_units_consist_of_smaller_ones() -> None:
    found = units_of(PAPER, views())
    for unit in found:
        parts = [found[number] for number in unit.parts]
        if parts and unit.pair.column == "text_content":
            assert "".join(part.text for part in parts).replace(" ", "") == unit.text.replace(" ", "")
        if unit.pair.column == "table_content":
            assert [part.kind for part in parts] == ["row"] * len(parts)
            assert parts


def test_cells_and_sentences_point_to_what_they_are_part_of() -> None:
    made = views()
    (table,) = [row for row in made if isinstance(row, TableRow)]
    found = [row for row in made if isinstance(row, CellRow)]
    assert {row.ref_table_id for row in found} == {table.table_id}
    assert [(row.row_index, row.column_index, row.is_head) for row in found] == [
        (0, 0, True), (0, 1, True), (1, 0, False), (1, 1, False),
    ]  # fmt: skip
    assert [row.row_content for row in found] == ["", "", "Table 1. Weights. Rye; kg & g: 2", ""]
    assert (found[3].row_label, found[3].column_label, found[3].cell_number) == ("Rye", "kg & g", 2)
    assert found[3].ref_page_id == ids.page_id(PAPER, 2)  # where the cell is, not where the table begins
    chunks = [row for row in made if isinstance(row, ChunkRow)]
    sentences = [row for row in made if isinstance(row, SentenceRow)]
    assert [(s.sentence_content, s.ordinal) for s in sentences] == [("One.", 0), ("Two.", 1), ("Third.", 0)]
    assert [s.ref_chunk_id for s in sentences] == [chunks[1].chunk_id, chunks[1].chunk_id, chunks[2].chunk_id]
    assert len({row.cell_id for row in found} | {row.sentence_id for row in sentences}) == 7


def test_remarks() -> None:
    assert table_summary(TABLE) == "Table 1. Weights. Columns: Kind, kg & g. Rows: Rye. 2 rows, 2 columns."
    told, caption = (image_summary(image, document()) for image in document().images)
    assert told == "Figure 1 shows a boat."
    assert caption == ""
    assert download_url(Metadata(arxiv_id="1706.03762")) == "https://arxiv.org/pdf/1706.03762"
    assert download_url(Metadata(url="https://a.example/b", doi="10.1/x")) == "https://a.example/b"
    assert download_url(Metadata(doi="10.1/x")) == "https://doi.org/10.1/x"
    assert download_url(Metadata()) == ""


def test_remarks_are_short_and_stand_also_where_little_is_known() -> None:
    long = " ".join(f"w{n}" for n in range(60))
    assert table_summary(replace(TABLE, caption=long, cells=())) == f"{' '.join(long.split()[:50])} ..."
    bare = tuple(TableCell(1, BOX, row, 1, row, 1, text, False) for row, text in enumerate("ab"))
    assert table_summary(replace(TABLE, caption="", cells=bare)) == "Columns: a. 2 rows, 2 columns."
    wide = (TableCell(1, BOX, 0, 0, 2, 0, "Rye", True), TableCell(1, BOX, 0, 1, 0, 2, "kg", True), *bare[1:])
    told = table_summary(replace(TABLE, caption="", cells=wide))
    assert told == "Columns: Rye, kg. Rows: b. 3 rows, 2 columns."  # of those that begin in a row
    picture = replace(document().images[0], label="", caption=long)
    assert image_summary(picture, document()).endswith("w49 ...")
    unnamed = replace(document().images[0], label="Figure 9", caption="Nobody speaks of it.")
    assert image_summary(unnamed, document()) == "Nobody speaks of it."


def test_image_and_table_rows_have_labels() -> None:
    made = views()
    assert [row.image_label for row in of(ImageRow, made) if isinstance(row, ImageRow)] == ["Figure 1", ""]
    assert [row.table_label for row in of(TableRow, made) if isinstance(row, TableRow)] == ["Table 1"]


def test_an_equation_says_how_it_is_written() -> None:
    rows = [row for row in of(EquationRow, views()) if isinstance(row, EquationRow)]
    assert [(row.equation_content, row.equation_format, row.equation_number) for row in rows] == [
        ("x = 1", "latex", "1"), ("y=2", "text", ""),
    ]  # fmt: skip
    assert [row.ref_page_id for row in rows] == [ids.page_id(PAPER, 1), ids.page_id(PAPER, 2)]


@given(*[st.floats() | st.sampled_from([math.nan, math.inf, 2.0**40])] * 4)
def test_boxes_are_whole_and_small_whatever_the_file_says(x: float, y: float, w: float, h: float) -> None:
    box = int_box(Box(x, y, w, h))
    assert all(isinstance(edge, int) and abs(edge) < 2**15 for edge in box)
    assert box[2] >= 1
    assert box[3] >= 1


def test_a_box_of_nearly_nothing_is_one_point() -> None:
    assert int_box(Box(3.4, 7.6, 0.1, 0.0)) == (3, 8, 1, 1)


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=60))
def test_texts_can_be_stored_whatever_the_file_says(text: str) -> None:
    for spoilt in (f"{text}\0\ud800", f"{text}\ud800", f"{text}x\0"):
        for row in views(spoilt):
            if isinstance(row, ChunkRow):
                row.text_content.encode()
                assert "\0" not in row.text_content
