"""The PDF agent as a solver of a stream: a question in, a run of thought and action, its answer out.

What is remembered of a run is the question, the actions that it took and the answer; shown again, the actions
are the lesson. A policy that takes no shots (the offline one) answers every question afresh.

    solver = PolicySolver("gpt-4o", lambda shots: LLMPolicy(..., shots=shots), environment)
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quire.agents import loop
from quire.agents.policy import Policy
from quire.environment import Environment
from quire.errors import ENDS_A_RUN
from quire.memory.rendering import in_words, reasoned
from quire.types import Attempt, Instance, Question, Shot, Step


@dataclass(frozen=True)
class PolicySolver:
    """A policy per question, made with the texts of the shots; they work in one environment."""

    name: str
    policy: Callable[[tuple[str, ...]], Policy]
    environment: Environment
    limits: loop.Limits = loop.Limits()
    resolve: Callable[[str], str] = str  # from a paper's name in the question set to its id in the library

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Run the policy; an abstention or a failure is an attempt without output."""
        started = time.perf_counter()
        policy = self.policy(tuple(_shown(shot) for shot in shots))
        done = loop.run(
            policy, self.environment, _question(instance, self.resolve), self.limits, stops=ENDS_A_RUN
        )
        answered = done.answer.status == "answered"
        value = done.answer.value
        output = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return Attempt(
            output=output if answered else "",
            reply=done.answer.note,
            rationale=_actions(done.steps),
            model=self.name,
            usage=done.usage,
            seconds=time.perf_counter() - started,
            error=done.answer.note if done.answer.status == "failed" else "",
        )


def _question(instance: Instance, resolve: Callable[[str], str]) -> Question:
    fields = instance.fields
    papers: Sequence[str] = json.loads(fields.get("papers") or "[]")
    text = fields.get("question") or instance.key
    return Question(instance.id, text, fields.get("form", ""), anchor_papers=tuple(map(resolve, papers)))


def _actions(steps: Sequence[Step]) -> str:
    calls = [step.call for step in steps if step.call is not None]
    lines = [
        f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"
        for call in calls
    ]
    return "; ".join(lines)


def _shown(shot: Shot) -> str:
    told = reasoned(shot.experience)
    right = shot.experience.verdict.label == "right"
    return told if right else f"{told}\nVerdict: {in_words(shot.experience.verdict)}"
