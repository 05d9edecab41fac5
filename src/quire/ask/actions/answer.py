"""GenerateAnswer: end the run with an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from quire.types import Final

if TYPE_CHECKING:
    from quire.ask.environment import Environment


@dataclass(frozen=True)
class GenerateAnswer:
    """End the run with the answer, in exactly the format that the question asks for.

    If the papers do not give the answer, answer None.
    """

    answer: Annotated[Any, "The answer: a string, number, list or object, as the answer format says."]

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("A list of strings.", {"answer": ["Results", "Discussion"]}),
    )

    def run(self, env: Environment) -> Final:
        """The answer itself; nothing follows it."""
        text = json.dumps(self.answer, ensure_ascii=False, default=str)
        return Final("final", text, answer=self.answer)
