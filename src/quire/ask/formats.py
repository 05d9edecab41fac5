"""Actions as text and back: markdown (a Python call), JSON, native tool calls.

    render_call(call)                   ->  ClassicRetrieve(query='dropout', limit=4)
    render_call(call, "json")           ->  {"action_type": "ClassicRetrieve", "parameters": {"query": ...}}

Both are read by a tokenizer of literals and never evaluated; other usual key names, a Python dictionary and
raw line breaks in strings are understood. What is no literal (nested quotes, a missing bracket) is read by
`lenient`. Linear in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from quire.ask.actions import Action, known, parameters, plain
from quire.ask.lenient import lenient_arguments, lenient_value
from quire.errors import ActionError
from quire.literals import NotALiteral, read, read_at, speak
from quire.registry import Registry
from quire.types import Call

Actions = Mapping[str, type[Action]]

MAX_CANDIDATES = 20  # places in a reply where a call may begin; more are not looked at


@dataclass(frozen=True, slots=True)
class Found:
    """A call as it stands in a text, from offset `start` to `end`."""

    start: int
    end: int
    call: Call


class Format(Protocol):
    """A way of writing a call as text."""

    def render(self, call: Call) -> str:
        """The call as text that `find` reads back to the same call."""
        ...

    def find(self, text: str, actions: Actions) -> list[Found]:
        """All calls in the text, in order, never overlapping. Never raises; linear in the text."""
        ...

    def guess(self, text: str, actions: Actions) -> list[Found]:
        """The one call that a text without any may be meant as; for text that no parser accepts."""
        ...


def all_parameters(actions: Actions) -> list[str]:
    """The names of all parameters of all actions, each once."""
    return list(dict.fromkeys(p.name for action in actions.values() for p in parameters(action)))


def python_value(text: str) -> Any:
    """A Python or JSON literal as its value; backslashes stay as a model means them.

    Raises:
        ValueError: it is not one.
    """
    return read(text, spoken=True)


_WORDS = "thought|action|observation"
_AFTER = r"[*_ \t]{0,40}:?[*_ \t]{0,40}"
TAG = re.compile(
    rf"^[ \t#*_-]{{0,40}}(?:[\[<](?P<marked>{_WORDS})s?[\]>]|(?P<bare>{_WORDS})s?(?=[ \t*_]{{0,9}}:)){_AFTER}"
    rf"|\[(?P<inline>action)s?\]{_AFTER}|^#{{1,6}}[ \t]{{1,9}}(?P<headed>action)s?[*_ \t]{{0,9}}$",
    re.IGNORECASE | re.MULTILINE,
)


def next_tag(text: str, start: int) -> int:
    """Where the next tag stands, or the end of the text."""
    found = TAG.search(text, start)
    return found.start() if found else len(text)


_NAME_KEYS = ("action_type", "action_name", "action", "tool_name", "tool", "function", "name", "type")
_ARGUMENT_KEYS = ("parameters", "arguments", "action_input", "params", "args", "kwargs", "input")


def from_mapping(value: Any, actions: Actions, depth: int = 0) -> Call | None:
    """The call that a JSON-like object describes, in any of the usual layouts; None if it is none."""
    if not isinstance(value, Mapping) or depth > 3:
        return None
    for key, inner in value.items():
        name = known(key, actions)
        if name and isinstance(inner, Mapping):
            return Call(name, dict(inner))
        if name and len(value) == 1:
            return Call(name, _arguments(inner, actions[name]))
    for key in _NAME_KEYS:
        if key not in value:
            continue
        name = known(value[key], actions)
        if name:
            return Call(name, _arguments_beside(value, key, actions[name]))
        inner_call = from_mapping(value[key], actions, depth + 1)
        if inner_call:
            return inner_call
    return None


def _arguments_beside(value: Mapping[str, Any], name_key: str, action: type[Action]) -> dict[str, Any]:
    for key in _ARGUMENT_KEYS:
        if key in value:
            return _arguments(value[key], action)
    names = {parameter.name for parameter in parameters(action)}
    return {key: each for key, each in value.items() if key != name_key and key in names}


def _arguments(value: Any, action: type[Action]) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = python_value(value)
        except ValueError:
            return {parameters(action)[0].name: value}
    if isinstance(value, Mapping):
        return {str(key): each for key, each in value.items()}
    if isinstance(value, list):
        return positional(value, action)
    return {} if value is None else {parameters(action)[0].name: value}


def positional(values: Sequence[Any], action: type[Action]) -> dict[str, Any]:
    """Arguments without names, named in the order of the signature; too many get names that no action has."""
    names = [parameter.name for parameter in parameters(action)]
    names += [f"argument_{number}" for number in range(len(names) + 1, len(values) + 1)]
    return dict(zip(names, values, strict=False))


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


_OPEN = re.compile(r"(?<![\w.])([A-Za-z_]\w{2,60})[ \t]?\(")
_KEYWORD = re.compile(r"\s{0,99}([A-Za-z_]\w{0,60})\s{0,9}=(?!=)")
_BLANKS = re.compile(r"\s*")
_DECORATION = " \t*`#-"


class Markdown:
    """The format `markdown`."""

    def render(self, call: Call) -> str:
        """A Python call with named arguments."""
        inside = ", ".join(f"{name}={speak(repr(value))}" for name, value in call.arguments.items())
        return f"{call.name}({inside})"

    def find(self, text: str, actions: Actions) -> list[Found]:
        """All calls of known actions."""
        found: list[Found] = []
        position = 0
        for _ in range(MAX_CANDIDATES):
            match = _next(text, position, actions)
            if match is None:
                break
            name = known(match[1], actions) or match[1]
            arguments, end = _strict(text, match.end(), actions, name)
            if arguments is None:
                following = _next(text, match.end(), actions, line_start=True)
                end = min(next_tag(text, match.end()), following.start() if following else len(text))
                arguments = _loose(text[match.end() : end], actions, name)
            if arguments is not None:
                found.append(Found(match.start(), end, Call(name, arguments)))
            position = end if arguments is not None else match.end()
        return found

    def guess(self, text: str, actions: Actions) -> list[Found]:
        """None: a call has its name and bracket."""
        return []


def _next(text: str, position: int, actions: Actions, *, line_start: bool = False) -> re.Match[str] | None:
    for match in _OPEN.finditer(text, position):
        if known(match[1], actions):
            before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not line_start or not before.strip(_DECORATION):
                return match
    return None


def _strict(text: str, start: int, actions: Actions, name: str) -> tuple[dict[str, Any] | None, int]:
    """The arguments after the opening bracket and where the call ends; None if they are no literals."""
    values: list[Any] = []
    named: dict[str, Any] = {}
    at = _after_blanks(text, start)
    try:
        while not text.startswith(")", at):
            keyword = _KEYWORD.match(text, at)
            value, at = _value(text, keyword.end() if keyword else at)
            if keyword:
                named[keyword[1]] = value
            else:
                values.append(value)
            if text.startswith(",", at):
                at = _after_blanks(text, at + 1)
            elif not text.startswith(")", at):
                return None, start
    except NotALiteral:
        return None, start
    return {**positional(values, actions[name]), **named}, at + 1


def _value(text: str, at: int) -> tuple[Any, int]:
    at = _after_blanks(text, at)
    value, end = read_at(text, at, spoken=True)
    # Python knows more than literals after one (`'a' + 'b'`, `[1][0]`): none of it is computed here.
    if not text.startswith((",", ")"), end):
        raise NotALiteral("more than a literal")
    return value, end


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _loose(text: str, actions: Actions, name: str) -> dict[str, Any] | None:
    arguments = lenient_arguments(text, all_parameters(actions), separator="=", closers=")")
    if arguments:
        return arguments
    if not text.strip(" )\n"):
        return {}
    first = text.lstrip()
    # Prose like "RetrieveFromDatabase (which runs SQL)" is no call; an answer may be bare words.
    if first[:1] in "'\"[{" or first[:1].isdigit() or parameters(actions[name])[0].kind.name == "Any":
        return {parameters(actions[name])[0].name: lenient_value(text, ")")}
    return None


FORMATS = Registry(
    "action format",
    {
        "markdown": "quire.ask.formats:Markdown",
        "json": "quire.ask.formats:JsonObject",
        "tools": "quire.ask.formats:ToolCallFormat",  # how a native call is shown as text
    },
)


def render_call(call: Call, format: str = "markdown") -> str:
    """The call as text that `parse_reply` reads back to the same call."""
    return str(FORMATS.load(format)().render(call))


def tool_call(name: str, arguments: str | Mapping[str, Any]) -> Call:
    """The call that a native tool call means; `arguments` is its JSON text.

    Raises:
        ActionError: the arguments are not a JSON object.
    """
    value: Any = arguments
    if isinstance(arguments, str):
        try:
            value = python_value(arguments) if arguments.strip() else {}
        except ValueError:
            value = None
    if not isinstance(value, Mapping):
        raise ActionError(
            f"The arguments of {name} are not a JSON object: {str(arguments)[:120]}",
            hint='Write them like {"query": "dropout", "limit": 4}.',
        )
    return Call(name, {str(key): plain(each) for key, each in value.items()})
