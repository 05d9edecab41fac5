"""What a call costs: US dollars per million tokens, from the settings first, then from the table here.

    [model.prices."my-model"]        # quire.toml
    prompt = 0.5
    cached = 0.25                    # of the prompt's tokens, those the endpoint had cached
    completion = 1.5

The table holds list prices as they were published for these models; endpoints change them, so what you set
yourself wins. A name covers its dated versions (`gpt-4o` covers `gpt-4o-2024-08-06`) and a vendor's
prefix (`openai/gpt-4o`). There is no guess for other models: their cost is unknown, not 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from quire.settings import Price
from quire.types import Usage

_LISTED: Mapping[str, tuple[float, float, float]] = {  # prompt, cached, completion
    "gpt-4o": (2.5, 1.25, 10.0),
    "gpt-4o-mini": (0.15, 0.075, 0.6),
    "gpt-4.1": (2.0, 0.5, 8.0),
    "gpt-4.1-mini": (0.4, 0.1, 1.6),
    "gpt-4.1-nano": (0.1, 0.025, 0.4),
    "o3": (2.0, 0.5, 8.0),
    "o4-mini": (1.1, 0.275, 4.4),
    "gpt-5": (1.25, 0.125, 10.0),
    "gpt-5-mini": (0.25, 0.025, 2.0),
    "gpt-5-nano": (0.05, 0.005, 0.4),
}

_VERSION = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|latest)$")


def price_of(model: str, own: Mapping[str, Price]) -> Price | None:
    """The price of a model, or None where it is not known."""
    bare = _VERSION.sub("", model)
    names = (model, bare, model.rpartition("/")[2], bare.rpartition("/")[2])
    for name in names:
        if name in own:
            return own[name]
    for name in names:
        if name in _LISTED:
            prompt, cached, completion = _LISTED[name]
            return Price(prompt=prompt, cached=cached, completion=completion)
    return None


def cost(usage: Usage, price: Price) -> float:
    """US dollars."""
    cached_rate = price.prompt if price.cached is None else price.cached
    fresh = usage.prompt_tokens - usage.cached_tokens
    millions = fresh * price.prompt + usage.cached_tokens * cached_rate
    return (millions + usage.completion_tokens * price.completion) / 1e6
