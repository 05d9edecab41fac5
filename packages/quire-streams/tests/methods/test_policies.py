"""The PDF agent as a solver of a stream."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.ask.stored import stored

from quire.ask.actions import ACTIONS
from quire.ask.environment import Environment
from quire.ask.loop import Policy
from quire.errors import BudgetExceeded
from quire.types import Call, Experience, Instance, Question, Shot, Step, Usage, Verdict
from quire_streams.methods.agent_styles import PolicySolver

INSTANCE = Instance(
    "papers", "q1", "How many?", "", "", "", "", {"question": "How many?", "form": "int", "papers": "[]"}
)


class _Steps:
    """A policy that takes given steps."""

    name = "steps"
    actions = tuple(ACTIONS)

    def __init__(self, *steps: Step | Exception) -> None:
        self._steps = steps

    def decide(self, question: Question, history: Sequence[Step]) -> Step:
        """The next one."""
        step = self._steps[len(history)]
        if isinstance(step, Exception):
            raise step
        return step

    def conclude(self, question: Question, history: Sequence[Step]) -> Step:
        """The last one."""
        return self.decide(question, history[:-1])


def _solver(made: list[tuple[Shot, ...]], *steps: Step | Exception) -> PolicySolver:
    def policy(shots: tuple[Shot, ...]) -> Policy:
        made.append(shots)
        return _Steps(*steps)

    return PolicySolver("m", policy, Environment(stored({})))


LOOK = Step(
    "look", Call("RetrieveFromDatabase", {"sql": "SELECT count(*) FROM metadata"}), usage=Usage(10, 2, 0, 1)
)
SAY = Step("say", Call("GenerateAnswer", {"answer": 1}), usage=Usage(20, 3, 0, 1))


def test_answer_and_actions_are_kept_and_shots_are_handed_on() -> None:
    made: list[tuple[Shot, ...]] = []
    kept = Experience("k", "papers", "q0", {}, "2", Verdict("wrong"), 0, "m", "")
    attempt = _solver(made, LOOK, SAY).solve(INSTANCE, (Shot("", kept),))
    assert attempt.output == "1"
    assert attempt.rationale == (
        "[Thought]: look\n[Action]: RetrieveFromDatabase(sql='SELECT count(*) FROM metadata')"
    )
    assert attempt.usage == Usage(30, 5, 0, 2)
    assert made == [(Shot("", kept),)]


def test_an_empty_purse_is_raised() -> None:
    with pytest.raises(BudgetExceeded):
        _solver([], BudgetExceeded("no more")).solve(INSTANCE, ())
