"""The one loop of all methods: thought, action, observation, until an answer or a limit.

    trajectory = run(policy, Environment(library), question, Limits(max_turns=20))
    trajectory.answer.value

At a limit the policy is asked once more for its best answer; it may abstain, and an observation is never
passed off as an answer. An answer of the wrong form is sent back once.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from quire.agents.answer_format import AnswerFormat, read_format, sound
from quire.agents.evidence import describe, verify
from quire.agents.policy import Policy
from quire.agents.sources import gather
from quire.environment import Environment, failed
from quire.errors import ActionError, AnswerFormatError, BudgetExceeded, ModelError
from quire.types import Answer, Observation, Question, Step, Trajectory, Usage

_ANSWER = "GenerateAnswer"
_SHOWN = 3  # pieces of evidence in place of an answer


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run is ended: turns, tokens (prompt and completion); 0 means no limit. Money has its meter."""

    max_turns: int = 20
    max_tokens: int = 0

    def reached(self, turns: int, usage: Usage) -> str:
        """Which limit is reached, in words, or ""."""
        if self.max_turns and turns >= self.max_turns:
            return f"the limit of {self.max_turns} turns"
        if self.max_tokens and usage.prompt_tokens + usage.completion_tokens >= self.max_tokens:
            return f"the limit of {self.max_tokens} tokens"
        return ""


def run(
    policy: Policy,
    environment: Environment,
    question: Question,
    limits: Limits = Limits(),
    *,
    method: str = "",
    settings: Mapping[str, Any] | None = None,
    versions: Mapping[str, str] | None = None,
    on_step: Callable[[Step], None] | None = None,
    stops: tuple[type[ModelError], ...] = (),
) -> Trajectory:
    """Ask the policy until it answers; the whole run as a trajectory.

    An error of the model ends the run with status "failed"; errors of actions are told to the policy.

    Raises:
        ModelError: one of `stops`: who asks many questions wants to end at the first that cannot be paid.
    """
    started, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.perf_counter()
    turns = _Turns(policy, environment.asked(question), question, limits, on_step or (lambda step: None))
    answer = turns.run(stops)
    steps = tuple(turns.history)
    return Trajectory(
        run_id=f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}",
        question=question,
        steps=steps,
        answer=answer,
        usage=sum((step.usage for step in steps), Usage()),
        seconds=time.perf_counter() - clock,
        method=method,
        model=policy.name,
        started=started,
        settings=settings or {},
        versions=versions or {},
    )


class _Turns:
    """The turns of one run."""

    def __init__(
        self,
        policy: Policy,
        environment: Environment,
        question: Question,
        limits: Limits,
        on_step: Callable[[Step], None],
    ) -> None:
        self.policy, self.environment, self.question = policy, environment, question
        self.offered = environment.limited_to(policy.actions)
        self.limits, self.on_step = limits, on_step
        self.wanted = read_format(question.answer_format, question.schema)
        self.history: list[Step] = []
        self.sent_back = False

    def run(self, stops: tuple[type[ModelError], ...]) -> Answer:
        try:
            while not (limit := self._limit()):
                try:
                    answer = self._turn(self.policy.decide)
                except BudgetExceeded as error:
                    if isinstance(error, stops):
                        raise
                    limit = f"a limit: {error.message.rstrip('.')}"
                    break
                if answer is not None:
                    return answer
            answer = self._turn(self.policy.conclude)
        except stops:
            raise
        except (ModelError, ActionError) as error:
            return Answer("failed", note=str(error))
        note = f"Ended by {limit}."
        if answer is None:
            return Answer("abstained", note=note)
        return replace(answer, note=f"{note} {answer.note}".strip())

    def _limit(self) -> str:
        turns = sum(not step.opening for step in self.history)
        return self.limits.reached(turns, sum((step.usage for step in self.history), Usage()))

    def _turn(self, ask: Callable[..., Step]) -> Answer | None:
        begun = time.perf_counter()
        step = ask(self.question, self.history)
        final = step.call is not None and step.call.name == _ANSWER
        observation = step.observation
        if observation is None:
            # A look-up that the method itself opens with may be more than its model is offered.
            where = self.environment if step.opening else self.offered
            observation = where.run(step.call) if step.call else failed(ActionError("There was no action."))
        answer: Answer | None = None
        if final and observation.kind == "final":
            answer, observation = self._answered(step, observation)
        if step.notes:
            observation = replace(observation, text="\n".join((observation.text, *step.notes)))
        done = replace(step, observation=observation, seconds=time.perf_counter() - begun)
        self.history.append(done)
        self.on_step(done)
        return answer

    def _answered(self, step: Step, observation: Observation) -> tuple[Answer | None, Observation]:
        value = observation.rows[0]["answer"]
        said = step.answer
        if value is None or (said is not None and said.status == "abstained"):
            said = said or Answer("abstained", note="The model found no answer.")
            return self._checked(replace(said, status="abstained", value=None)), observation
        try:
            value, problem = self.wanted.coerce(value), ""
        except AnswerFormatError as error:
            problem = str(error).rstrip(".") + "."
        if problem and not self.sent_back:
            self.sent_back = True
            hint = f"Answer again in the asked form: {_form(self.wanted)}"
            return None, failed(AnswerFormatError(problem, hint=hint))
        if problem and not sound(value):
            return Answer("failed", note=f"The answer cannot be kept: {problem}"), observation
        said = said or Answer("answered", evidence=gather(value, self.history))
        note = f"{said.note} The answer is not in the asked form: {problem}".strip() if problem else said.note
        return self._checked(replace(said, status="answered", value=value, note=note)), observation

    def _checked(self, answer: Answer) -> Answer:
        library = self.environment.library
        checked = [verify(each, library) for each in answer.evidence]
        if (
            answer.status == "abstained"
        ):  # what is shown instead of an answer stands on its page, or is not shown
            checked = [each for each in checked if each.verified][:_SHOWN]
        return replace(answer, evidence=describe(checked, library))


def _form(wanted: AnswerFormat) -> str:
    return wanted.words or wanted.kind


__all__ = ["Limits", "run"]
