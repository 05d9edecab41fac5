"""FirstLook: what a method shows before its model is asked. No model is offered it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.first_look import first_look
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@dataclass(frozen=True)
class FirstLook:
    """See what fits a question best: the catalogue, a paper's parts, the best passages."""

    query: Annotated[str, "The question."]
    papers: Annotated[tuple[str, ...], "Ids of the papers that it names; none means all."] = ()
    limit: Annotated[int, "How many passages at most."] = 5

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("What is there for a question.", {"query": "how many patients were treated?"}),
    )

    def run(self, env: Environment) -> Observation:
        """The look."""
        return first_look(env, self.query, self.papers, self.limit)
