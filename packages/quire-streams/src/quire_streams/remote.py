"""Models for a process that may not have them itself: behind its wall it asks its parent's gateway.

    handlers = served(gateway, [("answer", "gpt-4o")])       # in the parent, for `ChannelServer`
    Remote(Channel(there)).model("answer", "gpt-4o")         # in the child: a Model like any other

Keys, cache and meter stay with the parent; a child can ask the models that it was given, and no others. Text
is not streamed: `on_text` hears a reply at its end.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter

from quire.errors import SettingsError
from quire.llm.gateway import Gateway, Model, Role
from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params
from quire.settings import Price
from quire_streams.channel import Channel, Handler

_COMPLETION = TypeAdapter(Completion)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")


class _Parameters(_Strict):
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 0
    seed: int = 0
    reasoning_effort: str = ""
    stop: tuple[str, ...] = ()
    tools: list[dict[str, Any]] = []


class _ModelRequest(_Strict):
    role: str
    name: str
    messages: tuple[Message, ...]
    params: _Parameters


def served(gateway: Gateway, allowed: Collection[tuple[Role, str]]) -> dict[str, Handler]:
    """What a child may ask: these models (role and name), and how much money is left."""

    def model(role: str, name: str) -> Model:
        if (role, name) not in allowed:
            raise SettingsError(f"This run has no model `{name}` for the role `{role}`.")
        return gateway.model(cast(Role, role), name)

    def opened(given: Mapping[str, Any]) -> dict[str, Any]:
        made = model(given["role"], given["name"])
        price = made.price.model_dump() if made.price else None
        return {"name": made.name, "defaults": dict(made.defaults), "price": price, "vision": made.vision}

    def complete(given: Mapping[str, Any]) -> Any:
        request = _ModelRequest.model_validate_json(json.dumps(given))
        params = cast(Params, request.params.model_dump(exclude_unset=True))
        reply = model(request.role, request.name).provider.complete(request.messages, **params)
        return _COMPLETION.dump_python(reply, mode="json")

    def left(_: Mapping[str, Any]) -> float | None:
        dollars = gateway.meter.left
        return None if math.isinf(dollars) else dollars

    return {"model": opened, "complete": complete, "left": left}


@dataclass(frozen=True)
class Remote:
    """The models of another process."""

    channel: Channel

    def model(self, role: Role, name: str) -> Model:
        """The model of that name, as the other process would open it.

        Raises:
            SettingsError: it was not given to this run.
            ModelUnreachable: the other process has gone.
        """
        card = self.channel.call("model", role=role, name=name)
        price = Price(**card["price"]) if card["price"] else None
        provider = _RemoteProvider(self.channel, role, name)
        return Model(card["name"], provider, card["defaults"], _Purse(self.channel), price, card["vision"])


@dataclass(frozen=True)
class _Purse:
    channel: Channel

    @property
    def left(self) -> float:
        dollars = self.channel.call("left")
        return math.inf if dollars is None else float(dollars)


@dataclass(frozen=True)
class _RemoteProvider:
    channel: Channel
    role: str
    name: str

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        on_text = params.pop("on_text", None)
        request = _ModelRequest(
            role=self.role,
            name=self.name,
            messages=tuple(messages),
            params=_Parameters.model_validate(params),
        )
        reply = self.channel.call("complete", **request.model_dump(mode="json", exclude_unset=True))
        completion = _COMPLETION.validate_python(reply)
        if on_text:
            on_text(completion.text)
        return completion
