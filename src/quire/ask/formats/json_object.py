"""Actions as JSON: `{"action_type": "ClassicRetrieve", "parameters": {"query": "dropout"}}`.

Read as well: other usual key names, a Python dictionary, raw line breaks in strings, quotes without
escapes.
"""

from __future__ import annotations

import json
import re

from quire.ask.formats.base import (
    MAX_CANDIDATES,
    Actions,
    Found,
    all_parameters,
    from_mapping,
    known,
    next_tag,
)
from quire.ask.formats.lenient import lenient_arguments
from quire.literals import NotALiteral, read_at, speak
from quire.types import Call

_NAMED = re.compile(
    r"[\"'](?:action_type|action|tool|name|function)[\"']\s{0,9}:\s{0,9}[\"']([\w ]{3,60})[\"']"
)


class JsonObject:
    """The format `json`."""

    def render(self, call: Call) -> str:
        """One line of JSON."""
        value = {"action_type": call.name, "parameters": dict(call.arguments)}
        return speak(json.dumps(value, ensure_ascii=False))

    def find(self, text: str, actions: Actions) -> list[Found]:
        """All objects that describe a call."""
        found: list[Found] = []
        position = 0
        for _ in range(MAX_CANDIDATES):
            start = text.find("{", position)
            if start < 0:
                break
            position = start + 1
            try:
                value, end = read_at(text, start, spoken=True)
            except NotALiteral:
                continue
            call = from_mapping(value, actions)
            if call:
                found.append(Found(start, start + len(text[start:end].rstrip()), call))
                position = end
        return found

    def guess(self, text: str, actions: Actions) -> list[Found]:
        """An object whose quotes or brackets are not as they should be."""
        for match in _NAMED.finditer(text):
            name = known(match[1], actions)
            if name:
                end = next_tag(text, match.end())
                inside = text[match.end() : end]
                arguments = lenient_arguments(inside, all_parameters(actions), separator=":", closers="}")
                brace = text.rfind("{", 0, match.start())
                start = brace if brace >= 0 and not text[brace + 1 : match.start()].strip() else match.start()
                return [Found(start, end, Call(name, arguments))]
        return []


class ToolCallFormat(JsonObject):
    """The format `tools`: how a native function call is shown where one must stand in text."""

    def render(self, call: Call) -> str:
        """The function's name and its arguments, as endpoints write them."""
        value = {"name": call.name, "arguments": dict(call.arguments)}
        return speak(json.dumps(value, ensure_ascii=False))
