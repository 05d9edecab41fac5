"""Actions as text and back: a Python call (`markdown`), JSON, or how a native tool call is shown (`tools`).

    render_call(call)                   ->  ClassicRetrieve(query='dropout', limit=4)
    render_call(call, "json")           ->  {"action_type": "ClassicRetrieve", "parameters": {"query": ...}}
    find_calls(text, actions)           ->  every call in a text, however it is written

What is read is never evaluated. Other usual key names, a Python dictionary and raw line breaks in strings
are understood. Where no literal stands, an argument's value reaches from its name to the name of the next
argument that the actions know, so quotes inside need no escape:

    sql='SELECT x FROM t WHERE y = 'a' AND z IN ('b')'        the quotes inside are text
    query="what is "RAG"?", limit=4                           so are these

Linear in the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quire import jsontext
from quire.ask.actions import Action, known, parameters
from quire.errors import ActionError
from quire.literals import NotALiteral, read, read_at, speak, unescape
from quire.types import Call

Actions = Mapping[str, type[Action]]

FORMATS = ("markdown", "json", "tools")
_JSON_KEYS = {"json": ("action_type", "parameters"), "tools": ("name", "arguments")}


def render_call(call: Call, format: str = "markdown") -> str:
    """The call as text that `find_calls` reads back to the same call; `format` is one of `FORMATS`."""
    if format == "markdown":
        inside = ", ".join(f"{name}={speak(repr(value))}" for name, value in call.arguments.items())
        return f"{call.name}({inside})"
    name, arguments = _JSON_KEYS[format]
    return speak(json.dumps({name: call.name, arguments: dict(call.arguments)}, ensure_ascii=False))


def tool_call(name: str, arguments: str | Mapping[str, Any]) -> Call:
    """The call that a native tool call means; `arguments` is its JSON text.

    Raises:
        ActionError: the arguments are not a JSON object.
    """
    value: Any = arguments
    if isinstance(arguments, str):
        try:
            value = read(arguments, spoken=True) if arguments.strip() else {}
        except NotALiteral:
            value = None
    if not isinstance(value, Mapping):
        raise ActionError(
            f"The arguments of {name} are not a JSON object: {str(arguments)[:120]}",
            hint='Write them like {"query": "dropout", "limit": 4}.',
        )
    return Call(name, jsontext.as_json(value))


_MOST = 20  # places in a text where a call may begin, of each way to write one; more are not looked at
_WORDS = "thought|action|observation"
_AFTER = r"[*_ \t]{0,40}:?[*_ \t]{0,40}"
TAG = re.compile(
    rf"^[ \t#*_-]{{0,40}}(?:[\[<](?P<marked>{_WORDS})s?[\]>]|(?P<bare>{_WORDS})s?(?=[ \t*_]{{0,9}}:)){_AFTER}"
    rf"|\[(?P<inline>action)s?\]{_AFTER}|^#{{1,6}}[ \t]{{1,9}}(?P<headed>action)s?[*_ \t]{{0,9}}$",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call as it stands in a text, from offset `start` to `end`."""

    start: int
    end: int
    call: Call


def find_calls(text: str, actions: Actions) -> list[FoundCall]:
    """All calls of known actions in the text, in order, none inside another.

    Where there is none, the one that broken JSON may be meant as. Never raises.
    """
    found = sorted([*_objects(text, actions), *_python_calls(text, actions)], key=lambda one: one.start)
    kept: list[FoundCall] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept or _broken_object(text, actions)


def _next_tag(text: str, start: int) -> int:
    """Where the next tag stands, or the end of the text."""
    found = TAG.search(text, start)
    return found.start() if found else len(text)


_NAME_KEYS = ("action_type", "action_name", "action", "tool_name", "tool", "function", "name", "type")
_ARGUMENT_KEYS = ("parameters", "arguments", "action_input", "params", "args", "kwargs", "input")
_NAMED = re.compile(
    r"[\"'](?:action_type|action|tool|name|function)[\"']\s{0,9}:\s{0,9}[\"']([\w ]{3,60})[\"']"
)


def _objects(text: str, actions: Actions) -> Iterator[FoundCall]:
    """All JSON objects that describe a call."""
    position = 0
    for _ in range(_MOST):
        start = text.find("{", position)
        if start < 0:
            return
        position = start + 1
        try:
            value, end = read_at(text, start, spoken=True)
        except NotALiteral:
            continue
        if call := _from_mapping(value, actions):
            yield FoundCall(start, start + len(text[start:end].rstrip()), call)
            position = end


def _broken_object(text: str, actions: Actions) -> list[FoundCall]:
    """An object whose quotes or brackets are not as they should be."""
    for match in _NAMED.finditer(text):
        if name := known(match[1], actions):
            end = _next_tag(text, match.end())
            arguments = _lenient_arguments(text[match.end() : end], actions, separator=":", closer="}")
            brace = text.rfind("{", 0, match.start())
            start = brace if brace >= 0 and not text[brace + 1 : match.start()].strip() else match.start()
            return [FoundCall(start, end, Call(name, arguments))]
    return []


def _from_mapping(value: Any, actions: Actions, depth: int = 0) -> Call | None:
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
        if name := known(value[key], actions):
            return Call(name, _arguments_beside(value, key, actions[name]))
        if inner_call := _from_mapping(value[key], actions, depth + 1):
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
            value = read(value, spoken=True)
        except NotALiteral:
            return _positional([value], action)
    if isinstance(value, Mapping):
        return {str(key): each for key, each in value.items()}
    if isinstance(value, list):
        return _positional(value, action)
    return {} if value is None else _positional([value], action)


