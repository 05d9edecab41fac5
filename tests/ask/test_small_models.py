"""Small models' habits, over a real server: each run ends in an answer or in evidence, and soon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from quire import Library
from quire.types import Trajectory
from tests.app.conftest import copied
from tests.llm import server
from tests.llm.server import serving

QUESTION = "How long does the keel boat float on heavy paper?"
CALL = "[Thought]: look\n[Action]: Search(query='keel boat')"
SAID = "[Thought]: told\n[Action]: GenerateAnswer(answer='243.8 seconds')"


@pytest.fixture(scope="module")
def shelf(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small") / "library"
    copied(filled, folder)
    return folder


def asked(shelf: Path, *acts: server.Act, **more: Any) -> tuple[Trajectory, int]:
    """A run over a server that plays these acts, the last one for ever, and how often it was asked."""

    def endless() -> Iterator[server.Act]:
        yield from acts
        while True:
            yield acts[-1]

    class Script(list[server.Act]):
        left = endless()

        def pop(self, place: Any = 0) -> server.Act:
            return next(self.left)

    with serving([]) as running:
        running.acts = Script(acts)
        given = {"model__name": "tiny", "model__base_url": running.url, "model__cache": False, **more}
        with Library.open(shelf, model__retries=0, **given) as library:
            run = library.ask(QUESTION, save=False, memory=False)
    return run, len(running.requests)


HABITS: Mapping[str, server.Act] = {
    "no action": server.say("I would look at the table of boats first."),
    "chatter": server.say("Sure! " + "I am happy to help you with your boats. " * 80),
    "nothing": server.say(""),
    "a wrong format": server.say('<tool>{"search": "keel boat"}</tool>'),
    "half a call": server.say("[Action]: GenerateAnswer(answer='243.8", "length"),
    "a cut reply": server.say("[Thought]: " + "well, " * 300, "length"),
    "an action that there is none of": server.say("[Action]: FindAnswer(text='boats')"),
    "the same call for ever": server.say(CALL),
    "a tool call of nonsense": server.call_tool("Search", "{not json"),
    "an example of the prompt": server.say("[Action]: Name(argument='value')"),
    "a window of 4k": server.too_long(),
}


@pytest.mark.parametrize("habit", list(HABITS))
def test_a_habit_ends_in_an_answer_or_evidence(shelf: Path, habit: str) -> None:
    run, requests = asked(shelf, HABITS[habit])
    assert requests <= 6
    assert run.answer.status in ("answered", "abstained")
    if run.answer.status == "abstained":
        assert "keel boat" in " ".join(each.quote for each in run.answer.evidence)
        assert all(each.verified for each in run.answer.evidence)
        assert run.answer.note


@pytest.mark.parametrize(
    "acts",
    [
        (HABITS["no action"], HABITS["a wrong format"], server.say(SAID)),
        (HABITS["chatter"], server.say(CALL), server.say(SAID)),
        (HABITS["a cut reply"], server.say(CALL), server.say(CALL), server.say(SAID)),
        (server.too_long(), server.say(SAID)),
    ],
)
def test_who_comes_to_it_late_answers(shelf: Path, acts: tuple[server.Act, ...]) -> None:
    run, _ = asked(shelf, *acts)
    assert (run.answer.status, run.answer.value) == ("answered", "243.8 seconds")


def test_a_model_that_only_talks_is_asked_for_its_answer_at_last(shelf: Path) -> None:
    run, requests = asked(shelf, server.say("243.8 seconds"))
    assert (run.answer.status, run.answer.value, requests) == ("answered", "243.8 seconds", 5)
    assert "without an action" in run.answer.note
