from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask.offline.kinds.abbreviation import long_forms, short_forms
from quire.ask.offline.kinds.gap import fill, number_in
from quire.ask.offline.kinds.parts import locate, overlap
from quire.ask.offline.kinds.reference import body_of, part_of
from quire.ask.offline.kinds.tables import StoredGrid, cells_named, cells_said, grids
from quire.text import sentence_texts


def table(*lines: str, heads: int = 1, labels: dict[int, str] | None = None) -> StoredGrid:
    """A grid of lines of cells with "|" between; rows have the labels given, else their first cell."""
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    above = [" > ".join(dict.fromkeys(filter(None, each))) for each in zip(*cells[:heads], strict=True)]
    (grid,) = grids(
        {
            "table_id": "t",
            "table_caption": "",
            "row_index": row,
            "column_index": column,
            "cell_content": text,
            "row_label": (labels or {}).get(row, line[0]) if column and row >= heads else "",
            "column_label": above[column] if above and row >= heads else "",
            "is_head": row < heads,
        }
        for row, line in enumerate(cells)
        for column, text in enumerate(line)
        if text
    )
    return grid


SPEEDS = table(
    "Kind | Speed | Speed",
    " | Mean | SD",
    "Warm | | ",
    "Green | 61.5 | 2",
    "Black & tan | 57.3 | 3",
    "1 | 3 | 7",
    "Hospital deaths 2 (1.6%) | 4 | 5",
    heads=2,
    labels={3: "Warm > Green"},
)


def test_columns_are_called_by_their_heads_alone_and_together() -> None:
    assert SPEEDS.column_names[1] == ("Speed Mean", "Mean", "Speed")
    assert (SPEEDS.body, SPEEDS.width) == ((2, 3, 4, 5, 6), 3)


def test_rows_are_also_called_by_their_group_and_without_a_merged_number() -> None:
    assert SPEEDS.row_names[3] == ("Green", "Warm Green")
    assert "Hospital deaths" in SPEEDS.row_names[6]


def test_where_no_head_is_marked_the_first_row_is_one() -> None:
    grid = table("Tea | Speed", "Green | 61.5", heads=0)
    assert cells_named(grid, "Green", "Speed")[0].value == "61.5"


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.booleans()), min_size=1))
def test_any_cells_give_names_for_every_row(places: list[tuple[int, int, bool]]) -> None:
    (grid,) = grids(
        {"table_id": "t", "table_caption": None, "row_index": row, "column_index": column, "is_head": head,
         "cell_content": "x", "row_label": None, "column_label": None}
        for row, column, head in places
    )  # fmt: skip
    assert set(grid.row_names) == set(grid.body)
    assert all(0 <= cell.fit <= 1 for cell in cells_named(grid, "x", "x"))


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        ("Green", "Mean", "61.5"),
        ("green", "Speed Mean", "61.5"),
        ("Black and tan", "SD", "3"),
        ("1", "SD", "7"),
    ],
)
def test_cells_by_names(row: str, column: str, value: str) -> None:
    assert cells_named(SPEEDS, row, column)[0].value == value


def test_a_name_that_is_not_there_fits_badly() -> None:
    assert cells_named(SPEEDS, "Peppermint", "Price")[0].fit < 0.5


def test_cells_by_the_words_of_a_question() -> None:
    grid = table("Time | p value", "<5 years | 0.2", "\u22655 years | 0.01")
    assert cells_said(grid, "Which p value is listed for \u22655 years?")[0].value == "0.01"
    assert cells_said(grid, "Who wrote it?") == []


