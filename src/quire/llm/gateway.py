"""The one way to all models of a command: made once, handed down, so that nothing below makes its own.

    gateway = Gateway(load("library", model__max_cost=0.5))
    gateway.model("answer").complete([user("Hello")])
    gateway.model("judge", "gpt-4o").complete(...)      # the same limit, cache and connections
    gateway.meter.ledger                                # who took what

Around each endpoint's provider stand, from the outside: cache, retries, meter, the endpoint's limits. A model
by another role or asked for twice goes through the same provider, which remembers what its endpoint does not
know. A sealed process has no gateway: it asks its parent's (`quire_streams.remote`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from quire.errors import SettingsError
from quire.llm.budget import Budgeted, Meter
from quire.llm.cache import Cached, ResponseCache
from quire.llm.limits import Limited, gate_of
from quire.llm.model import Model
from quire.llm.offline import Refusing
from quire.llm.prices import price_of
from quire.llm.protocol import Provider
from quire.llm.retrying import Retrying
from quire.llm.roles import LOCAL, PROVIDERS, Role, defaults, name_for, split
from quire.settings import Price, Settings

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
        price = self._price(kind, rest, bare)
        provider: Provider = Budgeted(self._sent(kind, bare), self.meter, price, rest or name, role)
        if kind not in LOCAL:
            provider = Retrying(provider, settings.retries)
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

    def _price(self, kind: str, rest: str, bare: Provider) -> Price | None:
        if kind in LOCAL:
            return Price()
        return price_of(rest, self.settings.model.prices, getattr(bare, "base_url", ""))

    def _sent(self, kind: str, bare: Provider) -> Provider:
        if kind in LOCAL:
            return bare
        if self.settings.offline:
            return Refusing(str(bare))
        model = self.settings.model
        return Limited(bare, gate_of(model.base_url, model.requests_per_minute, model.concurrency))
