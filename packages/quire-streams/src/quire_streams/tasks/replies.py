"""Finding the machine-readable part of a model's reply: a JSON object, a fenced block."""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"```[ \t]{0,99}(\w{0,30})[ \t]{0,99}\n(.*?)(?:```|\Z)", re.DOTALL)
_decoder = json.JSONDecoder()


def first_object(reply: str) -> dict[str, Any] | None:
    """The first JSON object that can be read in the reply, wherever it stands; None if there is none."""
    start = reply.find("{")
    while start >= 0:
        try:
            value, _ = _decoder.raw_decode(reply, start)
        except (json.JSONDecodeError, RecursionError):
            value = None
        if isinstance(value, dict):
            return value
        start = reply.find("{", start + 1)
    return None


def fenced(reply: str, *languages: str) -> str:
    """The first fenced block in one of those languages, else the first block, else the whole reply.

    Indentation is kept: only empty lines around the text are dropped.
    """
    blocks = _FENCE.findall(reply)
    wanted = [body for language, body in blocks if language.lower() in languages]
    chosen = wanted[0] if wanted else (blocks[0][1] if blocks else reply)
    return _trim(chosen)


def _trim(text: str) -> str:
    lines = text.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return "\n".join(lines)
