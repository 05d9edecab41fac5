"""Search: one search over sentences, table rows, captions, headings and titles, for passages to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.ask.searching import search_everything
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@dataclass(frozen=True)
class Search:
    """Find the passages, table rows and captions that answer a question best."""

    query: Annotated[str, "The question, or what to look for, in plain words."]
    papers: Annotated[tuple[str, ...], "Ids of the papers to search; none means all."] = ()
    limit: Annotated[int, "How many passages at most, from 1 to 100."] = 5
    each_paper: Annotated[bool, "Only the best passage of each paper: for what several papers say."] = False

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("What answers a question.", {"query": "how many patients were treated with the new drug?"}),
    )

    def run(self, env: Environment) -> Observation:
        """The passages found, best first."""
        return search_everything(
            env, self.query, papers=self.papers, limit=self.limit, each_paper=self.each_paper
        )
