"""Runs again and side by side: the same actions without any model, and what differs between two runs.

    for change in replay(run, environment):
        change.turn, change.what, change.before, change.after

A replay runs every recorded action in the environment and compares what comes back with what came back
then; nothing differs as long as the library is the same.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest

from quire.environment import Environment, render_call
from quire.types import Call, Step, Trajectory


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs: the turn (from 1; 0 for the run as a whole), what, and both sides as text."""

    turn: int
    what: str
    before: str
    after: str

    def unified(self) -> str:
        """Both sides as a unified diff."""
        lines = difflib.unified_diff(self.before.splitlines(), self.after.splitlines(), lineterm="", n=1)
        return "\n".join(list(lines)[2:])


def replay(run: Trajectory, environment: Environment) -> list[Difference]:
    """Where the environment now answers otherwise than it did."""
    scoped = environment.scoped(environment.scope or run.question.anchor_papers)
    found = []
    for turn, step in enumerate(run.steps, 1):
        if step.call is None or step.observation is None:
            continue
        again = scoped.run(step.call)
        # A final answer that was sent back was judged by the loop, not by the environment.
        if again.kind != "final" and again.text != step.observation.text:
            found.append(Difference(turn, "observation", step.observation.text, again.text))
    return found


def rerun(run: Trajectory, environment: Environment) -> Trajectory:
    """The run with the observations that the environment gives now."""
    scoped = environment.scoped(environment.scope or run.question.anchor_papers)
    steps = tuple(
        replace(step, observation=scoped.run(step.call)) if step.call else step for step in run.steps
    )
    return replace(run, steps=steps)


def diff(before: Trajectory, after: Trajectory) -> list[Difference]:
    """Where two runs differ: question, actions, observations, answer."""
    found = [
        Difference(0, what, one, other)
        for what, one, other in (
            ("question", before.question.text, after.question.text),
            ("model", before.model, after.model),
            ("method", before.method, after.method),
        )
        if one != other
    ]
    for turn, (one_step, other_step) in enumerate(zip_longest(before.steps, after.steps), 1):
        found += _steps(turn, one_step, other_step)
    if (before.answer.status, before.answer.value) != (after.answer.status, after.answer.value):
        found.append(Difference(0, "answer", _answer(before), _answer(after)))
    return found


def _steps(turn: int, before: Step | None, after: Step | None) -> Iterator[Difference]:
    for what, read in (("action", _action), ("observation", _seen)):
        one, other = read(before), read(after)
        if one != other:
            yield Difference(turn, what, one, other)


def _action(step: Step | None) -> str:
    call: Call | None = step.call if step else None
    return render_call(call) if call else ""


def _seen(step: Step | None) -> str:
    return step.observation.text if step and step.observation else ""


def _answer(run: Trajectory) -> str:
    return f"{run.answer.status}: {run.answer.value!r}"
