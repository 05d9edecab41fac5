"""CountPages: how many pages the library has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@dataclass(frozen=True)
class CountPages:
    """Count the pages of the library."""

    least: Annotated[int, "Count only pages with at least so many characters."] = 0

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (("All pages.", {}),)

    def run(self, env: Environment) -> Observation:
        """The number of pages."""
        sql = f"SELECT count(*) FROM pages WHERE length(page_content) >= {int(self.least)}"
        return Observation("text", json.dumps({"pages": env.library.sql(sql).rows[0][0]}))
