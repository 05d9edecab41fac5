"""What a text format of actions is, and the reading of names and arguments that all formats share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from quire.ask.actions import Action, parameters
from quire.literals import read
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


def fold(name: str) -> str:
    """A name without case and separators."""
    return re.sub(r"[\s_\-]", "", name).lower()


def known(name: Any, actions: Actions) -> str | None:
    """The action of that name however it is spelt, or None."""
    if not isinstance(name, str):
        return None
    return next((each for each in actions if fold(each) == fold(name)), None)


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
