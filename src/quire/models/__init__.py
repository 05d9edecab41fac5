"""Language models: messages in, a completion out, whatever stands behind it.

    model = Gateway(load("library")).model("answer")
    model.complete([system("Answer in one word."), user("What is the capital of France?")]).text

Importing this room imports no client library; that happens at the first request. `gateway` makes every
model; `budget` sets a call's highest cost aside, counts what it was and sums up for one piece of work,
`prices` knows what tokens cost; `cache`, `limits`, `retrying` and `offline` stand between a `model`
and its provider.
"""

from __future__ import annotations

from quire.models.budget import Account, Budgeted, Meter, spending
from quire.models.cache import Cached, ResponseCache
from quire.models.gateway import Gateway, OpenModel
from quire.models.limits import Gate, Limited
from quire.models.messages import Completion, Message, ToolCall, assistant, system, user
from quire.models.model import Model
from quire.models.offline import Refusing
from quire.models.prices import price_of
from quire.models.protocol import Params, Provider
from quire.models.providers.echo import Echo
from quire.models.providers.replay import Replay
from quire.models.providers.scripted import Scripted
from quire.models.retrying import Retrying
from quire.models.roles import PROVIDERS, Role, name_for
from quire.models.token_estimate import estimate_tokens, prompt_tokens

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
