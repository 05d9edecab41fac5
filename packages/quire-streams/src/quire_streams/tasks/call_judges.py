"""Judges for calls whose arguments are free text: do they ask for the same thing as the gold's?

A judge answers True, False or None. None means that it could not tell (it failed, or said neither yes nor
no), and the attempt's verdict is then unknown: a judge's failure is never a right answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Protocol

from rapidfuzz import fuzz, utils

from quire.errors import ENDS_A_RUN, ModelError
from quire.llm import user
from quire_streams.tasks.calls import ApiCall, compare


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
