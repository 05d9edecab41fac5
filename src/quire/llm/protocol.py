"""The seam between quire and language models: one method.

A provider gives one completion for one conversation, or raises. Retries, limits, cost, cache and the
offline switch are providers too, each wrapped around another, so that any of them can be left out:

    Cached(Budgeted(Retrying(Limited(OpenAICompatible(...)))))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypedDict, Unpack

from quire.llm.messages import Completion, Message


class Params(TypedDict, total=False):
    """What a request may set; what is absent is left to the endpoint.

    `tools` are function schemas in the JSON layout of the OpenAI protocol. `on_text` asks for streaming
    and is called with each piece of text as it arrives, and with "" a few times a second while none does, so
    that a ModelStopped that it raises ends the request at once. It changes nothing else.
    """

    temperature: float
    top_p: float
    max_tokens: int
    seed: int
    reasoning_effort: str
    stop: tuple[str, ...]
    tools: Sequence[Mapping[str, Any]]
    on_text: Callable[[str], None]


class Provider(Protocol):
    """Anything that completes a conversation."""

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The reply to `messages`.

        Raises:
            ModelUnreachable: no usable reply came: refused connection, time-out, errors of the server.
            ModelRefused: the endpoint rejects the request: key, model name, parameters.
            ContextOverflow: the messages are longer than the model reads.
            BudgetExceeded: the request could pass the cost limit; nothing was sent.
            OfflineError: quire runs offline; nothing was sent.
            ModelStopped: `on_text` wanted it.
        """
        ...
