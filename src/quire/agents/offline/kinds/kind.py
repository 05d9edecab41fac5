"""A kind of asking: how surely a question asks it, and the plan that answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quire.agents.offline.plan import Plan
from quire.agents.offline.question.features import Reading


@dataclass(frozen=True, slots=True)
class Kind:
    """`fits` gives 0 to 1; the kind that fits best is tried first, the next when it finds nothing."""

    name: str
    fits: Callable[[Reading], float]
    plan: Callable[[Reading], Plan]
