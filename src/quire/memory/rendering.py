"""Verdicts in words, lessons drawn from them, and what of that which is remembered fits into a prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from quire.llm.messages import estimate_tokens, user
from quire.types import Attempt, Instance, Verdict

if TYPE_CHECKING:
    from quire.llm import Model


_WORDS = {
    "right": "This answer was right.",
    "wrong": "This answer was wrong.",
    "unknown": "Nobody has judged this answer.",
}


def in_words(verdict: Verdict) -> str:
    """The verdict as a sentence. Only the label: a reason could give the gold away."""
    return _WORDS[verdict.label]


class Texted(Protocol):
    """What has a text: a shot, an example."""

    @property
    def text(self) -> str:
        """As it stands in a prompt."""
        ...


T = TypeVar("T", bound=Texted)


def fit_budget(best_first: Sequence[T], budget: int) -> tuple[T, ...]:
    """The longest run of best shots whose texts take at most `budget` tokens (0: all), best last."""
    if not budget:
        return tuple(reversed(best_first))
    kept: list[T] = []
    used = 0
    for shot in best_first:
        used += estimate_tokens(shot.text)
        if used > budget:
            break
        kept.append(shot)
    return tuple(reversed(kept))


class LessonWriter(Protocol):
    """Writes one short general lesson from a judged attempt, or "" when there is nothing to say."""

    def write(self, instance: Instance, attempt: Attempt, verdict: Verdict) -> str:
        """One or two sentences."""
        ...


@dataclass
class ModelLessons:
    """Asks a model for one lesson that would help with other cases."""

    model: Model

    def write(self, instance: Instance, attempt: Attempt, verdict: Verdict) -> str:
        """At most two sentences; "" when the model sees nothing to learn."""
        prompt = (
            f"{instance.instruction}\n\nA case:\n{instance.shot}\n\n"
            f"The answer that was given:\n{attempt.output}\n"
            f"{in_words(verdict)}\n\nWrite one lesson, in at most two sentences, that would help with other "
            "cases like this one. Name what to look for and what to do or avoid. Do not repeat the case. "
            "If there is nothing to learn, reply NOTHING."
        )
        reply = self.model.complete([user(prompt)])
        text, cut = reply.text.strip(), reply.finish_reason == "length"
        return "" if cut or text.upper().startswith("NOTHING") else text
