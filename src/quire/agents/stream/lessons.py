"""Writers of playbook lessons: a language model, or a plain rule when there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from quire.memory.rendering import in_words
from quire.models import Model, user
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
        text = self.model.complete([user(prompt)]).text.strip()
        return "" if text.upper().startswith("NOTHING") else text


class PlainLessons:
    """States the case and its verdict in a line; needs no model."""

    def write(self, instance: Instance, attempt: Attempt, verdict: Verdict) -> str:
        """One sentence."""
        advice = "do answer" if verdict.label == "right" else "do not answer"
        return f"In a case like <{' '.join(instance.shot.split())[:400]}> {advice} <{attempt.output}>."