@pytest.mark.parametrize(
    ("short", "text", "long"),
    [
        ("DY", "We saw that the diagnostic yield (DY) was low.", "diagnostic yield"),
        ("PBPC", "of peripheral blood progenitor cells (PBPCs), which", "peripheral blood progenitor cells"),
        (
            "TTE",
            "ECG, electrocardiogram; TTE, transthoracic echocardiogram; x",
            "transthoracic echocardiogram",
        ),
        ("ML", "ML (machine learning) is used", "machine learning"),
        (
            "BERT",
            "Bidirectional Encoder Representations from Transformers (BERT)",
            "Bidirectional Encoder Representations from Transformers",
        ),
        ("QoL", "the quality of life [QoL]", "quality of life"),
        ("G-CSF", "granulocyte colony-stimulating factor (G-CSF)", "granulocyte colony-stimulating factor"),
    ],
)
def test_long_forms(short: str, text: str, long: str) -> None:
    assert long_forms(short, text)[0].text == long


@pytest.mark.parametrize("text", ["", "DY was low.", "see Table 2 (DY)", "(DY)"])
def test_no_definition_gives_no_long_form(text: str) -> None:
    assert long_forms("DY", text) == []


def test_short_forms() -> None:
    assert short_forms("diagnostic yield", "The Diagnostic yield (DY) was") == ["DY"]


@pytest.mark.parametrize(
    ("before", "after", "text", "value"),
    [
        ("In all, about", "patients took part.", "In all, about 42 pa-\ntients took part.", "42"),
        (
            "The",
            "guidelines recommended bowel preparations",
            "The 2009 guidelines recommended bowel preparations",
            "2009",
        ),
        (
            "stored in liquid nitrogen at \u2212",
            "\u00b0C.",
            "and stored in liquid nitrogen at \u2212196\u00b0C. Then",
            "196",
        ),
        (
            "a mean age of 35.7 \u00b1",
            "years was seen",
            "with a mean age of 35.7 \u00b1 4.2 years was seen",
            "4.2",
        ),
        ("It was published in", "", "It was published in 2016 by", "2016"),
    ],
)
def test_gaps_are_filled_with_what_stands_there(before: str, after: str, text: str, value: str) -> None:
    assert number_in(fill(before, after, text)[0].text) == value


def test_an_unknown_sentence_fills_no_gap() -> None:
    assert fill("Elephants of", "kilograms are", "Tea is drunk at four.") == []


ENTRY = {
    "reference_content": "[12] A. Leaf and B. Cup, \u201cTannins and long attention,\u201d Journal of Tea, "
    "vol. 3, pp. 1\u20139, 2001.",
    "reference_title": "Tannins and long attention",
    "reference_year": None,
    "ordinal": 11,
}


def test_parts_of_an_entry() -> None:
    assert part_of(ENTRY, "number") == "12"
    assert part_of(ENTRY, "title") == "Tannins and long attention"
    assert part_of(ENTRY, "year") == 2001  # as it is printed, where no column has it
    assert body_of(ENTRY).startswith("A. Leaf")
    assert part_of(ENTRY, "entry") == body_of(ENTRY)


def test_an_entry_without_number_counts_by_its_place() -> None:
    assert part_of({"reference_content": "Leaf A. Tannins. 2001.", "ordinal": 4}, "number") == "5"


def test_a_quote_is_located_across_passages_and_forgiven_small_changes() -> None:
    rows = [
        {"ref_paper_id": "p", "text_content": "Tea is drunk at four"},
        {"ref_paper_id": "p", "text_content": "in the afternoon, every single day of the year."},
    ]
    exact = locate("drunk at four in the afternoon", rows)
    assert exact is not None
    assert (exact[0], exact[1].fit) == (rows[0], 1.0)
    near = locate("in the afternoons, every single day of a year", rows)
    assert near is not None
    assert near[0] == rows[1]
    assert locate("Coffee is never mentioned in this text at all", rows) is None


def test_sentences_end_where_sentences_end() -> None:
    assert sentence_texts("Tea, e.g. green. See Fig. 2 of Leaf et al. 2001. J. Cup agrees. Done!") == [
        "Tea, e.g. green.",
        "See Fig. 2 of Leaf et al. 2001.",
        "J. Cup agrees.",
        "Done!",
    ]
    assert overlap("Green teas help", ["green", "tea"]) == 1.0
