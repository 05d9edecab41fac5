"""A completion as a step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask.actions import load_actions
from quire.ask.methods import ANSWER
from quire.ask.replies import read_step
from quire.llm import Completion, ToolCall
from quire.types import Call

ALL = load_actions()
ONLY_ANSWER = load_actions([ANSWER])


def test_an_action_in_text() -> None:
    step = read_step(Completion('[Thought]: so\n[Action]: ClassicRetrieve(query="x")'), ALL, "markdown")
    assert (step.thought, step.call) == ("so", Call("ClassicRetrieve", {"query": "x"}))
    assert step.observation is None


def test_a_native_call_and_a_second_one() -> None:
    calls = (ToolCall("classic_retrieve", '{"query": "x"}'), ToolCall(ANSWER, '{"answer": 1}'))
    step = read_step(Completion("", calls), ALL, "tools")
    assert step.call == Call("ClassicRetrieve", {"query": "x"})
    assert step.reply == "[Action]: ClassicRetrieve(query='x')"
    assert "only the first" in step.notes[0]


def test_what_cannot_be_understood_is_told() -> None:
    for completion in (
        Completion("I would look at the abstract."),
        Completion("", (ToolCall("ClassicRetrieve", "{"),)),
        Completion("", (ToolCall("Fly", "{}"),)),
        Completion(""),
    ):
        step = read_step(completion, ALL, "markdown")
        assert step.call is None
        assert step.observation is not None
        assert step.observation.text.startswith("[Error]: ")
        assert step.reply


def test_a_reply_that_was_cut_is_told_so() -> None:
    step = read_step(Completion("[Thought]: well", finish_reason="length"), ALL, "markdown")
    assert step.observation is not None
    assert "cut because it is too long" in step.observation.text


def test_a_cut_reply_is_asked_again_and_never_an_answer() -> None:
    cut = (
        Completion("[Action]: GenerateAnswer(answer=12", finish_reason="length"),
        Completion("The answer is 12", finish_reason="length"),
        Completion("", (ToolCall(ANSWER, '{"answer": 12}'),), finish_reason="length"),
        Completion("", (ToolCall(ANSWER, ""),), finish_reason="length"),
    )
    for completion in cut:
        for allowed in (ALL, ONLY_ANSWER):
            step = read_step(completion, allowed, "markdown")
            assert step.call is None
            assert step.observation is not None
            assert "cut because it is too long" in step.observation.text


def test_a_quoted_answer_is_none() -> None:
    for text in ("I refuse `GenerateAnswer(answer=1)`.", "So:\n```\nGenerateAnswer(answer=1)\n```\nNo."):
        assert read_step(Completion(text), ONLY_ANSWER, "markdown").call is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("42", "42"),
        ("The answer follows.\n```\nYi-34B\n```", "Yi-34B"),
        ("It is clear.\nFinal answer: **Yes**", "Yes**"),
        ("[Answer]: no", "no"),
        ("[Action]: GenerateAnswer(answer=7)", 7),
    ],
)
def test_where_only_an_answer_is_allowed_a_bare_one_will_do(text: str, answer: object) -> None:
    assert read_step(Completion(text), ONLY_ANSWER, "markdown").call == Call(ANSWER, {"answer": answer})


def test_a_thought_is_no_answer() -> None:
    for text in ("[Thought]: I need more.", "[Observation]: 1 row", "word " * 1000):
        assert read_step(Completion(text), ONLY_ANSWER, "markdown").call is None
    assert read_step(Completion("42"), ALL, "markdown").call is None


@given(st.text(max_size=200), st.sampled_from(["markdown", "json", "tools"]))
def test_no_reply_makes_it_raise(text: str, action_format: str) -> None:
    for allowed in (ALL, ONLY_ANSWER):
        step = read_step(Completion(text), allowed, action_format)
        assert (step.call is None) == (step.observation is not None)


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_native_call_makes_it_raise(name: str, arguments: str) -> None:
    step = read_step(Completion("", (ToolCall(name, arguments),)), ALL, "tools")
    assert (step.call is None) == (step.observation is not None)
