"""A question that follows others: context for a model; offline, only their papers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.build import Library
from quire.models import Message, Model, Scripted
from quire.types import Exchange


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
