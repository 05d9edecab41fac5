"""Language models: messages in, a completion out, whatever stands behind it.

    model = Gateway(load("library")).model("answer")
    model.complete([system("Answer in one word."), user("What is the capital of France?")]).text

Importing this room imports no client library; that happens at the first request. `gateway` makes every
model; `budget` sets a call's highest cost aside, counts what it was and sums up for one piece of work,
`prices` knows what tokens cost; `cache`, `limits`, `retrying` and `offline` stand between a `model`
and its provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.registry import lazily

if TYPE_CHECKING:
    from quire.llm.budget import Account, Budgeted, Meter, spending
    from quire.llm.cache import Cached, ResponseCache
    from quire.llm.gateway import Gateway, OpenModel
    from quire.llm.limits import Gate, Limited
    from quire.llm.messages import Completion, Message, ToolCall, assistant, system, user
    from quire.llm.model import Model
    from quire.llm.offline import Refusing
    from quire.llm.prices import price_of
    from quire.llm.protocol import Params, Provider
    from quire.llm.providers.echo import Echo
    from quire.llm.providers.replay import Replay
    from quire.llm.providers.scripted import Scripted
    from quire.llm.retrying import Retrying
    from quire.llm.roles import PROVIDERS, Role, name_for
    from quire.llm.token_estimate import estimate_tokens, prompt_tokens

_PLACES = {
    "Account": "budget",
    "Budgeted": "budget",
    "Cached": "cache",
    "Completion": "messages",
    "Echo": "providers.echo",
    "Gate": "limits",
    "Gateway": "gateway",
    "Limited": "limits",
    "Message": "messages",
    "Meter": "budget",
    "Model": "model",
    "OpenModel": "gateway",
    "PROVIDERS": "roles",
    "Params": "protocol",
    "Provider": "protocol",
    "Refusing": "offline",
    "Replay": "providers.replay",
    "ResponseCache": "cache",
    "Retrying": "retrying",
    "Role": "roles",
    "Scripted": "providers.scripted",
    "ToolCall": "messages",
    "assistant": "messages",
    "estimate_tokens": "token_estimate",
    "name_for": "roles",
    "price_of": "prices",
    "prompt_tokens": "token_estimate",
    "spending": "budget",
    "system": "messages",
    "user": "messages",
}

__all__ = [
    "PROVIDERS",
    "Account",
    "Budgeted",
    "Cached",
    "Completion",
    "Echo",
    "Gate",
    "Gateway",
    "Limited",
    "Message",
    "Meter",
    "Model",
    "OpenModel",
    "Params",
    "Provider",
    "Refusing",
    "Replay",
    "ResponseCache",
    "Retrying",
    "Role",
    "Scripted",
    "ToolCall",
    "assistant",
    "estimate_tokens",
    "name_for",
    "price_of",
    "prompt_tokens",
    "spending",
    "system",
    "user",
]

__getattr__ = lazily(__name__, _PLACES)
