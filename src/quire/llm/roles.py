"""What models are for, and which one the settings name for it.

One setting, `model.name`, names the model for every role; `model.summarise`, `model.judge` and `model.see`
override it. A name is `provider:rest` for a provider of `PROVIDERS`, else a model of an OpenAI-compatible
endpoint: `gpt-4o-mini`, `llama3.1:8b`, `scripted:replies.jsonl`, `echo`.
"""

from __future__ import annotations

from typing import Literal

from quire.llm.protocol import Params
from quire.registry import Registry
from quire.settings import ModelSettings as ModelSettings
from quire.settings import Settings

Role = Literal["answer", "summarise", "judge", "see", "lesson"]

PROVIDERS = Registry(
    "model provider",
    {
        "openai": "quire.llm.providers.openai:build",
        "scripted": "quire.llm.providers.scripted:build",
        "replay": "quire.llm.providers.replay:build",
        "echo": "quire.llm.providers.echo:build",
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
