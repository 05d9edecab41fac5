"""The styles of a stream for the PDF agent, over a library in memory and a model that plays replies."""

from __future__ import annotations

import pytest
from tests.ask.small_library import PAPER, environment, library

from quire.ask.prompt import look
from quire.errors import BudgetExceeded, ContentFiltered, ContextOverflow, ModelDeclined, UnknownNameError
from quire.llm import Model, Scripted
from quire.settings import Agent
from quire.types import Attempt, Experience, Instance, Shot, Verdict
from quire_streams.methods import AGENT_STYLES, METHODS, STYLES
from quire_streams.methods.agent_styles import agent_solver

INSTANCE = Instance(
    "papers", "q1", "How many pages?", "", "", "", "",
    {"question": "How many pages?", "form": "an integer", "papers": f'["{PAPER}"]'},
)  # fmt: skip
LOOK = '[Action]: RetrieveFromDatabase(sql="SELECT num_pages FROM metadata")'
SHOT = Shot(
    "Question: How many tables?\nAnswer: 2\nVerdict: This answer was right.",
    Experience(
        "k", "papers", "q0", {"rationale": "[Action]: Look()"}, "2", Verdict("right"), 0, "m", "", "id"
    ),
)


def _solved(
    style: str, *replies: str | Exception, action_format: str = "markdown", shots: tuple[Shot, ...] = ()
) -> tuple[Attempt, Scripted]:
    script = Scripted(replies)
    held = look(library(), ())
    settings = Agent(method="classic_sql", action_format=action_format)
    solver = agent_solver(Model("m", script), style, environment(), settings, held)
    return solver.solve(INSTANCE, shots), script


def _say(value: object) -> str:
    return f"[Action]: GenerateAnswer(answer={value!r})"


def test_every_style_of_a_prompt_is_one_of_the_agent() -> None:
    assert set(AGENT_STYLES) == set(STYLES) == {row.style for row in METHODS.values()}
    with pytest.raises(UnknownNameError, match="refine"):
        _solved("refined", _say(1))


@pytest.mark.parametrize("action_format", ["markdown", "json", "tools"])
def test_acting_asks_for_no_thought_and_thinking_does(action_format: str) -> None:
    told = {}
    for style in AGENT_STYLES:
        _, script = _solved(style, "nothing", _say(1), "keep this answer", action_format=action_format)
        told[style] = script.requests[0][0].text
    assert "without any thought" in told["direct"]
    assert "[Thought]" not in told["direct"]
    assert "a short thought and exactly one action" in told["reason"]
    assert told["refine"] == told["direct"]


def test_thoughts_are_kept_with_the_actions() -> None:
    attempt, _ = _solved("reason", f"[Thought]: Pages are counted.\n{LOOK}", f"[Thought]: So.\n{_say(1)}")
    assert attempt.output == "1"
    assert attempt.rationale.splitlines()[0] == "[Thought]: Pages are counted."
    assert attempt.rationale.splitlines()[1].startswith("[Action]: RetrieveFromDatabase(")


def test_a_shot_stands_before_the_question_with_its_verdict_and_actions() -> None:
    _, script = _solved("direct", _say(1), shots=(SHOT,))
    prompt = script.requests[0][1].text
    assert prompt.index("This answer was right.") < prompt.index("Look()") < prompt.index("How many pages?")
    _, script = _solved("direct", _say(1))
    assert "Earlier" not in script.requests[0][1].text


def test_a_content_critic_costs_one_call() -> None:
    attempt, script = _solved("refine", LOOK, _say(1), "Keep this answer.")
    assert attempt.output == "1"
    assert attempt.usage.calls == len(script.requests) == 3
    review = "\n".join(message.text for message in script.requests[2])
    assert "How many pages?" in review
    assert "num_pages" in review
    assert "GenerateAnswer(answer=1)" in review


def test_criticism_is_seen_and_the_agent_goes_on() -> None:
    attempt, script = _solved(
        "refine", _say(3), "You did not look.", LOOK, _say(1), "KEEP THIS ANSWER", shots=(SHOT,)
    )
    assert attempt.output == "1"
    assert attempt.usage.calls == 5
    assert "[Criticism]: You did not look." in script.requests[2][-1].text
    assert "GenerateAnswer" not in attempt.rationale
    assert "How many tables?" not in script.requests[1][1].text  # a critic judges this question only


def test_after_four_rounds_the_answer_stands() -> None:
    replies = [reply for n in range(5) for reply in (_say(n), f"No, not {n}.")]
    attempt, script = _solved("refine", *replies)
    assert attempt.output == "4"
    assert len(script.requests) == 9


def test_a_critic_that_declines_is_content() -> None:
    attempt, _ = _solved("refine", _say(1), ModelDeclined("No."))
    assert (attempt.output, attempt.error) == ("1", "")


def test_where_money_ends_nothing_is_answered_with_less() -> None:
    for replies in ([BudgetExceeded("No.")], [_say(1), BudgetExceeded("No.")]):
        with pytest.raises(BudgetExceeded):
            _solved("refine", *replies, _say(2))


def test_a_prompt_that_a_filter_refuses_is_a_failure_and_no_abstention() -> None:
    attempt, _ = _solved("refine", ContentFiltered("Filtered."))
    assert (attempt.output, attempt.error, attempt.abstained) == ("", "Filtered.", False)


def test_a_critic_that_reads_little_is_shown_less() -> None:
    overflow = ContextOverflow("Too long.")
    attempt, script = _solved("refine", _say(3), overflow, "Look first.", _say(1), *[overflow] * 4)
    assert attempt.output == "1"
    assert len(script.requests) == 8


def test_an_agent_that_declines_is_not_criticised() -> None:
    attempt, script = _solved("refine", ModelDeclined("I cannot."))
    assert attempt.output == ""
    assert len(script.requests) == 1
