"""Evidence that a model names itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask.evidence import cited, gather
from quire.types import Box, Call, Observation, Question, Step
from tests.ask.small_library import PAPER, ask, library

LIBRARY = library()


@pytest.mark.parametrize(
    "line",
    [
        f'[Evidence]: {PAPER}, page 1, "eight positions"',
        f"[Evidence]: {PAPER[:8]}, p. 1: 'eight positions'",
        f"**Evidence**: `{PAPER}` (page 1): “eight positions”.",
        '- [Evidence] page 1, "eight positions"',
        f'evidence: {PAPER}, page 1 - "eight positions"',
    ],
)
def test_a_line_is_read_however_it_is_written(line: str) -> None:
    found = cited(f"[Thought]: so it is\n{line}\n[Action]: GenerateAnswer(answer=8)", ask(), LIBRARY)
    assert [(each.paper_id, each.page, each.quote, each.verified) for each in found] == [
        (PAPER, 1, "eight positions", False)
    ]


def test_it_has_the_box_of_the_row_it_was_seen_in() -> None:
    row = {"pdf_id": PAPER, "page_number": 1, "text": "by up to eight positions", "bbox": [1, 2, 3, 4]}
    seen = Step("", Call("ClassicRetrieve", {}), Observation("rows", "", rows=(row,)))
    (found,) = cited(f'[Evidence]: {PAPER}, page 1, "eight positions"', ask(), LIBRARY, [seen])
    assert found.bbox == Box(1, 2, 3, 4)


def test_a_paper_that_is_not_there_is_no_evidence() -> None:
    assert cited('[Evidence]: Another Paper, page 1, "x"', ask(), LIBRARY) == ()
    assert cited('[Evidence]: page 1, "x"', Question("q", "?"), LIBRARY) == ()


def test_the_same_line_counts_once() -> None:
    line = f'[Evidence]: {PAPER}, page 1, "eight"\n'
    assert len(cited(line * 3, ask(), LIBRARY)) == 1


@given(st.text(alphabet=st.sampled_from(" \nevidenceEVIDENCE[]:page 1p.\"'“”`,;(0"), max_size=300))
def test_no_text_makes_it_raise(text: str) -> None:
    assert isinstance(cited(text, ask(), LIBRARY), tuple)


def test_long_hostile_lines_end_soon() -> None:
    for text in (
        "evidence " + " " * 90_000,
        "evidence " + "page 1 " * 14_000,
        "evidence: " + '"' * 90_000,
        "evidence" + "(" * 90_000,
    ):
        assert cited(text, ask(), LIBRARY) == ()


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
