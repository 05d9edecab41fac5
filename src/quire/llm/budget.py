"""What a call costs, counting what is spent, by whom, and stopping before a limit is passed.

    meter = Meter(limit=0.50)
    Retrying(Budgeted(provider, meter, price, "gpt-4o", "answer"))
    meter.ledger["answer", "gpt-4o"]        # Account(requests=3, failed=1, usage=Usage(...))

Before each request, a second try too, its highest cost is estimated (all prompt tokens at the full price,
and as many tokens of reply as are allowed) and reserved; what it did cost takes the reservation's place. So
parallel requests cannot pass the limit together: who could pass it waits until the others have settled. The
estimate of the prompt is made without the model's own tokenizer and is mostly too high; a limit may be passed
by the errors of the estimates of the requests then under way, no more. A limit on a model without a known
price is an error, not a silent zero.

A failed request is charged as the endpoint bills it: nothing for an error status, the prompt for one that a
filter of its content refused, the highest cost where the reply was lost (time-out, broken off) or stopped by
its reader, as the endpoint may have written all of it. One that is sent again at once without a parameter
that the endpoint does not know is the same request.

Prices are US dollars per million tokens, from the settings first, then from published lists:

    [model.prices."my-model"]        # quire.toml
    prompt = 0.5
    cached = 0.25                    # of the prompt's tokens, those the endpoint had cached
    completion = 1.5

Lists come with the package `genai-prices` (MIT), which states where and when each was read; nothing is
fetched. An endpoint on its lists has its own prices; at any other endpoint a model has the list price of
those who make it (`gpt-4o`, also as `openai/gpt-4o` or `gpt-4o-2024-08-06`). There is no guess for other
models: their cost is unknown, not 0. Endpoints change prices, so what you set yourself wins.

Limit: where a price rises with the length of the prompt (beyond 200 000 tokens), the lower one is taken.
"""

from __future__ import annotations

import contextlib
import math
import re
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Unpack

from quire.errors import BudgetExceeded, ContentFiltered, ModelError, ModelStopped, ModelUnreachable
from quire.llm.messages import Completion, Message, prompt_tokens
from quire.llm.protocol import Params, Provider
from quire.settings import Price
from quire.types import Usage

_VERSION = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")
# Models of others are served by many, each at a price of its own.
_MAKERS = frozenset({"openai", "anthropic", "google", "mistral", "deepseek", "x-ai", "cohere"})
_THOUSAND = 1000


def price_of(model: str, own: Mapping[str, Price], endpoint: str = "") -> Price | None:
    """The price of a model at an endpoint (its URL), or None where it is not known."""
    bare = _VERSION.sub("", model)
    for name in (model, bare, model.rpartition("/")[2], bare.rpartition("/")[2]):
        if name in own:
            return own[name]
    return _list_price(model, endpoint)


@lru_cache(64)
def _list_price(model: str, endpoint: str) -> Price | None:
    from genai_prices import Usage as Counts
    from genai_prices import calc_price

    def dollars(name: str, url: str | None, **tokens: int) -> float:
        found = calc_price(Counts(**tokens), name, provider_api_url=url)
        if url is None and found.provider.id not in _MAKERS:
            raise LookupError(name)
        return round(float(found.total_price) * 1e6 / _THOUSAND, 9)

    for name, url in ((model, endpoint or None), (model, None), (model.rpartition("/")[2], None)):
        try:
            return Price(
                prompt=dollars(name, url, input_tokens=_THOUSAND),
                cached=dollars(name, url, input_tokens=_THOUSAND, cache_read_tokens=_THOUSAND),
                completion=dollars(name, url, output_tokens=_THOUSAND),
            )
        except LookupError:
            continue
    return None


def cost(usage: Usage, price: Price) -> float:
    """US dollars."""
    cached_rate = price.prompt if price.cached is None else price.cached
    fresh = usage.prompt_tokens - usage.cached_tokens
    millions = fresh * price.prompt + usage.cached_tokens * cached_rate
    return (millions + usage.completion_tokens * price.completion) / 1e6


@dataclass
class Spent:
    """The sum so far."""

    usage: Usage = Usage()


_OPEN: ContextVar[tuple[Spent, ...]] = ContextVar("_OPEN", default=())


@contextlib.contextmanager
def spending() -> Iterator[Spent]:
    """Add up what is spent within the context; contexts may stand in each other."""
    spent = Spent()
    token = _OPEN.set((*_OPEN.get(), spent))
    try:
        yield spent
    finally:
        _OPEN.reset(token)


def spend(usage: Usage | None) -> None:
    """Count a request in every open context."""
    for spent in _OPEN.get():
        spent.usage += usage or Usage()


_LIKELY_REPLY = 4000  # tokens, where a request sets no limit


@dataclass(frozen=True, slots=True)
class Account:
    """What one model took in one role: `requests`, `failed` of them without a reply, and what was billed."""

    requests: int = 0
    failed: int = 0
    usage: Usage = Usage()


