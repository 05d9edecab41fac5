from __future__ import annotations

from quire.agents.evidence import around, box_of, describe, gather, verify
from quire.types import Box, Evidence, Observation, Step

from ..environment.small_library import PAPER, small_library

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


def test_rows_that_were_seen_and_hold_the_answer_become_evidence() -> None:
    rows = (
        {"pdf_id": PAPER, "page_number": 1, "text": "No number here.", "bbox": [1, 2, 3, 4]},
        {"pdf_id": PAPER, "page_number": 2, "text": "One. It rose by 4.2 words. Two.", "bbox": [1, 2, 3, 4]},
        {"pdf_id": PAPER, "page_number": -1, "text": "4.2 of no page"},
    )
    history = [Step("", None, Observation("rows", "", rows))]
    (found,) = gather({"speed": [4.2]}, history)
    assert (found.page, found.bbox, found.quote) == (2, Box(1, 2, 3, 4), "It rose by 4.2 words.")
    assert gather(None, history) == ()
    assert gather("absent", history) == ()


def test_broken_boxes_are_no_boxes() -> None:
    assert box_of({"bbox": [1, 2, 3]}) is None
    assert box_of({"bbox": ["a", 2, 3, 4]}) is None
    assert box_of({}) is None


def test_the_sentence_around_a_place() -> None:
    assert around("One. Two three. Four.", (9, 14)) == "Two three."
    assert len(around("word " * 1000, (2500, 2504))) <= 400
