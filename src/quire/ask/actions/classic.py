"""ClassicRetrieve: plain passage search, as in classic retrieval-augmented generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.searching import search
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@dataclass(frozen=True)
class ClassicRetrieve:
    """Find the passages of all papers that fit a query best, whichever paper they are of.

    Passages are running text: table cells, captions and formulas set apart are not in them.
    """

    query: Annotated[str, "What to look for: a few words, a phrase or a question."]
    limit: Annotated[int, "How many passages at most, from 1 to 100."] = 5

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("Four passages about a topic.", {"query": "learning rate for training the network", "limit": 4}),
    )

    def run(self, env: Environment) -> Observation:
        """The passages found, best first."""
        return search(env, self.query, limit=self.limit)
