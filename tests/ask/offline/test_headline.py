"""One headline, whatever comes: a value, a probable one, the sentence that says most, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quire import Library
from quire.ask.answer_format import read_format
from quire.ask.offline.extract import extract
from quire.ask.offline.extract.candidates import FoundUnit
from quire.ask.offline.headline import PROBABLE, probability, speaks_not, stated
from quire.types import Answer, Evidence, Question
from tests.app.conftest import copied

SAID = "We enrolled 2,866 patients at 12 ± 2 °C in 2019."
QUESTION = "How many patients were enrolled?"


def hit(quote: str, meaning: float, covered: float) -> dict[str, Any]:
    return {"quote": quote, "text": quote, "title": "", "meaning": meaning, "covered": covered}


def unit(quote: str, rank: int = 0) -> FoundUnit:
    return FoundUnit(quote, rank, 3.0 - rank, 1, "p", "k", "sentences")


def test_a_number_is_told_with_what_it_counts_where_no_form_is_asked() -> None:
    found = extract(QUESTION, read_format(""), [unit(SAID)])
    assert found is not None
    assert (found.value, found.phrase, found.rivals) == (2866, "2,866 patients", 1)
    assert found.told(read_format("")) == "2,866 patients"
    assert found.told(read_format("int")) == 2866


def test_a_number_is_told_up_to_the_thing_that_it_counts() -> None:
    found = extract("How many studies were reviewed?", read_format(""), [unit(
        "This left a total of 24 independent clinical studies, 3 of them blind, to be reviewed."
    )])  # fmt: skip
    assert found is not None
    assert found.phrase == "24 independent clinical studies"
    named = extract("How many independent clinical studies were reviewed?", read_format(""), [found.unit])
    assert named is not None
    assert named.phrase == "24 independent clinical studies"
    warm = extract(
        "what temperature was it kept at?", read_format("str"), [unit("It was kept at 12 ± 2 °C.")]
    )
    assert warm is not None
    assert warm.phrase == "12 ± 2 °C"
    assert extract("Who enrolled them?", read_format(""), [unit(SAID)]) is None


@pytest.mark.parametrize("printed", ["98.11%", "98.11"])
def test_the_unit_of_a_cell_is_told_once(printed: str) -> None:
    cell = FoundUnit(printed, 0, 3.0, 1, "p", "k", "cells", row_label="Boats", column_label="Rate", unit="%")
    found = extract("What is the rate of boats?", read_format(""), [cell])
    assert found is not None
    assert found.phrase.replace(" ", "") == "98.11%"


@pytest.mark.parametrize("told", ["26 (14.6%) women took part.", "26/178 (14.6 %) women took part."])
def test_a_count_that_is_asked_is_no_percentage(told: str) -> None:
    found = extract("How many women took part?", read_format(""), [unit(told)])
    assert found is not None
    assert (found.value, found.phrase, found.rivals) == (26, "26 women took part", 1)
    share = extract("What percentage of women took part?", read_format(""), [unit(told)])
    assert share is not None
    assert share.value == 14.6


def test_it_is_likelier_where_the_first_sentence_speaks_and_has_no_rival() -> None:
    hits = [hit(SAID, 0.8, 0.9)]
    form = read_format("int")
    said = "We enrolled 2,866 patients."
    first = extract(QUESTION, form, [unit(said)])
    later = extract(QUESTION, form, [unit("Nothing is said.", 0), unit(said, 1)])
    assert first is not None
    assert later is not None
    assert 1 > probability(first, form, hits) > probability(later, form, hits) > 0


def test_it_is_likelier_where_others_say_the_same_and_the_reader_agrees() -> None:
    said, form = "We enrolled 31 patients.", read_format("int")
    agreed = extract(QUESTION, form, [unit(said), unit("All 31 patients were enrolled.", 1)])
    denied = extract(QUESTION, form, [unit(said), unit("All 44 patients were enrolled.", 1)])
    assert agreed is not None
    assert denied is not None
    assert 1 >= agreed.share > denied.share > 0
    read = [{**hit(said, 0.8, 0.9), "says": 5.0}, {**hit("We folded boats.", 0.2, 0.1), "says": -2.0}]
    other = [{**read[0], "says": -2.0}, {**read[1], "says": 5.0}]
    assert probability(agreed, form, read) > probability(denied, form, read)
    assert probability(agreed, form, read) > probability(agreed, form, other)


def test_papers_that_are_far_from_a_question_do_not_speak_of_it() -> None:
    question = Question("", "what will the weather be in Paris tomorrow?")
    assert speaks_not(question, [hit("We folded boats.", 0.05, 0.0)] * 6)
    assert not speaks_not(Question("", QUESTION), [hit(SAID, 0.8, 1.0)] * 6)
    assert not speaks_not(question, [hit("We folded boats.", 0.0, 0.0)] * 6)  # no vectors: nobody knows


def test_papers_of_which_the_reader_finds_nothing_do_not_speak_of_it() -> None:
    question = Question("", QUESTION)
    told = [{**hit(SAID, 0.6, 0.6), "says": says} for says in (5.0, 1.0, *[-3.0] * 18)]
    flat = [{**each, "says": -4.0} for each in told]  # one is like the other: none says it
    assert not speaks_not(question, told)
    assert speaks_not(question, flat)


def test_a_sentence_that_is_read_as_far_ahead_is_told_and_a_row_never() -> None:
    read = [
        {**hit(SAID, 0.7, 0.6), "says": says, "primary_key": str(n)}
        for n, says in enumerate((6.0, *[-2.0] * 9))
    ]
    flat = [{**each, "says": 1.0, "meaning": 0.3} for each in read]
    first = Evidence("p", 1, None, SAID, verified=True, table="sentences", key="0")
    assert stated(first, read) >= PROBABLE > stated(first, flat) > 0
    assert stated(replace(first, table="cells"), read) == 0
    assert stated(first, [{**each, "says": None} for each in read]) == 0


def test_every_answer_has_one_headline() -> None:
    piece = Evidence("p", 1, None, "It says so.^32,34", True)
    assert Answer("answered", 7, (piece,), 0.9).headline == "7"
    assert Answer("answered", "2,866 patients", (piece,), 0.6, probability=0.6).headline == (
        "Probably 2,866 patients"
    )
    assert Answer("answered", "Das and Rad^32 say so.", (piece,), 0.6, probability=0.6).headline == (
        "Probably Das and Rad say so."
    )
    assert Answer("abstained", None, (piece,)).headline == "It says so."
    assert Answer("abstained", None, (piece,), spoken=False).headline == (
        "Your papers do not seem to speak of this"
    )
    assert Answer("abstained").headline == "Nothing found"


@pytest.fixture(scope="module")
def library(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library.open(copied(filled, tmp_path_factory.mktemp("headline") / "library")) as made:
        yield made


def test_a_tentative_answer_tells_how_likely_it_is_and_shows_its_sentence_first(library: Library) -> None:
    asked = "How many seconds does the keel boat with nine folds last on heavy paper?"
    answer = library.ask(asked, answer_format="str", save=False).answer
    assert answer.status == "answered"
    assert PROBABLE <= answer.probability == answer.confidence < 1
    assert "243.8" in answer.headline
    assert answer.headline.startswith("Probably")
    assert "243.8" in answer.evidence[0].quote
    assert len({each.quote for each in answer.evidence}) == len(answer.evidence) <= 3


def test_what_nothing_speaks_of_is_told(library: Library) -> None:
    answer = library.ask("Who invented chocolate?", save=False).answer
    assert (answer.status, answer.spoken) == ("abstained", False)


@pytest.mark.parametrize("question", ["Why rate single sentences?", "Did the rate of errors fall?"])
def test_no_number_is_taken_out_for_a_reason_or_a_truth(question: str) -> None:
    assert extract(question, read_format(""), [unit("In 6 papers the rate of errors fell.")]) is None
