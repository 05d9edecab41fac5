"""What is kept of a run of the agent, and how each method shows it again."""

from __future__ import annotations

import pytest

from quire.eval.evaluation import trace
from quire.types import Call, Experience, Observation, Shot, Step, Verdict
from quire_streams.memories import RENDERERS
from quire_streams.methods import METHODS
from quire_streams.methods.agent_styles import render_shot

ACTION = "[Action]: RetrieveFromDatabase(sql='SELECT 7')"
WRONG = Experience(
    "How many?",
    "papers",
    "q0",
    {"shot": "Question: How many?", "rationale": ACTION},
    "7",
    Verdict("wrong"),
    3,
    "gpt",
    "",
)


def _sql(sql: str, thought: str = "", kind: str = "rows") -> Step:
    seen = Observation(kind, "...")  # type: ignore[arg-type]
    return Step(thought, Call("RetrieveFromDatabase", {"sql": sql}), seen)


def test_a_trace_holds_the_look_ups_that_worked() -> None:
    steps = [
        _sql("SELEC 7", kind="error"),
        Step("unreadable", None, Observation("error", "no action")),
        _sql("SELECT 7"),
        _sql("SELECT 8", "And the next."),
        Step("", Call("GenerateAnswer", {"answer": 7}), Observation("final", "7")),
    ]
    assert trace(steps).splitlines() == [
        ACTION,
        "[Thought]: And the next.",
        "[Action]: RetrieveFromDatabase(sql='SELECT 8')",
    ]


@pytest.mark.parametrize("name", [name for name, row in METHODS.items() if row.memory != "none"])
def test_every_method_shows_question_actions_and_answer_once(name: str) -> None:
    text = render_shot(Shot(RENDERERS[METHODS[name].render](WRONG), WRONG))
    assert text.count("Question: How many?") == text.count(ACTION) == 1
    assert "7" in text.replace(ACTION, "")


def test_what_a_method_tells_besides_stays() -> None:
    told = {name: render_shot(Shot(RENDERERS[METHODS[name].render](WRONG), WRONG)) for name in METHODS}
    assert {name for name, text in told.items() if "This answer was wrong." in text} == {
        "grow_prompt", "grow_prompt_only_right", "grow_prompt_only_wrong",
        "mem_prompt", "mem_prompt_only_right", "mem_prompt_only_wrong",
    }  # fmt: skip
    assert {name for name, text in told.items() if "(by gpt)" in text} == {"mam_author"}
    assert {name for name, text in told.items() if "Reasoning:" in text} == {"cot_stream_icl", "cot_mam"}


def test_a_lesson_is_shown_as_it_is() -> None:
    lesson = Experience("k", "papers", "", {"shot": "Count rows."}, "7", Verdict("right"), 0, "m", "")
    assert render_shot(Shot("Lesson: Count rows.", lesson)) == "Lesson: Count rows."
