"""Reading and comparing a call to a tool: `{"action": name, "action_input": {argument: value}}`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quire_streams.tasks.replies import first_object


@dataclass(frozen=True, slots=True)
class ApiCall:
    """A call."""

    action: str
    arguments: Mapping[str, Any]

    def written(self) -> str:
        """The canonical form."""
        return json.dumps({"action": self.action, "action_input": dict(self.arguments)}, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class CallDifference:
    """How a call's arguments differ from the gold's."""

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    unequal: tuple[str, ...]


def read_call(reply: str) -> ApiCall | None:
    """The first call in a reply; arguments may be an object, a text that holds one, or nothing."""
    found = first_object(reply)
    if not found or not isinstance(found.get("action"), str):
        return None
    return ApiCall(found["action"], read_arguments(found.get("action_input")))


def read_arguments(value: Any) -> Mapping[str, Any]:
    """Arguments as an object; whatever else was given stands under the empty name."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except json.JSONDecodeError:
            return {"": value}
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"": value}


def compare(said: Mapping[str, Any], gold: Mapping[str, Any]) -> CallDifference:
    """Values are equal if they are the same text without outer blanks and case."""
    missing = tuple(name for name in gold if name not in said)
    extra = tuple(name for name in said if name not in gold)
    unequal = tuple(name for name in gold if name in said and _folded(said[name]) != _folded(gold[name]))
    return CallDifference(missing, extra, unequal)


def _folded(value: Any) -> str:
    return str(value).strip().lower()