class Meter:
    """What has been used so far, over all models that share it; `limit` in US dollars, 0 for none.

    `within` is the meter of the whole that this one counts a part of: the limit is the whole's.
    """

    def __init__(self, limit: float = 0.0, within: Meter | None = None) -> None:
        self.limit: float = within.limit if within else limit
        self._within = within
        self._settled = threading.Condition()
        self._accounts: defaultdict[tuple[str, str], Account] = defaultdict(Account)
        self._reserved = 0.0

    @property
    def ledger(self) -> Mapping[tuple[str, str], Account]:
        """What each took, by role and model."""
        with self._settled:
            return dict(self._accounts)

    @property
    def total(self) -> Usage:
        """Tokens and cost of all that was sent."""
        return sum((account.usage for account in self.ledger.values()), Usage())

    @property
    def left(self) -> float:
        """US dollars that are not spent yet; infinite without a limit."""
        if self._within:
            return self._within.left
        return self.limit - self.total.cost if self.limit else math.inf

    def reserve(self, dollars: float) -> None:
        """Set money aside for one request; waits while only what others have set aside stands in the way.

        Raises:
            BudgetExceeded: the limit could be passed; nothing is set aside.
        """
        if self._within:
            self._within.reserve(dollars)
            return
        with self._settled:
            while self.limit and self._spent() + self._reserved + dollars > self.limit:
                if self._spent() + dollars > self.limit:
                    raise BudgetExceeded(
                        f"The next request may cost {_dollars(dollars)}; "
                        f"{_dollars(self._spent())} of {_dollars(self.limit)} are used.",
                        hint="Raise --max-cost (model.max_cost), or use a cheaper model.",
                    )
                self._settled.wait()
            self._reserved += dollars

    def settle(self, reserved: float, usage: Usage, role: str, model: str, *, failed: bool = False) -> None:
        """Book what a request did take in place of what was set aside for it."""
        if self._within:
            self._within.settle(reserved, usage, role, model, failed=failed)
        with self._settled:
            known = self._accounts[role, model]
            self._accounts[role, model] = Account(
                known.requests + 1, known.failed + failed, known.usage + usage
            )
            self._reserved -= 0.0 if self._within else reserved
            self._settled.notify_all()

    def _spent(self) -> float:
        return sum(account.usage.cost for account in self._accounts.values())


@dataclass(frozen=True)
class Budgeted:
    """A provider each of whose requests is counted, priced and limited."""

    inner: Provider
    meter: Meter
    price: Price | None
    model: str = ""
    role: str = ""

    def complete(self, messages: Sequence[Message], **params: Unpack[Params]) -> Completion:
        """The inner provider's reply, its cost in `usage`; that of an error in its `usage`.

        Raises:
            BudgetExceeded: the limit could be passed, or cannot be kept because no price is known.
        """
        if self.meter.limit and self.price is None:
            raise unpriced(self.model)
        most = params.get("max_tokens", _LIKELY_REPLY)
        highest = estimate_cost(messages, most, self.price)
        self.meter.reserve(highest)
        usage, failed = Usage(), True
        try:
            reply = self.inner.complete(messages, **params)
            usage, failed = self._priced(reply.usage), False
            return replace(reply, usage=usage)
        except ModelError as error:
            usage = self._priced(_billed(error, messages, most))
            error.usage = usage
            raise
        finally:
            self.meter.settle(highest, usage, self.role, self.model, failed=failed)

    def _priced(self, usage: Usage) -> Usage:
        if usage == Usage():
            return usage
        return replace(usage, calls=1, cost=cost(usage, self.price) if self.price else 0.0)


def unpriced(model: str) -> BudgetExceeded:
    """Why a limit cannot be kept with that model."""
    return BudgetExceeded(
        f"A cost limit is set, but no price of `{model}` is known.",
        hint=f'Set it under [model.prices."{model}"] in quire.toml (0 for a model of your own).',
    )


def _billed(error: ModelError, messages: Sequence[Message], most: int) -> Usage:
    if error.usage is not None:
        return error.usage
    if isinstance(error, ModelStopped) or (isinstance(error, ModelUnreachable) and error.lost):
        return Usage(prompt_tokens(messages), most)
    return Usage(prompt_tokens(messages)) if isinstance(error, ContentFiltered) else Usage()


def estimate_cost(messages: Sequence[Message], max_tokens: int, price: Price | None) -> float:
    """The highest cost that a request can reach, in US dollars; 0 where no price is known."""
    if price is None:
        return 0.0
    return cost(Usage(prompt_tokens(messages), max_tokens), price)


def _dollars(dollars: float) -> str:
    """Money with four digits behind the point, or as many as it takes to see any."""
    return f"${dollars:.4f}" if dollars == 0 or dollars >= 0.0001 else f"${dollars:.1g}"
