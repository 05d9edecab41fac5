"""Runs again and side by side: the same actions without any model, and what differs between two runs.

    for change in replay(run, environment):
        change.turn, change.what, change.before, change.after

A replay runs every recorded action in the environment and compares what comes back with what came back
then; nothing differs as long as the library is the same.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from quire.ask.environment import Environment
from quire.ask.formats import render_call
from quire.ask.methods import ANSWER, METHODS
from quire.errors import RunError
from quire.settings import Agent, Observations
from quire.types import Step, Trajectory


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
    """Where the environment now answers otherwise than it did.

    Raises:
        RunError: the run's settings are none that it can have had.
    """
    found = []
    for turn, (step, again) in enumerate(zip(run.steps, rerun(run, environment).steps, strict=True), 1):
        before, after = _seen(step), _seen(again)
        # An answer that was sent back or criticised was judged by others than the environment.
        if step.call is not None and step.call.name != ANSWER and before != after:
            found.append(Difference(turn, "observation", before, after))
    return found


def rerun(run: Trajectory, environment: Environment) -> Trajectory:
    """The run with the observations that the environment gives now; raises as `replay`."""
    whole = _as_then(run, environment)
    offered = whole.limited_to(METHODS[run.method].actions) if run.method in METHODS else whole
    return replace(run, steps=tuple(_again(step, offered if step.reply else whole) for step in run.steps))


def _as_then(run: Trajectory, environment: Environment) -> Environment:
    """The environment set as the run's was: what it showed, to which model, in which format."""
    shown, agent = (run.settings.get(name) for name in ("observations", "agent"))
    told = agent.get("action_format") if isinstance(agent, Mapping) else None
    try:
        settings = Observations(**shown) if isinstance(shown, Mapping) else environment.settings
        format = Agent(action_format=environment.format if told is None else told).action_format
    except ValueError as error:
        raise RunError(
            f"The settings of the run `{run.run_id[:80]}` are none that it can have had."
        ) from error
    seen = any(step.observation and step.observation.image for step in run.steps)
    vision = seen or environment.vision
    return replace(environment.asked(run.question), format=format, settings=settings, vision=vision)


def _again(step: Step, environment: Environment) -> Step:
    if step.call is None or step.observation is None:
        return step
    seen = environment.run(step.call)
    return replace(step, observation=replace(seen, text="\n".join((seen.text, *step.notes))))


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
        for what, read in (("action", _action), ("observation", _seen)):
            if (one := read(one_step)) != (other := read(other_step)):
                found.append(Difference(turn, what, one, other))
    said, now = (f"{run.answer.status}: {run.answer.value!r}" for run in (before, after))
    return [*found, Difference(0, "answer", said, now)] if said != now else found


def _action(step: Step | None) -> str:
    return render_call(step.call) if step and step.call else ""


def _seen(step: Step | None) -> str:
    return step.observation.text if step and step.observation else ""