def _positional(values: Sequence[Any], action: type[Action]) -> dict[str, Any]:
    """Arguments without names, named in the order of the signature; too many get names that no action has."""
    names = [parameter.name for parameter in parameters(action)]
    names += [f"argument_{number}" for number in range(len(names) + 1, len(values) + 1)]
    return dict(zip(names, values, strict=False))


_OPEN = re.compile(r"(?<![\w.])([A-Za-z_]\w{2,60})[ \t]?\(")
_KEYWORD = re.compile(r"\s{0,99}([A-Za-z_]\w{0,60})\s{0,9}=(?!=)")
_BLANKS = re.compile(r"\s*")
_DECORATION = " \t*`#-"


def _python_calls(text: str, actions: Actions) -> Iterator[FoundCall]:
    position = 0
    for _ in range(_MOST):
        if not (match := _next_call(text, position, actions)):
            return
        name = known(match[1], actions) or match[1]
        arguments, end = _strict_arguments(text, match.end(), actions[name])
        if arguments is None:
            following = _next_call(text, match.end(), actions, line_start=True)
            end = min(_next_tag(text, match.end()), following.start() if following else len(text))
            arguments = _loose_arguments(text[match.end() : end], actions, name)
        if arguments is not None:
            yield FoundCall(match.start(), end, Call(name, arguments))
        position = end if arguments is not None else match.end()


def _next_call(
    text: str, position: int, actions: Actions, *, line_start: bool = False
) -> re.Match[str] | None:
    for match in _OPEN.finditer(text, position):
        if known(match[1], actions):
            before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not line_start or not before.strip(_DECORATION):
                return match
    return None


def _strict_arguments(text: str, start: int, action: type[Action]) -> tuple[dict[str, Any] | None, int]:
    """The arguments after the opening bracket and where the call ends; None if they are no literals."""
    values: list[Any] = []
    named: dict[str, Any] = {}
    at = _after_blanks(text, start)
    try:
        while not text.startswith(")", at):
            keyword = _KEYWORD.match(text, at)
            value, at = read_at(text, keyword.end() if keyword else at, spoken=True)
            if keyword:
                named[keyword[1]] = value
            else:
                values.append(value)
            if text.startswith(",", at):
                at = _after_blanks(text, at + 1)
            elif not text.startswith(")", at):
                # Python knows more than literals after one (`'a' + 'b'`, `[1][0]`): none of it is computed.
                return None, start
    except NotALiteral:
        return None, start
    return {**_positional(values, action), **named}, at + 1


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _loose_arguments(text: str, actions: Actions, name: str) -> dict[str, Any] | None:
    """The arguments of a call that holds no literals; None where it is prose."""
    if arguments := _lenient_arguments(text, actions, separator="=", closer=")"):
        return arguments
    if not text.strip(" )\n"):
        return {}
    first, start = parameters(actions[name])[0], text.lstrip()[:1]
    # Prose like "RetrieveFromDatabase (which runs SQL)" is no call; an answer may be bare words.
    if start in ("'", '"', "[", "{") or start.isdigit() or first.kind.name == "Any":
        return {first.name: _lenient_value(text, ")")}
    return None


_MOST_QUOTES = 1000
_LOOK_AHEAD = 200  # characters after a quote that tell whether it ends the value
_MOST_CLOSERS = 5


def _lenient_arguments(text: str, actions: Actions, *, separator: str, closer: str) -> dict[str, Any]:
    """The arguments that any action knows, `separator` between name and value; `closer` may end the text."""
    names = dict.fromkeys(p.name for action in actions.values() for p in parameters(action))
    choices = "|".join(map(re.escape, names))
    key = re.compile(rf"(?:^|[,{{(\n])\s{{0,99}}[\"']?({choices})[\"']?\s{{0,9}}{separator}(?!=)\s{{0,99}}")
    matches = list(key.finditer(text))
    found: dict[str, Any] = {}
    for number, match in enumerate(matches, 1):
        last = number == len(matches)
        inside = text[match.end() : len(text) if last else matches[number].start()]
        if match[1] not in found:
            found[match[1]] = _lenient_value(inside, closer if last else "")
    return found


def _lenient_value(text: str, closer: str) -> Any:
    """One value: quoted text, a literal, or bare text; what follows its end is dropped."""
    text = text.strip().rstrip(",").rstrip()
    for quote in ('"""', "'''", '"', "'"):
        if text.startswith(quote):
            body = text[len(quote) :]
            end = _last_closed(body, quote, closer) if closer else -1
            end = body.rfind(quote) if end < 0 else end
            return unescape(body if end < 0 else body[:end])
    ends = [place for place, char in enumerate(text) if char == closer][:_MOST_CLOSERS]
    for candidate in (text, *(text[:end] for end in ends)):
        try:
            return read(candidate, spoken=True)
        except NotALiteral:
            continue
    return text.split("\n", 1)[0].strip().rstrip(closer + "; \t`") if closer else text


def _last_closed(body: str, quote: str, closer: str) -> int:
    """The last quote with a closing bracket after it, rather one that ends its line; -1 if there is none."""
    at_bracket = -1
    end = body.rfind(quote)
    for _ in range(_MOST_QUOTES):
        if end < 0:
            break
        after = body[end + len(quote) : end + len(quote) + _LOOK_AHEAD].lstrip()
        if after.startswith(closer):
            if not after.split("\n", 1)[0].lstrip(closer).strip(" \t;`"):
                return end
            at_bracket = at_bracket if at_bracket >= 0 else end
        end = body.rfind(quote, 0, end)
    return at_bracket
