"""Actions as JSON: `{"action_type": "ClassicRetrieve", "parameters": {"query": "dropout"}}`.

Read as well: other usual key names, a Python dictionary, raw line breaks in strings, quotes without
escapes.
"""

from __future__ import annotations

import json
import re
from typing import Any

from quire.environment.formats.base import (
    MAX_CANDIDATES,
    Actions,
    Found,
    all_parameters,
    from_mapping,
    known,
    python_value,
)
from quire.environment.formats.loose import loose_arguments
from quire.types import Call

_NAMED = re.compile(r"[\"'](?:action_type|action|tool|name|function)[\"']\s*:\s*[\"']([\w ]{3,60})[\"']")


class JsonObject:
    """The format `json`."""

    def render(self, call: Call) -> str:
        """One line of JSON."""
        value = {"action_type": call.name, "parameters": dict(call.arguments)}
        return json.dumps(value, ensure_ascii=False)

    def find(self, text: str, actions: Actions) -> list[Found]:
        """All objects that describe a call."""
        found: list[Found] = []
        position = 0
        for _ in range(MAX_CANDIDATES):
            start = text.find("{", position)
            if start < 0:
                break
            value, end = _decode(text, start)
            call = from_mapping(value, actions)
            if call:
                found.append(Found(start, end, call))
            position = end if call else start + 1
        return found or _loosely(text, actions)


def _decode(text: str, start: int) -> tuple[Any, int]:
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    end = text.rfind("}") + 1
    try:
        return python_value(re.sub(r",(\s*[}\]])", r"\1", text[start:end])), end
    except ValueError:
        return None, start + 1


def _loosely(text: str, actions: Actions) -> list[Found]:
    for match in _NAMED.finditer(text):
        name = known(match[1], actions)
        if name:
            arguments = loose_arguments(
                text[match.end() :], all_parameters(actions), separator=":", closers="}"
            )
            return [Found(match.start(), len(text), Call(name, arguments))]
    return []
