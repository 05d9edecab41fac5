"""Actions as a Python call: `ClassicRetrieve(query="dropout", limit=4)`.

Read by a tokenizer of literals and never evaluated. What it refuses (nested quotes, raw line breaks, a
missing bracket) is read by `lenient`.
"""

from __future__ import annotations

import re
from typing import Any

from quire.ask.actions import parameters
from quire.ask.formats.base import (
    MAX_CANDIDATES,
    Actions,
    Found,
    all_parameters,
    known,
    next_tag,
    positional,
)
from quire.ask.formats.lenient import lenient_arguments, lenient_value
from quire.literals import NotALiteral, read_at, speak
from quire.types import Call

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
