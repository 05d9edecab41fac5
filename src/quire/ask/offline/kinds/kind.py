"""A kind of asking: how surely a question asks it, and the plan that answers it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quire.ask.offline.plan import Plan
from quire.ask.offline.question.features import QuestionFeatures


@dataclass(frozen=True, slots=True)
class QuestionKind:
    """`fits` gives 0 to 1; the kind that fits best is tried first, the next when it finds nothing."""

    name: str
    fits: Callable[[QuestionFeatures], float]
    plan: Callable[[QuestionFeatures], Plan]
