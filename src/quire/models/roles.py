"""From the settings to a model: which one plays a role, and what stands around its provider.

One setting, `model.name`, names the model for every role; `model.summarise`, `model.judge` and `model.see`
override it. A name is `provider:rest` for a provider of `PROVIDERS`, else a model of an OpenAI-compatible
endpoint: `gpt-4o-mini`, `llama3.1:8b`, `scripted:replies.jsonl`, `echo`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from quire.errors import SettingsError
from quire.models.budget import Budgeted, Meter
from quire.models.cache import Cached, ResponseCache
from quire.models.limits import Limited, gate_of
from quire.models.model import Model
from quire.models.offline import Refusing
from quire.models.prices import price_of
from quire.models.protocol import Params, Provider
from quire.models.retrying import Retrying
from quire.registry import Registry
from quire.settings import Model as ModelSettings
from quire.settings import Price, Settings

Role = Literal["answer", "summarise", "judge", "see"]

PROVIDERS = Registry(
    "model provider",
    {
        "openai": "quire.models.providers.openai:build",
        "scripted": "quire.models.providers.scripted:build",
        "replay": "quire.models.providers.replay:build",
        "echo": "quire.models.providers.echo:build",
    },
)

_LOCAL = frozenset({"scripted", "replay", "echo"})  # send nothing, cost nothing


def name_for(settings: Settings, role: Role) -> str:
    """The name of the model that plays the role; "" where none is configured."""
    own = {"summarise": settings.model.summarise, "judge": settings.model.judge, "see": settings.model.see}
    return own.get(role, "") or settings.model.name


def for_role(settings: Settings, role: Role = "answer", *, meter: Meter | None = None) -> Model:
    """The model of a role. Give all models of one command the same `meter`, so that one limit holds.

    Raises:
        SettingsError: no model is configured.
        ModelRefused: a script or recording is missing.
    """
    name = name_for(settings, role)
    if not name:
        raise SettingsError(
            f"No model is configured for the role `{role}`.",
            hint="Set model.name (--model, QUIRE_MODEL__NAME) and, for your own endpoint, model.base_url.",
        )
    kind, rest = _split(name)
    build: Callable[[str, Settings], Provider] = PROVIDERS.load(kind)
    bare = build(rest, settings)
    meter = meter if meter is not None else Meter(settings.model.max_cost)
    price = Price() if kind in _LOCAL else price_of(rest, settings.model.prices)
    provider: Provider = Budgeted(bare, meter, price, rest)
    if kind not in _LOCAL:
        provider = _kept(Budgeted(_sent(bare, settings), meter, price, rest), str(bare), settings)
    vision = settings.model.vision or bool(role == "see" and settings.model.see)
    return Model(name, provider, defaults(settings.model), meter, price, vision)


def _split(name: str) -> tuple[str, str]:
    kind, colon, rest = name.partition(":")
    if kind in PROVIDERS and (colon or kind in _LOCAL):
        return kind, rest
    return "openai", name


def _sent(bare: Provider, settings: Settings) -> Provider:
    if settings.offline:
        return Refusing(str(bare))
    model = settings.model
    gate = gate_of(model.base_url, model.requests_per_minute, model.concurrency)
    return Retrying(Limited(bare, gate), model.retries)


def _kept(provider: Provider, identity: str, settings: Settings) -> Provider:
    if not settings.model.cache:
        return provider
    return Cached(provider, ResponseCache(settings.library / "cache" / "models.sqlite"), identity)


def defaults(settings: ModelSettings) -> Params:
    """The parameters that the settings ask for; what is left to the endpoint is absent."""
    params: Params = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
    if settings.top_p != 1.0:
        params["top_p"] = settings.top_p
    if settings.seed is not None:
        params["seed"] = settings.seed
    if settings.reasoning_effort:
        params["reasoning_effort"] = settings.reasoning_effort
    return params
