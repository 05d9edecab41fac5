"""Counting tokens and cost, and stopping before a limit is passed.

    meter = Meter(limit=0.50)
    Budgeted(provider, meter, price)

Before a request its highest cost is estimated (all prompt tokens at the full price, and as many tokens
of reply as are allowed) and reserved; what it did cost takes the reservation's place. Parallel requests
therefore cannot pass the limit together. The estimate of the prompt is made without the model's own
tokenizer and is mostly too high; a limit may be passed by the error of the last request's estimate, no
more. A limit on a model without a known price is an error, not a silent zero.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from quire.errors import BudgetExceeded
from quire.models.messages import Completion, Message
from quire.models.prices import cost
from quire.models.protocol import Params, Provider
from quire.models.tokens import prompt_tokens
from quire.settings import Price
from quire.types import Usage

_LIKELY_REPLY = 4000  # tokens, where a request sets no limit


class Meter:
    """What has been used so far, over all models that share it; `limit` in US dollars, 0 for none."""

    def __init__(self, limit: float = 0.0) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._total = Usage()
        self._reserved = 0.0

    @property
    def total(self) -> Usage:
        """Tokens and cost of all calls that were made."""
        with self._lock:
            return self._total

    @property
    def left(self) -> float:
        """US dollars that may still be spent; infinite without a limit."""
        with self._lock:
            return self.limit - self._total.cost - self._reserved if self.limit else math.inf

    def reserve(self, dollars: float) -> None:
        """Set money aside for one request.

        Raises:
            BudgetExceeded: the limit could be passed; nothing is set aside.
        """
        with self._lock:
            spent = self._total.cost + self._reserved
            if self.limit and spent + dollars > self.limit:
                raise BudgetExceeded(
                    f"The next request may cost ${dollars:.4f}; ${spent:.4f} of ${self.limit:.4f} are used.",
                    hint="Raise --max-cost (model.max_cost), or use a cheaper model.",
                )
            self._reserved += dollars

    def settle(self, reserved: float, usage: Usage) -> None:
        """Book what a request did use in place of what was set aside for it."""
        with self._lock:
            self._reserved -= reserved
            self._total += usage


@dataclass(frozen=True)
class Budgeted:
    """A provider whose calls are counted, priced and limited."""

    inner: Provider
    meter: Meter
    price: Price | None
    model: str = ""

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The inner provider's reply, its cost in `usage`.

        Raises:
            BudgetExceeded: the limit could be passed, or cannot be kept because no price is known.
        """
        if self.meter.limit and self.price is None:
            raise BudgetExceeded(
                f"A cost limit is set, but no price of `{self.model}` is known.",
                hint=f'Set it under [model.prices."{self.model}"] in quire.toml (0 for a model of your own).',
            )
        highest = estimate_cost(messages, params.get("max_tokens", _LIKELY_REPLY), self.price)
        self.meter.reserve(highest)
        try:
            reply = self.inner.complete(messages, **params)
        except BaseException:
            self.meter.settle(highest, Usage())
            raise
        paid = cost(reply.usage, self.price) if self.price else 0.0
        usage = replace(reply.usage, calls=1, cost=paid)
        self.meter.settle(highest, usage)
        return replace(reply, usage=usage)


def estimate_cost(messages: Sequence[Message], max_tokens: int, price: Price | None) -> float:
    """The highest cost that a request can reach, in US dollars; 0 where no price is known."""
    if price is None:
        return 0.0
    return cost(Usage(prompt_tokens(messages), max_tokens), price)
