"""Language models that could be used: servers of this machine at their usual ports, keys in the environment.

    find_models()[0].line     # export QUIRE_MODEL__BASE_URL=http://127.0.0.1:1234/v1 QUIRE_MODEL__NAME=qwen3

Only 127.0.0.1 is asked, by one GET that carries no key and ends in time and size whatever answers; nothing is
switched on. Of keys only the names of their variables are read. A name that a server tells is foreign text:
one that a terminal or shell could take for more than a name is left out, and every line is quoted.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from quire import jsontext, web
from quire.llm.gateway import split

PORTS: Mapping[int, str] = {11434: "Ollama", 1234: "LM Studio", 8080: "llama.cpp", 8000: "vLLM"}
_MAKERS = {"library": "Ollama", "llamacpp": "llama.cpp", "vllm": "vLLM"}  # as they say of themselves
_KEYS = (  # variable, whose it is, endpoint that speaks the OpenAI protocol, a small model of it
    ("OPENAI_API_KEY", "OpenAI", "", "gpt-4o-mini"),
    ("ANTHROPIC_API_KEY", "Anthropic", "https://api.anthropic.com/v1", "claude-haiku-4-5"),
    (
        "GEMINI_API_KEY",
        "Google",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "gemini-2.5-flash",
    ),
    ("MISTRAL_API_KEY", "Mistral", "https://api.mistral.ai/v1", "mistral-small-latest"),
    ("OPENROUTER_API_KEY", "OpenRouter", "https://openrouter.ai/api/v1", "openai/gpt-4o-mini"),
)
_SECONDS = 0.7  # for one server, all of it
_LARGEST = 1 << 20  # bytes of its list
_LONGEST = 200  # characters of a name
_LISTED = 20
_NO_CHAT = re.compile(r"(?i)embed|rerank")


@dataclass(frozen=True, slots=True)
class Offer:
    """Models that could be used: of a server (`where` is its address) or of a key (`where` is its variable).

    `line` is what to type in a shell to use the first of them from then on.
    """

    server: str
    where: str
    models: tuple[str, ...]
    line: str


def find_models(ports: Mapping[int, str] | None = None) -> list[Offer]:
    """What there is: servers of this machine first, then keys."""
    known = PORTS if ports is None else ports
    with ThreadPoolExecutor(max(1, len(known))) as pool:
        served = pool.map(_served, known, known.values())
        return [*(offer for offer in served if offer), *_keyed(os.environ)]


def _served(port: int, usual: str) -> Offer | None:
    """What the server at a port offers; None where none answers as such servers do."""
    address = f"http://127.0.0.1:{port}/v1"
    try:
        with web.opened("GET", f"{address}/models", {}, seconds=_SECONDS, most=_LARGEST) as reply:
            if reply.status != 200:
                return None
            listed = jsontext.loads(b"".join(reply.pieces()))["data"]
            rows = [row for row in listed if isinstance(row, dict)]
    except (web.WebError, ValueError, TypeError, KeyError, RecursionError):
        return None
    makers = {str(row.get("owned_by")) for row in rows}
    if "quire" in makers:  # a library that is served, perhaps this one
        return None
    names = _names(row.get("id") for row in rows)
    if not names:
        return None
    server = next((_MAKERS[maker] for maker in makers if maker in _MAKERS), usual)
    return Offer(server, address, names, _line(address, names[0]))


def _names(told: Any) -> tuple[str, ...]:
    """The names that can be models' for questions, and that are nothing but names."""
    bare = (name for name in told if isinstance(name, str) and 0 < len(name.strip()) == len(name) <= _LONGEST)
    fine = (name for name in bare if name.isprintable() and not _NO_CHAT.search(name))
    return tuple(dict.fromkeys(fine))[:_LISTED]


def _keyed(environment: Mapping[str, str]) -> list[Offer]:
    offers = []
    for variable, maker, address, model in _KEYS:
        if not environment.get(variable, "").strip():
            continue
        if variable == "OPENAI_API_KEY" and environment.get("OPENAI_BASE_URL"):
            continue  # a key of an endpoint that only its user knows
        key = "" if variable == "OPENAI_API_KEY" else f'OPENAI_API_KEY="${variable}"'
        offers.append(Offer(maker, variable, (model,), _line(address, model, key)))
    return offers


def _line(address: str, model: str, key: str = "") -> str:
    plain = split(model) == ("openai", model) and model[0] not in "[{"  # else read as a setting of its own
    name = model if plain else f"openai:{model}"
    parts: Sequence[str] = (
        "export",
        key,
        f"QUIRE_MODEL__BASE_URL={shlex.quote(address)}" if address else "",
        f"QUIRE_MODEL__NAME={shlex.quote(name)}",
    )
    return " ".join(filter(None, parts))
