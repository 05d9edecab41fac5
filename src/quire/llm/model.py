"""A model as the rest of quire uses it: a name, a provider with its limits around it, the money that is left.

model = gateway.model("answer")
model.complete([user("Hello")]).text
model.meter.left
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from quire.errors import ContentFiltered, ModelDeclined, ModelError, ModelRefused
from quire.llm.budget import Meter, estimate_cost, spend
from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params, Provider
from quire.settings import Price


class Budget(Protocol):
    """What may still be spent; a Meter, or whoever can ask one."""

    @property
    def left(self) -> float:
        """US dollars; infinite without a limit."""
        ...


@dataclass(frozen=True)
class Model:
    """One language model, ready to use. `defaults` hold wherever a request says nothing else."""

    name: str
    provider: Provider
    defaults: Params = field(default_factory=lambda: Params())
    meter: Budget = field(default_factory=Meter)
    price: Price | None = None
    vision: bool = False

    def complete(self, messages: Sequence[Message], **params: Any) -> Completion:
        """The reply to `messages`; its finish reason is "stop", "length" or "tool_calls".

        `params` are those of `Params`.

        Raises:
            ModelDeclined: the model declines; holds its words.
            ContentFiltered: the endpoint's filter withholds the prompt or the reply.
            ModelError: no usable reply (see `Provider.complete`).
            OfflineError: quire runs offline.
        """
        merged = self._merged(params)
        try:
            reply = self.provider.complete(messages, **merged)
        except ModelError as error:
            spend(error.usage)
            raise
        spend(reply.usage)
        withheld: ModelError
        if reply.finish_reason == "refusal":
            withheld = ModelDeclined(f"{self.name} declines: {reply.text}")
        elif reply.finish_reason == "filtered":
            withheld = ContentFiltered(f"A filter of the endpoint withholds the reply of {self.name}.")
        else:
            return reply
        withheld.usage = reply.usage
        raise withheld

    def estimate(self, messages: Sequence[Message], **params: Any) -> float | None:
        """The highest cost of that request in US dollars; None where no price is known."""
        if self.price is None:
            return None
        return estimate_cost(messages, self._merged(params).get("max_tokens", 0), self.price)

    def _merged(self, params: Mapping[str, Any]) -> Params:
        if unknown := sorted(params.keys() - Params.__annotations__.keys()):
            raise ModelRefused(
                f"A model has no parameter `{unknown[0]}`.", hint=f"Use {', '.join(Params.__annotations__)}."
            )
        return cast(Params, {**self.defaults, **params})
