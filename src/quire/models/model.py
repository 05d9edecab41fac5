"""A model as the rest of quire uses it: a name, a provider with its limits around it, a meter.

model = for_role(settings, "answer")
model.complete([user("Hello")]).text
model.meter.total.cost
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from quire.errors import ModelDeclined, ModelRefused
from quire.models.budget import Meter, estimate_cost
from quire.models.messages import Completion, Message
from quire.models.protocol import Params, Provider
from quire.settings import Price


@dataclass(frozen=True)
class Model:
    """One language model, ready to use. `defaults` hold wherever a request says nothing else."""

    name: str
    provider: Provider
    defaults: Params = field(default_factory=lambda: Params())
    meter: Meter = field(default_factory=Meter)
    price: Price | None = None
    vision: bool = False

    def complete(self, messages: Sequence[Message], **params: Any) -> Completion:
        """The reply to `messages`; its finish reason is "stop", "length" or "tool_calls".

        `params` are those of `Params`.

        Raises:
            ModelDeclined: the model, or the endpoint's filter, declines; holds its words.
            ModelError: no usable reply (see `Provider.complete`).
            OfflineError: quire runs offline.
        """
        merged = self._merged(params)
        reply = self.provider.complete(messages, **merged)
        if reply.finish_reason == "refusal":
            declined = ModelDeclined(f"{self.name} declines: {reply.text}")
            declined.usage = reply.usage
            raise declined
        return reply

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
