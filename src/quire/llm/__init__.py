"""Language models: messages in, a completion out, whatever stands behind it.

    model = Gateway(load("library")).model("answer")
    model.complete([system("Answer in one word."), user("What is the capital of France?")]).text

Importing this room imports no client library; that happens at the first request. `gateway` makes every
model; `budget` knows what tokens cost, sets a call's highest cost aside, counts what it was and sums up for
one piece of work; `cache` and `sending` (turns, retries, the offline switch) stand between a model and its
provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.registry import lazily

if TYPE_CHECKING:
    from quire.llm.budget import Account, Budgeted, Meter, price_of, spending
    from quire.llm.cache import Cached, ResponseCache
    from quire.llm.gateway import PROVIDERS, Gateway, Model, OpenModel, Role, name_for
    from quire.llm.messages import (
        Completion,
        Message,
        ToolCall,
        assistant,
        estimate_tokens,
        prompt_tokens,
        system,
        user,
    )
    from quire.llm.protocol import Params, Provider
    from quire.llm.providers.local import Echo, Replay, Scripted
    from quire.llm.sending import Gate, Limited, Refusing, Retrying

_PLACES = {
    "budget": "Account Budgeted Meter price_of spending",
    "cache": "Cached ResponseCache",
    "gateway": "PROVIDERS Gateway Model OpenModel Role name_for",
    "messages": "Completion Message ToolCall assistant estimate_tokens prompt_tokens system user",
    "protocol": "Params Provider",
    "providers.local": "Echo Replay Scripted",
    "sending": "Gate Limited Refusing Retrying",
}

__all__ = [
    "PROVIDERS", "Account", "Budgeted", "Cached", "Completion", "Echo", "Gate", "Gateway", "Limited",
    "Message", "Meter", "Model", "OpenModel", "Params", "Provider", "Refusing", "Replay", "ResponseCache",
    "Retrying", "Role", "Scripted", "ToolCall", "assistant", "estimate_tokens", "name_for", "price_of",
    "prompt_tokens", "spending", "system", "user",
]  # fmt: skip

__getattr__ = lazily(__name__, {name: place for place, names in _PLACES.items() for name in names.split()})
