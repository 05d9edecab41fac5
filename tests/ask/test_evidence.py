from __future__ import annotations

import pytest

from quire.ask.evidence import _stands, around, box_of, describe, verify
from quire.types import Evidence
from tests.ask.stored import stored

from .one_paper import PAGES, PAPER, rows, small_library

LIBRARY = small_library()


def evidence(quote: str, page: int = 1) -> Evidence:
    return Evidence(PAPER, page, None, quote, verified=False)


def test_a_quote_is_verified_on_its_own_page_only() -> None:
    assert verify(evidence("Many clerks drink tea."), LIBRARY).verified
    assert not verify(evidence("Many clerks drink tea.", page=2), LIBRARY).verified
    assert not verify(evidence("Many clerks drink coffee."), LIBRARY).verified
    assert not verify(evidence("tea", page=99), LIBRARY).verified
    assert not verify(evidence("", page=1), LIBRARY).verified


def test_titles_and_printed_page_labels_are_filled_in() -> None:
    (described,) = describe([evidence("tea", page=2)], LIBRARY)
    assert described.paper_title == "Tea and Typing Speed"
    assert described.page_label == "102"


def test_a_hostile_paper_id_never_reaches_sql() -> None:
    odd = Evidence("x'; DROP TABLE pages; --", 1, None, "tea", verified=True)
    assert describe([odd], LIBRARY) == (odd,)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Green tea | 61.5", True),
        ("Green tea 16 61.5", True),
        ("Green tea: Mean speed (WPM) = 61.5", True),
        ("61.5 (green tea)", True),
        ("Green tea | 57.3", False),
        ("Green tea | 6", False),
        ("Black tea", False),
        ("16 | 61.5", False),
        ("Green tea is not 61.5", False),
        ("Oolong | 61.5", False),
        ("Green tea | 61.5 " * 50, False),
    ],
)
def test_a_quote_from_a_table_counts_when_row_and_value_stand_on_the_page(quote: str, found: bool) -> None:
    cells = [
        {
            "cell_id": f"99999999-9999-5999-8999-9999999999{row}{column}",
            "cell_content": text,
            "row_label": name if column else "",
            "column_label": head,
            "row_index": row,
            "column_index": column,
            "is_head": False,
            "bounding_box": [10 * column, 20, 30, 40],
            "ref_table_id": "55555555-5555-5555-8555-555555555555",
            "ref_paper_id": PAPER,
            "ref_page_id": PAGES[1],
        }
        for row, (name, *values) in enumerate((("Green tea", "16", "61.5"), ("Black tea", "16", "57.3")), 1)
        for column, (head, text) in enumerate(
            zip(("Tea", "Clerks", "Mean speed (WPM)"), (name, *values), strict=True)
        )
    ]
    resources = stored({**rows(), "cells": cells})
    checked = verify(evidence(quote, page=2), resources)
    assert checked.verified == found
    if found:
        assert checked.bbox is not None
    assert not verify(evidence(quote, page=1), resources).verified


def test_broken_boxes_are_no_boxes() -> None:
    assert box_of({"bbox": [1, 2, 3]}) is None
    assert box_of({"bbox": ["a", 2, 3, 4]}) is None
    assert box_of({}) is None


def test_the_sentence_around_a_place() -> None:
    assert around("One. Two three. Four.", (9, 14)) == "Two three."
    assert len(around("word " * 1000, (2500, 2504))) <= 400


def test_latex_counts_as_a_quote_of_the_equation_that_it_is_stored_for() -> None:
    assert verify(evidence(r"s = \frac{w}{t}"), LIBRARY).verified
    assert verify(evidence(r"$s=\frac{w}{t}$"), LIBRARY).verified
    assert not verify(evidence(r"s = \frac{t}{w}"), LIBRARY).verified
    assert not verify(evidence(r"s = \frac{w}{t}", page=2), LIBRARY).verified
    assert not verify(evidence("s = "), LIBRARY).verified


def test_paragraphs_of_a_passage_are_found_in_order_around_an_equation() -> None:
    page = "It is computed as follows.\nx = 1 + y\nHere y is the yield."
    assert _stands("It is computed as follows.\nHere y is the yield.", page)
    assert _stands("computed as\nfollows. x = 1", page)
    assert not _stands("Here y is the yield.\nIt is computed as follows.", page)
    assert not _stands("It is computed as follows.\nHere y is the cost.", page)
    assert not _stands("\n", page)
