"""A model that adds the two numbers that it was asked last, and counts pages when it has that action."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Unpack

from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params
from quire.settings import Settings
from quire.types import Usage


def build(name: str, settings: Settings) -> Adder:
    """`adder:` has nothing to set."""
    return Adder()


class Adder:
    """Reads the last `a + b` of the conversation."""

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The sum, or an action where the prompt offers CountPages."""
        said = messages[-1].text
        sums = re.findall(r"(\d{1,9}) \+ (\d{1,9})", said)
        if counted := re.findall(r'"pages": (\d{1,9})', said):
            text = f"[Thought] Counted.\n[Action] GenerateAnswer(answer={counted[-1]})"
        elif any("CountPages" in message.text for message in messages):
            text = "[Thought] Count them.\n[Action] CountPages()"
        else:
            text = str(sum(map(int, sums[-1]))) if sums else "?"
        return Completion(text, usage=Usage(calls=1), finish_reason="stop")
