"""The offline policy over a real library: what it takes out, ranks, sums up, and shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire import Library

EXAMPLES = Path(__file__).parents[3] / "examples" / "papers"
BOATS = "Paper Boats: How Hull Folds Change Soaking Time"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(tmp_path_factory.mktemp("searched"), index__encoders=("text_bm25_en",)) as made:
        assert not made.add(EXAMPLES).failed
        yield made


def test_a_paper_is_told_in_the_words_of_its_abstract_and_conclusion(library: Library) -> None:
    answer = library.ask("Summarise this paper.", papers=["paper-boats.pdf"]).answer
    assert answer.status == "answered"
    assert {each.table for each in answer.evidence} == {"sentences"}
    assert all(each.verified and each.bbox and each.quote in answer.value for each in answer.evidence)


def test_which_paper_gives_the_paper(library: Library) -> None:
    answer = library.ask("Which paper is about boats that sink?", answer_format="string").answer
    assert answer.value == BOATS
    ranked = library.ask("Which papers speak of boats or bread?", answer_format="list").answer
    assert BOATS in ranked.value


def test_evidence_is_whole_units_with_their_boxes(library: Library) -> None:
    answer = library.ask("Why does a fold that is pressed longer soak faster?").answer
    assert answer.status == "abstained"
    assert 1 <= len(answer.evidence) <= 3
    assert all(each.verified and each.bbox for each in answer.evidence)
    ((count,),) = library.sql(
        "SELECT count(*) FROM sentences WHERE CAST(sentence_id AS VARCHAR) = "
        f"'{answer.evidence[0].key}' AND sentence_content = '{answer.evidence[0].quote}'"
    ).rows
    assert count == 1


def test_nothing_is_shown_where_nothing_speaks_of_the_question(library: Library) -> None:
    answer = library.ask("Who invented chocolate?").answer
    assert (answer.status, answer.evidence) == ("abstained", ())
    assert "Nothing was found" in answer.note


def test_yes_or_no_is_left_to_language_models(library: Library) -> None:
    answer = library.ask("Do folds help on light paper?", answer_format="bool").answer
    assert (answer.status, answer.value) == ("abstained", None)
