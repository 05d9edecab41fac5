"""CalculateExpr: arithmetic that a language model should not do in its head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.arithmetic import evaluate
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@dataclass(frozen=True)
class CalculateExpr:
    """Compute an arithmetic expression, as `round(sum([81.2, 79.5]) / 2, 1)`.

    It knows numbers, lists of numbers, `+ - * / // % **`, comparisons, `and or not`, `a if b else c`,
    comprehensions, `abs round min max sum len int float pow sorted range zip` and `math.*`, and nothing else.
    """

    expr: Annotated[str, "The expression in Python's notation."]

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("The mean of three scores.", {"expr": "round(sum([81.2, 79.5, 90.1]) / 3, 2)"}),
    )

    def run(self, env: Environment) -> Observation:
        """The value."""
        value = evaluate(self.expr)
        return Observation("text", f"The result is: {value}", rows=({"value": value},))
