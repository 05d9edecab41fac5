"""Calls to tools, `{"action": name, "action_input": {argument: value}}`: read, compared, and judged.

Where arguments are free text a judge says whether they ask for the same thing as the gold's: True, False or
None. None means that it could not tell (it failed, or said neither yes nor no), and the attempt's verdict is
then unknown: a judge's failure is never a right answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from rapidfuzz import fuzz, utils

from quire.errors import ENDS_A_RUN, ModelError
from quire.llm import user
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


class CallJudge(Protocol):
    """Compares a call with the gold call of the same API."""

    name: str

    def same(self, said: ApiCall, gold: ApiCall) -> bool | None:
        """Whether they mean the same; None if that cannot be told."""
        ...


class LexicalJudge:
    """Without a model: every gold argument is there and shares most of its words."""

    name = "lexical"
    _ENOUGH = 70.0

    def same(self, said: ApiCall, gold: ApiCall) -> bool | None:
        """Token-set similarity of every value."""
        difference = compare(said.arguments, gold.arguments)
        if difference.missing:
            return False
        return all(
            fuzz.token_sort_ratio(
                str(said.arguments[name]), str(gold.arguments[name]), processor=utils.default_process
            )
            >= self._ENOUGH
            for name in difference.unequal
        )


@dataclass
class ModelCallJudge:
    """Asks a language model (the paper used gpt-3.5-turbo-0125 at temperature 0)."""

    name: str
    model: Any

    def same(self, said: ApiCall, gold: ApiCall) -> bool | None:
        """Equal calls need no judge; a failing model gives None."""
        difference = compare(said.arguments, gold.arguments)
        if not (difference.missing or difference.unequal):
            return True
        prompt = (
            "Two calls to the same API were written for the same request. The first is known to be right. "
            "Would the second do the same job, with no important detail lost?\n\n"
            f"Right: {gold.written()}\nTo judge: {said.written()}\n\nReply with one word, yes or no."
        )
        try:
            reply = self.model.complete([user(prompt)], temperature=0, max_tokens=5).text
        except ENDS_A_RUN:  # the set-up's fault: every other call would go unjudged too
            raise
        except ModelError:
            return None
        words = re.findall(r"[a-z]+", reply.lower())
        return {"yes": True, "no": False}.get(words[0]) if words else None
