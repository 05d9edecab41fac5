"""Who answers one instance of a stream: a style of prompting over a language model, or anything else.

    solver = PromptSolver(model, DirectStyle(), task.parse)
    attempt = solver.solve(instance, memory.recall(instance, solver.name))

A solver gets the instance and the shots, and nothing else: no gold, no metric, no judge.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from quire.llm import Provider, user
from quire.types import Attempt, Instance, Shot, Usage

Parse = Callable[[str, Instance], str]


class Solver(Protocol):
    """Answers one instance, given what memory recalled for it."""

    @property
    def name(self) -> str:
        """The model's name, or that of the offline solver."""
        ...

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """An attempt; `output` is "" when no answer could be read."""
        ...


class PromptingStyle(Protocol):
    """How a model is asked: the template and the number of turns."""

    def attempt(
        self, ask: Callable[[str], str], instance: Instance, shots: tuple[Shot, ...], parse: Parse
    ) -> Attempt:
        """Ask (once or several times) and read the answer. Usage and time are counted by the caller."""
        ...


@dataclass
class PromptSolver:
    """A style over a model."""

    name: str
    model: Provider
    style: PromptingStyle
    parse: Parse

    def solve(self, instance: Instance, shots: tuple[Shot, ...]) -> Attempt:
        """Prompt the model and read its reply."""
        usage = Usage()
        started = time.perf_counter()

        def ask(prompt: str) -> str:
            nonlocal usage
            completion = self.model.complete([user(prompt)])
            usage += completion.usage
            return completion.text

        attempt = self.style.attempt(ask, instance, shots, self.parse)
        return replace(attempt, model=self.name, usage=usage, seconds=time.perf_counter() - started)
