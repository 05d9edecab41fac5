"""Which model answers a step, and whose attempt is learnt from.

    one                    there is one model
    round_robin            step t (from 1) goes to model t mod K                    (paper, Algorithm 2)
    round_robin_one_author as round robin, but memory holds what the first model says (paper, Algorithm 3)
    thompson               Beta-Bernoulli Thompson sampling on the verdicts         (Thompson 1933)
    dynamic_thompson       the same, forgetting beyond C = 100 verdicts             (Gupta et al. 2011)

Draws depend on (seed, step) and the verdicts so far, never on a hidden state: a resumed run, which hands
the old verdicts in again, draws the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from quire.registry import Registry
from quire.types import Verdict

ROUTERS = Registry(
    "router",
    {
        "one": "quire.ask.routers:Router",
        "round_robin": "quire.ask.routers:RoundRobin",
        "round_robin_one_author": "quire.ask.routers:RoundRobinOneAuthor",
        "thompson": "quire.ask.routers:Thompson",
        "dynamic_thompson": "quire.ask.routers:DynamicThompson",
    },
    "quire.routers",
)


class RouterTurn(NamedTuple):
    """Positions (in the list of models) of who answers and of whose attempt goes into memory."""

    answers: int
    learns: int


class Router:
    """Chooses models: the first, always, where nothing else is said."""

    def __init__(self, models: int, seed: int) -> None:
        self._models, self._seed = models, seed

    def turn(self, step: int) -> RouterTurn:
        """Who takes this step (from 0)."""
        return RouterTurn(0, 0)

    def reward(self, model: int, verdict: Verdict) -> None:
        """A verdict on an answer of that model came in."""


class RoundRobin(Router):
    """Each in turn."""

    def turn(self, step: int) -> RouterTurn:
        """`t mod K`, with t from 1 as in the paper."""
        chosen = (step + 1) % self._models
        return RouterTurn(chosen, chosen)


class RoundRobinOneAuthor(Router):
    """Each in turn, while the first model alone fills the memory."""

    def turn(self, step: int) -> RouterTurn:
        """The next answers, the first learns."""
        return RouterTurn((step + 1) % self._models, 0)


class Thompson(Router):
    """Draw from each model's posterior, take the best."""

    def __init__(self, models: int, seed: int) -> None:
        super().__init__(models, seed)
        self._right = np.ones(models)
        self._wrong = np.ones(models)

    def turn(self, step: int) -> RouterTurn:
        """The model with the highest draw."""
        draws = np.random.default_rng([self._seed, step]).beta(self._right, self._wrong)
        chosen = int(np.argmax(draws))
        return RouterTurn(chosen, chosen)

    def reward(self, model: int, verdict: Verdict) -> None:
        """Count it; what nobody judged counts for nothing."""
        self._right[model] += verdict.label == "right"
        self._wrong[model] += verdict.label == "wrong"


class DynamicThompson(Thompson):
    """Thompson sampling whose memory of verdicts is bounded, for models that get better on the way."""

    _HORIZON = 100.0

    def reward(self, model: int, verdict: Verdict) -> None:
        """Count it, then shrink to the horizon."""
        super().reward(model, verdict)
        total = self._right[model] + self._wrong[model]
        if total > self._HORIZON:
            self._right[model] *= self._HORIZON / total
            self._wrong[model] *= self._HORIZON / total
