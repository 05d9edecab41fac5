"""A model that answers from recorded replies only: `replay:FILE` reads a response cache and asks nobody.

    QUIRE_MODEL__NAME="replay:models.sqlite#gpt-4o-mini at https://api.openai.com/v1"
    Replay(ResponseCache(path), "gpt-4o-mini at https://api.openai.com/v1")

A request is recognised by the hash of its model, messages and parameters, so a replay shows that nothing
of a run has changed: the first request that differs is an error that says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from quire.errors import ModelRefused
from quire.llm.cache import ResponseCache
from quire.llm.messages import Completion, Message, request_key
from quire.llm.protocol import Params
from quire.settings import Settings


def build(name: str, settings: Settings) -> Replay:
    """`replay:FILE#IDENTITY`: a cache file, and the model at its endpoint as the cache names it.

    Raises:
        ModelRefused: there is no such file.
    """
    path, _, identity = name.partition("#")
    file = Path(path).expanduser()
    if not file.is_file():
        raise ModelRefused(f"There is no recording {file}.", hint="A recording is a response cache of quire.")
    return Replay(ResponseCache(file), identity)


@dataclass(frozen=True)
class Replay:
    """Recorded replies, by request."""

    cache: ResponseCache
    identity: str

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The reply that was recorded for this request.

        Raises:
            ModelRefused: this request was not recorded.
        """
        reply = self.cache.get(request_key(self.identity, messages, params))
        if reply is None:
            raise ModelRefused(
                f"This request of {len(messages)} messages is not in the recording {self.cache.path.name}"
                f" of {self.identity or 'any model'}.",
                hint="Something before it has changed: the question, a setting, the library or the prompt.",
            )
        if on_text := params.get("on_text"):
            on_text(reply.text)
        return reply
