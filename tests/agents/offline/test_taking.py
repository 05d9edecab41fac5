from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.agents.offline.taking.cells import by_names, by_words
from quire.agents.offline.taking.definitions import long_forms, short_forms
from quire.agents.offline.taking.entries import (
    authors_of,
    body_of,
    number_of,
    part_of,
    title_of,
    venue_of,
    year_of,
)
from quire.agents.offline.taking.gaps import fill, number_in
from quire.agents.offline.taking.grid import read_grid
from quire.agents.offline.taking.passages import join, locate
from quire.agents.offline.taking.sentences import overlap, sentences

TABLE = (
    "<table><thead><tr><th rowspan=2>Kind</th><th colspan=2>Speed</th></tr>"
    "<tr><th>Mean</th><th>SD</th></tr></thead>"
    "<tr><td>Warm</td><td></td><td></td></tr><tr><td>Green</td><td>61.5</td><td>2</td></tr>"
    "<tr><td>Black &amp; tan</td><td>57<br>.3</td><td>3</td></tr><tr><td>1</td><td>3</td><td>7</td></tr>"
    "<tr><td>Hospital deaths 2 (1.6%)</td><td>4</td><td>5</td></tr></table>"
)


def test_spans_are_spread_and_headers_joined() -> None:
    grid = read_grid(TABLE)
    assert grid.head == (("Kind", "Speed", "Speed"), ("Kind", "Mean", "SD"))
    assert grid.column_names[1] == ("Speed Mean", "Mean", "Speed")
    assert grid.body[2] == ("Black & tan", "57 .3", "3")


def test_rows_are_also_called_by_their_group_and_without_a_merged_number() -> None:
    names = read_grid(TABLE).row_names
    assert "Warm Green" in names[1]
    assert "Hospital deaths" in names[4]
    assert "1 3" not in names[3]


@pytest.mark.parametrize(
    "html", ["", "<table>", "<td>x", "<tr><td colspan=999999>x</td></tr>", "no table at all"]
)
def test_broken_html_gives_some_grid(html: str) -> None:
    grid = read_grid(html)
    assert len(grid.head) <= 1


@given(st.text(alphabet="<>/=\"'trdhable x1", max_size=200))
def test_any_html_gives_rows_of_one_length(html: str) -> None:
    grid = read_grid(html)
    assert len({len(row) for row in grid.head + grid.body}) <= 1


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
    assert by_names(read_grid(TABLE), row, column)[0].value == value


def test_a_name_that_is_not_there_fits_badly() -> None:
    assert by_names(read_grid(TABLE), "Peppermint", "Price")[0].fit < 0.5


def test_cells_by_the_words_of_a_question() -> None:
    html = (
        "<tr><th>Time</th><th>p value</th></tr><tr><td>&lt;5 years</td><td>0.2</td></tr>"
        "<tr><td>\u22655 years</td><td>0.01</td></tr>"
    )
    found = by_words(read_grid(html), "Which p value is listed for \u22655 years?")
    assert found[0].value == "0.01"
    assert by_words(read_grid(html), "Who wrote it?") == []


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
    "ordinal": 11,
}


def test_parts_of_an_entry() -> None:
    assert number_of(ENTRY) == "12"
    assert title_of(ENTRY) == "Tannins and long attention"
    assert year_of(ENTRY) == 2001
    assert authors_of(ENTRY) == "A. Leaf and B. Cup"
    assert venue_of(ENTRY) == "Journal of Tea"
    assert body_of(ENTRY).startswith("A. Leaf")
    assert part_of({"reference_content": "X. doi:10.1000/ab.c."}, "doi") == "10.1000/ab.c"


def test_an_entry_without_number_counts_by_its_place() -> None:
    assert number_of({"reference_content": "Leaf A. Tannins. 2001.", "ordinal": 4}) == "5"


def test_a_quote_is_located_across_passages_and_forgiven_small_changes() -> None:
    rows = [
        {"ref_paper_id": "p", "text_content": "Tea is drunk at four"},
        {"ref_paper_id": "p", "text_content": "in the afternoon, every single day of the year."},
    ]
    passages = join(rows)
    exact = locate("drunk at four in the afternoon", passages)
    assert exact is not None
    assert (exact.row, exact.fit) == (rows[0], 1.0)
    near = locate("in the afternoons, every single day of a year", passages)
    assert near is not None
    assert near.row == rows[1]
    assert locate("Coffee is never mentioned in this text at all", passages) is None


def test_sentences_end_where_sentences_end() -> None:
    assert sentences("Tea, e.g. green. See Fig. 2 of Leaf et al. 2001. J. Cup agrees. Done!") == [
        "Tea, e.g. green.",
        "See Fig. 2 of Leaf et al. 2001.",
        "J. Cup agrees.",
        "Done!",
    ]
    assert overlap("Green teas help", ["green", "tea"]) == 1.0
