"""The PDF agent as a solver of a stream: a question in, a run of thought and action, its answer out.

What is remembered of a run is the question, the actions that it took and the answer; shown again, the actions
are the lesson. A policy that takes no shots (the offline one) answers every question afresh.

    solver = agent_solver(model, "refine", environment, settings.agent, look(library, filled), RunLimits())
    PolicySolver("offline", lambda shots: OfflinePolicy(), library.environment)
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from quire.ask import loop
from quire.ask.environment import Environment
from quire.ask.llm import llm_policy
from quire.ask.loop import Policy
from quire.ask.offline import OfflinePolicy
from quire.ask.personal.learning import OFFLINE
from quire.ask.prompt import LibrarySchema, look
from quire.build import Library
from quire.errors import ENDS_A_RUN
from quire.eval.evaluation import attempt_of
from quire.llm import Model
from quire.settings import Agent
from quire.types import Attempt, Instance, Question, Shot
from quire_streams.methods.agent_styles import AgentStyle
from quire_streams.methods.methods import AGENT_STYLES


@dataclass(frozen=True)
class PolicySolver:
    """A policy per question, made with the shots; they work in one environment."""

    name: str
    policy: Callable[[tuple[Shot, ...]], Policy]
    environment: Environment
    limits: loop.RunLimits = loop.RunLimits()
    resolve: Callable[[str], str] = str  # from a paper's name in the question set to its id in the library

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Run the policy; an abstention or a failure is an attempt without output."""
        started = time.perf_counter()
        question = _question(instance, self.resolve)
        done = loop.run(self.policy(shots), self.environment, question, self.limits, stops=ENDS_A_RUN)
        return replace(attempt_of(done, self.name), seconds=time.perf_counter() - started)


def agent_solver(
    model: Model,
    style: str,
    environment: Environment,
    settings: Agent,
    library_schema: LibrarySchema,
    limits: loop.RunLimits,
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
        return parts.around(replace(plain, shots=tuple(map(render_shot, shots))))

    return PolicySolver(model.name, policy, environment, limits, resolve)


def library_solver(library: Library, name: str, style: str = "reason") -> PolicySolver:
    """Who answers the stream `papers` from a library: `offline`, or a language model by its name.

    `style` is one of `AGENT_STYLES`; the offline policy has one way only.

    Raises:
        SettingsError, UnknownNameError: the model, or the method of the settings, cannot be used.
    """
    agent = library.settings.agent
    limits = loop.RunLimits(agent.max_turns)
    resolve = cache(lambda paper: library.paper(paper).id)
    if name.partition(":")[0] == OFFLINE:
        return PolicySolver(name, lambda shots: OfflinePolicy(), library.environment, limits, resolve)
    model = library.open_model("answer", name)
    environment = replace(library.environment, vision=model.vision)
    filled = [name for name, count in library.status().vectors.items() if count]
    return agent_solver(model, style, environment, agent, look(library, filled), limits, resolve)


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


def render_shot(shot: Shot) -> str:
    """The shot as a prompt shows it."""
    actions = shot.experience.prompt_fields.get("rationale", "")
    if not actions or actions in shot.text:
        return shot.text
    return f"{shot.text}\nThe actions behind this answer:\n{actions}"
