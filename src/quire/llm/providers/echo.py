"""A model that says back what it was last told: shows what a prompt looks like, and that everything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params
from quire.llm.token_estimate import estimate_tokens, prompt_tokens
from quire.settings import Settings
from quire.types import Usage


def build(name: str, settings: Settings) -> Echo:
    """There is nothing to set."""
    return Echo()


class Echo:
    """Replies with the text of the last message."""

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The last message's text, cut at `max_tokens` words."""
        said = messages[-1].text if messages else ""
        words = said.split(" ")
        limit = params.get("max_tokens", len(words))
        text = " ".join(words[:limit])
        if on_text := params.get("on_text"):
            on_text(text)
        usage = Usage(prompt_tokens(messages), estimate_tokens(text), calls=1)
        return Completion(text, usage=usage, finish_reason="stop" if len(words) <= limit else "length")
