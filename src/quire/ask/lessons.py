"""Writers of lessons: short general advice drawn from one judged attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from quire.llm import Model, user
from quire.memory.rendering import in_words
from quire.types import Attempt, Instance, Verdict


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
