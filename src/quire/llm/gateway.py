"""The one way to all models of a command: made once, handed down, so that nothing below makes its own.

    gateway = Gateway(load("library", model__max_cost=0.5))
    gateway.model("answer").complete([user("Hello")])
    gateway.model("judge", "gpt-4o").complete(...)      # the same limit, cache and connections
    gateway.meter.ledger                                # who took what

One setting, `model.name`, names the model for every role; `model.summarise`, `model.judge` and `model.see`
override it. A name is `provider:rest` for a provider of `PROVIDERS`, else a model of an OpenAI-compatible
endpoint: `gpt-4o-mini`, `llama3.1:8b`, `scripted:replies.jsonl`, `echo`.

Around each endpoint's provider stand, from the outside: cache, retries, meter, the endpoint's limits. A model
by another role or asked for twice goes through the same provider, which remembers what its endpoint does not
know. A sealed process has no gateway: it asks its parent's (`quire_streams.remote`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, cast

from quire.errors import ContentFiltered, ModelDeclined, ModelError, ModelRefused, SettingsError
from quire.llm.budget import Budgeted, Meter, estimate_cost, price_of, spend
from quire.llm.cache import Cached, ResponseCache
from quire.llm.messages import Completion, Message
from quire.llm.protocol import Params, Provider
from quire.llm.sending import Limited, Refusing, Retrying, gate_of
from quire.registry import Registry
from quire.settings import ModelSettings as ModelSettings
from quire.settings import Price, Settings

Role = Literal["answer", "summarise", "judge", "see", "lesson"]

PROVIDERS = Registry(
    "model provider",
    {
        "openai": "quire.llm.providers.openai:build",
        "scripted": "quire.llm.providers.local:build_script",
        "replay": "quire.llm.providers.local:build_replay",
        "echo": "quire.llm.providers.local:build_echo",
    },
    "quire.providers",
)

LOCAL = frozenset({"scripted", "replay", "echo"})  # send nothing, cost nothing


def name_for(settings: Settings, role: Role) -> str:
    """The name of the model that plays the role; "" where none is configured."""
    own = {"summarise": settings.model.summarise, "judge": settings.model.judge, "see": settings.model.see}
    return own.get(role, "") or settings.model.name


def split(name: str) -> tuple[str, str]:
    """The provider of a name, and the rest."""
    kind, colon, rest = name.partition(":")
    if kind in PROVIDERS and (colon or kind in LOCAL):
        return kind, rest
    return "openai", name


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


OpenModel = Callable[[Role, str], Model]  # a role, a name ("": as the settings say)


class Gateway:
    """All models of one command. May be used by several threads."""

    def __init__(self, settings: Settings, *, within: Gateway | None = None) -> None:
        self.settings = settings
        self.meter: Meter = Meter(settings.model.max_cost, within.meter if within else None)
        self._cache = ResponseCache(settings.library / "cache" / "models.sqlite")
        self._endpoints: dict[str, Provider] = within._endpoints if within else {}
        self._doubles: dict[str, Provider] = {}
        self._lock: threading.Lock = within._lock if within else threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return (Gateway, (self.settings,))  # on another machine: its own keys and cache

    def part(self) -> Gateway:
        """The same for one of several runs: an account of its own, and scripts that begin anew."""
        return Gateway(self.settings, within=self)

    def model(self, role: Role = "answer", name: str = "") -> Model:
        """The model of that name, else the one that the settings name for the role.

        Raises:
            SettingsError: no model is configured.
            ModelRefused: a script or recording is missing.
        """
        name = name or name_for(self.settings, role)
        if not name:
            raise SettingsError(
                f"No model is configured for the role `{role}`.",
                hint="Set model.name (--model, QUIRE_MODEL__NAME), and model.base_url for your own endpoint.",
            )
        settings = self.settings.model
        kind, rest = split(name)
        bare = self._provider(kind, rest)
        if kind in LOCAL:
            price: Price | None = Price()
            provider: Provider = Budgeted(bare, self.meter, price, rest or name, role)
        else:
            gate = gate_of(settings.base_url, settings.requests_per_minute, settings.concurrency)
            sent = Refusing(str(bare)) if self.settings.offline else Limited(bare, gate)
            price = price_of(rest, settings.prices, getattr(bare, "base_url", ""))
            provider = Retrying(Budgeted(sent, self.meter, price, rest or name, role), settings.retries)
            if settings.cache:
                provider = Cached(provider, self._cache, str(bare))
        vision = settings.vision or bool(role == "see" and settings.see)
        return Model(name, provider, defaults(settings), self.meter, price, vision)

    def _provider(self, kind: str, rest: str) -> Provider:
        made = self._doubles if kind in LOCAL else self._endpoints
        name = f"{kind}:{rest}"
        with self._lock:
            if name not in made:
                build: Callable[[str, Settings], Provider] = PROVIDERS.load(kind)
                made[name] = build(rest, self.settings)
            return made[name]
