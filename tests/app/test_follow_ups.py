"""A question that follows others: context for a model; offline, only their papers."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.app.cli import main
from quire.ask.conversation import kept_papers, last_turns, with_topic
from quire.build import Library
from quire.llm import Message, Model, Scripted
from quire.types import Exchange
from tests.app.conftest import copied


@pytest.fixture
def library(filled: Path) -> Iterator[Library]:
    with Library.open(filled) as opened:
        yield opened


def test_offline_a_follow_up_is_asked_of_the_same_papers(library: Library) -> None:
    paper = library.paper("sourdough-starters").id
    talk = [Exchange("What is the title?", "Feeding Intervals", ("00000000-gone", paper))]
    run = library.ask("In which year was the paper published?", conversation=talk, save=False)
    assert run.question.only == (paper,)
    assert run.answer.value == 2023
    assert library.ask("How many papers are there?", conversation=talk, save=False).question.only == ()


def test_offline_every_turn_is_remembered_and_each_question_says_all_by_itself(library: Library) -> None:
    run = library.ask("How long do boats soak?", papers=["paper-boats"], save=False)
    (paper,) = run.question.only
    for asked in ("how many authors does it have?", "why?"):
        run = library.ask(asked, conversation=last_turns(run), save=False)
        assert run.question.only == (paper,)
    assert [each.question for each in run.question.conversation][0] == "How long do boats soak?"
    assert run.question.whole == run.question.text == "why (long boats soak)?"


def test_with_a_model_the_conversation_reaches_it(library: Library) -> None:
    model = Scripted(["[Action]: GenerateAnswer(answer='57.5')"])
    scripted = Library.open(library.folder, model__name="some")
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


def _talk(question: str) -> list[Exchange]:
    return [Exchange(question, "", ("paper",))]


@pytest.mark.parametrize(
    ("first", "then", "asked"),
    [
        ("What was the lowest weight of the boats?", "and the highest?", "and the highest (weight boats)?"),
        ("Do boats soak?", "why?", "why (boats soak)?"),
        ("How many boats sank?", "how many authors does it have?", "how many authors does it have?"),
        ("How many boats sank?", "Who wrote it?", "Who wrote it?"),
        ("How many boats sank?", "Which dyes did the second study use for wool?", ""),
        ("How many boats sank?", "how many papers are there?", ""),
    ],
)
def test_a_question_that_goes_on_takes_the_topic_over(first: str, then: str, asked: str) -> None:
    assert with_topic(then, _talk(first)) == (asked or then)
    assert kept_papers(then, _talk(first)) == (("paper",) if asked else ())
    assert with_topic(then, []) == then


def test_a_talk_in_the_shell_keeps_the_paper(
    filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied(filled, tmp_path / "library")
    monkeypatch.setenv("QUIRE_LIBRARY", str(tmp_path / "library"))
    typed = "How long does the keel boat float on heavy paper?\nhow many authors does it have?\n\nnot asked\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    _command(monkeypatch, "chat", "--offline")
    told = capsys.readouterr().out
    assert "Answered by rules" in told
    assert "not asked" not in told
    _command(monkeypatch, "ask", "--offline", "--follow", "--json", "and in which year was it published?")
    run = json.loads(capsys.readouterr().out)
    assert (run["answer"]["value"], len(run["question"]["only"])) == (2024, 1)


def _command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["quire", *arguments])
    with contextlib.suppress(SystemExit):
        main()
