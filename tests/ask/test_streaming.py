"""What a model writes, told while it writes; and stopping it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask.llm import llm_policy
from quire.ask.loop import run
from quire.ask.streaming import Listening, ReplyReader, written_answer
from quire.errors import ModelStopped
from quire.llm import Meter, Model, Scripted
from quire.llm.budget import Budgeted
from quire.llm.providers.openai import OpenAICompatible
from quire.search.encoders import BM25
from quire.settings import Agent, Price
from quire.types import Said, Trajectory
from tests.ask.small_library import PAPER, ask, environment
from tests.llm import server
from tests.llm.server import serving

TEXT = "Ranks shift by up to eight positions [1]."
REPLY = (
    "[Thought]: it is said there, word by word, on the first page of the paper that was asked for\n"
    f'[Evidence]: {PAPER}, page 1, "up to eight positions"\n'
    f'[Action]: GenerateAnswer(answer="{TEXT}")'
)


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def told(text: str, size: int = 5) -> dict[str, str]:
    reader, kinds = ReplyReader(), {"thought": "", "answer": ""}
    for piece in pieces(text, size):
        for said in reader.feed(piece):
            kinds[said.kind] += said.text
    return kinds


@pytest.mark.parametrize("size", [1, 3, 17, 5000])
@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (REPLY, TEXT),
        ("[Action]: GenerateAnswer(answer='It is \\'so\\'.')", "It is 'so'."),
        ('[Action]: GenerateAnswer(answer="""Two\n"lines".""")', 'Two\n"lines".'),
        ('[Action]: GenerateAnswer(answer="a \\"b\\"\\n$\\\\frac{1}{2}$")', 'a "b"\n$\\frac{1}{2}$'),
        ('{"action": "GenerateAnswer", "parameters": {"answer": "It is."}}', "It is."),
        ('[Action]: GenerateAnswer("It is.")', "It is."),
        ("[Action]: GenerateAnswer(answer=42)", ""),
        ('<think>GenerateAnswer(answer="no")</think>[Action]: GenerateAnswer(answer="yes")', "yes"),
        ('[Observation]: GenerateAnswer(answer="made up")', ""),
        ('[Action]: RetrieveFromDatabase(sql="SELECT 1")', ""),
    ],
)
def test_the_answer_is_told_as_it_is_written(reply: str, answer: str, size: int) -> None:
    assert told(reply, size)["answer"] == answer


def test_the_thought_is_told_without_what_follows_it() -> None:
    assert told(REPLY)["thought"].strip() == REPLY.partition("\n")[0].removeprefix("[Thought]: ")


@given(st.text(max_size=300), st.integers(1, 40))
def test_any_reply_can_be_read(text: str, size: int) -> None:
    told(text, size)
    written_answer(text)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), st.integers(1, 9))
def test_whatever_is_quoted_properly_comes_out_whole(text: str, size: int) -> None:
    spelled = text.replace("\\", "\\\\").replace('"', '\\"')
    assert told(f'[Action]: GenerateAnswer(answer="{spelled}")', size)["answer"] == text


def test_reading_is_linear() -> None:
    begun = time.process_time()
    told('[Action]: GenerateAnswer(answer="' + '" ' * 25_000, 200)
    told("[Thought]: " + "[<think" * 7000, 200)
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("begun", "answer"),
    [
        ('[Action]: GenerateAnswer(answer="Two of th', "Two of th"),
        ('[Action]: GenerateAnswer(answer="Two of three.")', "Two of three."),
        ('[Action]: GenerateAnswer(answer="Two."', "Two."),
        ("[Thought]: I will look", ""),
    ],
)
def test_what_was_written_of_an_answer(begun: str, answer: str) -> None:
    assert written_answer(begun) == answer


def played(listening: Listening, *acts: server.Act, price: Price | None = None) -> tuple[Trajectory, Meter]:
    meter = Meter(1.0 if price else 0.0)
    with serving(list(acts)) as running:
        provider = Budgeted(OpenAICompatible("m", base_url=running.url), meter, price)
        made = llm_policy(
            Model("m", provider, meter=meter), environment(), Agent(), (BM25,), listening=listening
        )
        return run(made, made.environment, ask(answer_format=""), listening=listening), meter


def test_a_run_is_told_word_by_word_through_a_real_endpoint() -> None:
    heard: list[Said] = []
    done, _ = played(Listening(heard.append), server.stream_text(*pieces(REPLY, 4)))
    assert done.answer.value == TEXT
    assert "".join(said.text for said in heard if said.kind == "answer") == TEXT
    assert len(heard) > 5
    (evidence,) = done.answer.evidence
    assert (evidence.mark, evidence.how, evidence.verified) == (1, "quoted", True)


def test_an_endpoint_that_does_not_stream_is_heard_at_its_end() -> None:
    heard: list[Said] = []
    done, _ = played(Listening(heard.append), server.say(REPLY))
    assert done.answer.value == TEXT
    assert heard[-1] == Said("answer", TEXT)


def test_stopping_keeps_what_was_written_and_charges_for_it() -> None:
    heard: list[Said] = []

    def stop() -> bool:
        return "".join(said.text for said in heard if said.kind == "answer").startswith("Ranks shift")

    price = Price(prompt=1.0, completion=1.0)
    done, meter = played(Listening(heard.append, stop), server.stream_text(*pieces(REPLY, 4)), price=price)
    answer = done.answer
    assert (answer.status, answer.stopped) == ("answered", True)
    assert TEXT.startswith(answer.value)
    assert len(answer.value) < len(TEXT)
    assert [each.verified for each in answer.evidence] == [True]
    assert meter.total.cost > 0
    assert done.steps[-1].usage.cost == meter.total.cost


def test_stop_works_at_once_while_nothing_comes() -> None:
    stopped, gave_up = threading.Event(), threading.Event()

    def silent(handler: Any, body: Mapping[str, Any]) -> None:
        if not stopped.wait(300):  # the endpoint says nothing until the run has ended
            gave_up.set()

    begun = time.monotonic()
    listening = Listening(None, lambda: time.monotonic() > begun + 0.3)
    with serving([silent]) as running:
        provider = OpenAICompatible("m", base_url=running.url)
        made = llm_policy(Model("m", provider), environment(), Agent(), (BM25,), listening=listening)
        done = run(made, made.environment, ask(answer_format=""), listening=listening)
        stopped.set()
    assert not gave_up.is_set()
    assert (done.answer.status, done.answer.stopped) == ("abstained", True)


def test_a_stopped_run_begins_no_other_step() -> None:
    scripted = Scripted([REPLY])
    listening = Listening(None, lambda: True)
    made = llm_policy(Model("m", scripted), environment(), Agent(), (BM25,), listening=listening)
    assert run(made, made.environment, ask(answer_format=""), listening=listening).answer.stopped
    assert not scripted.requests


def test_who_stops_is_told_what_was_written() -> None:
    heard: list[Said] = []
    hear = Listening(heard.append, lambda: bool(heard)).begin()
    with pytest.raises(ModelStopped) as caught:
        list(map(hear, pieces(REPLY, 4)))
    assert caught.value.text
    assert REPLY.startswith(caught.value.text)
