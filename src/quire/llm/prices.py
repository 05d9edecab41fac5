"""What a call costs: US dollars per million tokens, from the settings first, then from published lists.

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

import re
from collections.abc import Mapping
from functools import lru_cache

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
    return _listed(model, endpoint)


@lru_cache(64)
def _listed(model: str, endpoint: str) -> Price | None:
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
