"""Actions as a Python call: `ClassicRetrieve(query="dropout", limit=4)`.

The text is parsed with `ast` and never evaluated. What `ast` refuses (nested quotes, raw line breaks, a
missing bracket) is read by `loose`.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any

from quire.environment.actions import parameters
from quire.environment.formats.base import MAX_CANDIDATES, Actions, Found, all_parameters, known, positional
from quire.environment.formats.loose import loose_arguments, loose_value
from quire.types import Call

_OPEN = re.compile(r"(?<![\w.])([A-Za-z_]\w{2,60})\s?\(")
_STRING = re.compile(
    r"'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\"|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL
)
_NAMES = {"null": None, "true": True, "false": False}


class Markdown:
    """The format `markdown`."""

    def render(self, call: Call) -> str:
        """A Python call with named arguments."""
        inside = ", ".join(f"{name}={value!r}" for name, value in call.arguments.items())
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
            end = _closing(text, match.end() - 1)
            arguments = _strict(text[match.start() : end], actions, name) if end else None
            if arguments is None:
                following = _next(text, match.end(), actions, line_start=True)
                end = following.start() if following else len(text)
                arguments = _loose(text[match.end() : end], actions, name)
            if arguments is not None:
                found.append(Found(match.start(), end or len(text), Call(name, arguments)))
            position = max(end or 0, match.end()) if arguments is not None else match.end()
        return found


def _next(text: str, position: int, actions: Actions, *, line_start: bool = False) -> re.Match[str] | None:
    for match in _OPEN.finditer(text, position):
        if known(match[1], actions):
            before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            if not line_start or re.fullmatch(r"[\s>*`#-]*(?:\W*action\W*)?", before, re.IGNORECASE):
                return match
    return None


def _closing(text: str, opening: int) -> int | None:
    """The offset after the bracket that closes the one at `opening`; strings are skipped."""
    depth, position = 0, opening
    while position < len(text):
        char = text[position]
        if char in "'\"":
            string = _STRING.match(text, position)
            if string is None:
                return None
            position = string.end()
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return None


def _strict(source: str, actions: Actions, name: str) -> dict[str, Any] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call = ast.parse(source.strip(), mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        arguments = positional([_literal(node) for node in call.args], actions[name])
        arguments.update({word.arg: _literal(word.value) for word in call.keywords if word.arg})
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    return arguments


def _literal(node: ast.AST) -> Any:
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    return ast.literal_eval(node)


def _loose(text: str, actions: Actions, name: str) -> dict[str, Any] | None:
    arguments = loose_arguments(text, all_parameters(actions), separator="=", closers=")")
    if arguments:
        return arguments
    if not text.strip(" )\n"):
        return {}
    first = text.lstrip()
    # Prose like "RetrieveFromDatabase (which runs SQL)" is no call; an answer may be bare words.
    if first[:1] in "'\"[{" or first[:1].isdigit() or parameters(actions[name])[0].kind == "Any":
        return {parameters(actions[name])[0].name: loose_value(text, ")")}
    return None
