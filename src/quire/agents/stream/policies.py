"""The PDF agent as a solver of a stream: a question in, a run of thought and action, its answer out.

What is remembered of a run is the question, the actions that it took and the answer; shown again, the actions
are the lesson. A policy that takes no shots (the offline one) answers every question afresh.

    solver = agent_solver(model, "refine", environment, settings.agent, look(library, filled), Limits())
    PolicySolver("offline", lambda shots: OfflinePolicy(), library.environment)
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from quire.agents import loop
from quire.agents.library_schema import LibrarySchema
from quire.agents.llm import llm_policy
from quire.agents.policy import Policy
from quire.agents.stream.agent_styles import AgentStyle
from quire.agents.stream.methods import AGENT_STYLES
from quire.agents.stream.shots import shown, trace
from quire.environment import Environment
from quire.errors import ENDS_A_RUN
from quire.models import Model
from quire.settings import Agent
from quire.types import Attempt, Instance, Question, Shot, Trajectory


@dataclass(frozen=True)
class PolicySolver:
    """A policy per question, made with the shots; they work in one environment."""

    name: str
    policy: Callable[[tuple[Shot, ...]], Policy]
    environment: Environment
    limits: loop.Limits = loop.Limits()
    resolve: Callable[[str], str] = str  # from a paper's name in the question set to its id in the library

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Run the policy; an abstention or a failure is an attempt without output."""
        started = time.perf_counter()
        question = _question(instance, self.resolve)
        done = loop.run(self.policy(shots), self.environment, question, self.limits, stops=ENDS_A_RUN)
        return replace(attempt_of(done, self.name), seconds=time.perf_counter() - started)


def attempt_of(done: Trajectory, name: str) -> Attempt:
    """An agent's run as an attempt: an abstention or a failure has no output."""
    answer = done.answer
    value = answer.value
    output = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return Attempt(
        output=output if answer.status == "answered" else "",
        reply=answer.note,
        rationale=trace(done.steps),
        model=name,
        usage=done.usage,
        seconds=done.seconds,
        error=(answer.note or "The run failed.") if answer.status == "failed" else "",
        abstained=answer.status == "abstained",
        trajectory=done,
    )


def agent_solver(
    model: Model,
    style: str,
    environment: Environment,
    settings: Agent,
    library_schema: LibrarySchema,
    limits: loop.Limits,
    resolve: Callable[[str], str] = str,
) -> PolicySolver:
    """The agent with a language model, in a style of `AGENT_STYLES`, over what the library holds.

    Raises:
        UnknownNameError: there is no such style, or no such method in the settings.
    """
    parts: AgentStyle = AGENT_STYLES.load(style)
    plain = llm_policy(
        model, environment, settings, (), library_schema=library_schema, prompt_style=parts.prompt_style
    )

    def policy(shots: tuple[Shot, ...]) -> Policy:
        return parts.around(replace(plain, shots=tuple(map(shown, shots))))

    return PolicySolver(model.name, policy, environment, limits, resolve)


def _question(instance: Instance, resolve: Callable[[str], str]) -> Question:
    fields = instance.fields

    def listed(name: str) -> tuple[str, ...]:
        return tuple(json.loads(fields.get(name) or "[]"))

    return Question(
        instance.id,
        fields.get("question") or instance.key,
        fields.get("form", ""),
        anchor_papers=tuple(map(resolve, listed("papers"))),
        reference_papers=listed("references"),
        conferences=listed("conferences"),
        schema=json.loads(fields.get("schema") or "null"),
    )
