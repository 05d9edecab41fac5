"""Earlier turns: context for a model; offline, they only keep the papers."""

from __future__ import annotations

import pytest

from quire.ask import runs as records
from quire.ask.conversation import exchange_of, kept_papers, with_topic
from quire.ask.prompt import question_text
from quire.types import Answer, Evidence, Exchange, Question, Trajectory

TALK = (Exchange("Who wrote it?", "Maria Example", ("a",)), Exchange("And when?", "2024", ("b", "c")))


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("How many authors does it have?", ("b", "c")),
        ("What is the DOI of the paper?", ("b", "c")),
        ("What do they conclude?", ("b", "c")),
        ("How many papers are there?", ()),
        ("Which papers cite it?", ()),
        ("What is the DOI of Paper Boats?", ()),
    ],
)
def test_a_question_keeps_the_papers_that_it_points_back_to(question: str, kept: tuple[str, ...]) -> None:
    assert kept_papers(question, TALK) == kept
    assert kept_papers(question, ()) == ()


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Batch size?", "Batch size (learning rate scibert)?"),
        ("in which unit?", "in which unit (learning rate scibert)?"),
        ("Which was the highest learning rate?", "Which was the highest learning rate?"),  # said again
    ],
)
def test_a_few_words_go_on_and_words_said_before_point_back(question: str, whole: str) -> None:
    talk = (Exchange("What is the learning rate for SciBERT?", "2e-5", ("a",)),)
    assert kept_papers(question, talk) == ("a",)
    assert with_topic(question, talk) == whole


@pytest.mark.parametrize(
    "question", ["Who invented chocolate?", "List all papers", "How many papers do I have?"]
)
def test_a_question_of_its_own_keeps_no_papers(question: str) -> None:
    assert kept_papers(question, (Exchange("What is the learning rate?", "2e-5", ("a",)),)) == ()


@pytest.mark.parametrize(
    ("earlier", "question", "whole"),
    [
        ("How many PDP-7 systems were built?", "and the PDP-15?", "How many PDP-15 systems were built?"),
        ("How many layers has ResNet50?", "ResNet101?", "How many layers has ResNet101?"),
        ("How many PDP-7 systems were built?", "and the PDP-7?", "and the PDP-7 (systems built)?"),
    ],
)
def test_one_of_a_series_takes_the_place_of_another(earlier: str, question: str, whole: str) -> None:
    assert with_topic(question, (Exchange(earlier, "120", ("a",)),)) == whole


def test_a_model_is_told_the_last_turns_before_the_question() -> None:
    long = Exchange("What is said?", "word " * 2000)
    asked = Question("1", "And then?", conversation=(*(Exchange(f"q{n}", "a") for n in range(9)), long))
    told = question_text(asked, {})
    assert "[Earlier Question]: q8" in told
    assert "[Earlier Question]: q3" not in told
    assert told.index("[Earlier Answer]") < told.index("[Question]: And then?")
    assert len(told) < 4000


def test_a_follow_up_stands_alone_only_with_what_it_follows() -> None:
    assert Question("1", "And on light paper?", conversation=TALK).whole == (
        "Who wrote it?\nAnd when?\nAnd on light paper?"
    )
    assert Question("1", "Who?").whole == "Who?"


def test_a_conversation_is_kept_in_the_record_of_a_run() -> None:
    run = Trajectory("r", Question("1", "And then?", conversation=TALK), (), Answer("abstained"))
    assert records.from_lines(list(records.to_lines(run))).question == run.question


def test_the_same_question_once_more_is_none_that_follows() -> None:
    talk = (Exchange("How fast does the boat soak?", "9 s", ("a",)),)
    assert kept_papers("how fast does the  boat soak?", talk) == ()
    assert kept_papers("How fast does it soak, the boat?", talk) == ("a",)


@pytest.mark.parametrize(("probability", "papers"), [(0.0, ("a", "b")), (0.6, ("a",))])
def test_an_answer_that_is_not_sure_is_of_the_paper_of_its_first_piece(
    probability: float, papers: tuple[str, ...]
) -> None:
    pieces = tuple(Evidence(paper, 1, None, "It soaks.", verified=True) for paper in ("a", "b"))
    answer = Answer("answered", "It soaks.", pieces, 0.6, probability=probability)
    assert exchange_of(Trajectory("r", Question("1", "Does it soak?"), (), answer)).papers == papers


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("why?", "why (most common cause sinking)?"),
        ("when was it accepted?", "when was it accepted?"),
        ("who is the publisher?", "who is the publisher?"),
    ],
)
def test_the_most_and_the_least_are_of_the_topic_and_the_title_page_has_none(
    question: str, whole: str
) -> None:
    talk = (
        Exchange("What was the most common cause of sinking?"),
        Exchange("how many authors does it have?"),
    )
    assert with_topic(question, talk) == whole
