"""Actions as XML tags.

    <action>
    <action_type>ClassicRetrieve</action_type>
    <parameters>
    <query>dropout</query>
    </parameters>
    </action>

Read by pattern, not by an XML parser: a model's `a < b` needs no escape, and entities cannot expand.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

from quire.environment.actions import Parameter, parameters
from quire.environment.formats.base import MAX_CANDIDATES, Actions, Found, known, python_value
from quire.literals import speak
from quire.types import Call

_NAME = re.compile(
    r"<(?:action_type|action_name|action|tool_name|tool|name|function)>(?P<inside>[\w \t\r\n]{3,120})</"
    r"|<(?:action|tool|function|invoke)\s{1,9}(?:name|type)\s{0,9}=\s{0,9}"
    r"[\"'](?P<given>[\w ]{3,60})[\"']\s{0,9}>",
    re.IGNORECASE,
)
_FIELD = re.compile(r"<([A-Za-z_]\w{0,60})(?:\s{1,9}name\s{0,9}=\s{0,9}[\"'](\w{1,60})[\"'])?>")
_CDATA = ("<![CDATA[", "]]>")
_WRAPPERS = {"parameters", "arguments", "params", "args", "action", "thought"}


class XmlTags:
    """The format `xml`."""

    def render(self, call: Call) -> str:
        """One tag per line."""
        fields = "".join(f"<{name}>{_print(value)}</{name}>\n" for name, value in call.arguments.items())
        kind = f"<action_type>{call.name}</action_type>"
        return f"<action>\n{kind}\n<parameters>\n{fields}</parameters>\n</action>"

    def find(self, text: str, actions: Actions) -> list[Found]:
        """All named actions with the tags that follow them."""
        names = [(m, known((m["inside"] or m["given"]).strip(), actions)) for m in _NAME.finditer(text)]
        starts = [(m, name) for m, name in names if name][:MAX_CANDIDATES]
        found = []
        for number, (match, name) in enumerate(starts):
            limit = starts[number + 1][0].start() if number + 1 < len(starts) else len(text)
            arguments = _fields(text[match.end() : limit], actions, name or "")
            start = text.rfind("<action>", 0, match.start())
            previous = starts[number - 1][0].end() if number else 0
            close = text.find("</action>", match.end(), limit)
            end = close + len("</action>") if close >= 0 else limit
            found.append(
                Found(start if start >= previous else match.start(), end, Call(name or "", arguments))
            )
        return found

    def guess(self, text: str, actions: Actions) -> list[Found]:
        """None: an action has its tag."""
        return []


def _fields(text: str, actions: Actions, action: str) -> dict[str, Any]:
    known_fields = {parameter.name: parameter for parameter in parameters(actions[action])}
    found: dict[str, Any] = {}
    position = 0
    for _ in range(MAX_CANDIDATES * 2):
        match = _FIELD.search(text, position)
        if match is None:
            break
        tag, name = match[1], match[2] or match[1]
        position = match.end()
        if tag.lower() in _WRAPPERS and not match[2]:
            continue
        close = text.find(f"</{tag}>", position)
        if close < 0 and name not in known_fields:
            continue
        end = close if close >= 0 else _unclosed(text, position)
        found[name] = _read(text[position:end], known_fields.get(name))
        position = end
    return found


def _unclosed(text: str, start: int) -> int:
    """Where a value ends whose closing tag is missing: at the next closing tag of a wrapper."""
    ends = [text.find(f"</{wrapper}>", start) for wrapper in _WRAPPERS]
    return min((end for end in ends if end >= 0), default=len(text))


def _print(value: Any) -> str:
    plain = isinstance(value, str) and _looks_plain(value)
    text = value if plain else speak(json.dumps(value, ensure_ascii=False))
    return html.escape(text, quote=False)


def _looks_plain(value: str) -> bool:
    """Whether the bare text cannot be taken for a literal, and has no edges or breaks that could be lost."""
    if not value or value != value.strip() or "\n" in value or "\r" in value or value[0] in "'\"<":
        return False
    try:
        python_value(html.unescape(value))
    except ValueError:
        return html.unescape(html.escape(value, quote=False)) == value
    return False


def _read(text: str, parameter: Parameter | None) -> Any:
    inside = text.strip()
    if inside.startswith(_CDATA[0]) and inside.endswith(_CDATA[1]):
        bare = inside[len(_CDATA[0]) : -len(_CDATA[1])]
    else:
        bare = html.unescape(text)
    try:
        value = python_value(bare)
    except ValueError:
        return bare.strip()
    if parameter is not None and parameter.kind.name == "str" and not isinstance(value, str):
        return bare.strip()
    return value
