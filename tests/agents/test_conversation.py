"""Earlier turns: context for a model; offline, they only keep the papers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quire.agents import records
from quire.agents.conversation import kept_papers
from quire.agents.prompt import question_text
from quire.build import Library
from quire.models import Message, Model, Scripted
from quire.types import Answer, Exchange, Question, Trajectory

EXAMPLES = Path(__file__).parents[2] / "examples" / "papers"
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


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("talk")
    for name in ("paper-boats.pdf", "sourdough-starters.pdf"):
        shutil.copy(EXAMPLES / name, folder)
    opened = Library.open(folder / "library", create=True, index__encoders=("text_bm25_en",))
    opened.add(folder)
    return opened


def test_offline_a_follow_up_is_asked_of_the_same_papers(library: Library) -> None:
    paper = library.paper("sourdough-starters").id
    talk = [Exchange("What is the title?", "Feeding Intervals", ("00000000-gone", paper))]
    run = library.ask("In which year was the paper published?", conversation=talk, save=False)
    assert run.question.only == (paper,)
    assert run.answer.value == 2023
    assert library.ask("How many papers are there?", conversation=talk, save=False).question.only == ()


def test_with_a_model_the_conversation_reaches_it(library: Library) -> None:
    model = Scripted(["[Action]: GenerateAnswer(answer='57.5')"])
    scripted = Library.open(library.folder, index__encoders=("text_bm25_en",), model__name="some")
    scripted.open_model = lambda role, name: Model("some", model)
    talk = [Exchange("How long does the keel boat float on heavy paper?", "243.8 seconds")]
    run = scripted.ask("And on light paper?", conversation=talk, save=False)
    assert run.answer.value == "57.5"
    told = _text(model.requests[0])
    assert "243.8 seconds" in told
    first = run.steps[0].call
    assert first is not None
    assert "keel boat" in first.arguments["query"]  # the opening search knows what it is about


def _text(messages: tuple[Message, ...]) -> str:
    return "\n".join(message.text for message in messages)
