"""What a reader of a report is shown of one question besides its figures: gold, reason, and the run itself.

Kept only by runs in the open (`quire eval`): the gold is in it. Everything is a JSON value: pictures are left
out, numbers that JSON does not have become texts.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from quire.eval.questions import QuestionItem
from quire.types import Trajectory


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its gold, why it was judged so, and the answer with all that led there.

    `trajectory` is the whole run (see `packed`), None where nothing was asked.
    """

    question: str
    answer_format: str = ""
    papers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    gold: Any = None
    reason: str = ""
    answer: Any = None
    confidence: float = 0.0
    note: str = ""
    turns: int = 0
    evidence: tuple[Mapping[str, Any], ...] = ()
    trajectory: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Case:
        """From JSON (KeyError, TypeError: it is something else)."""
        lists = {name: tuple(row[name]) for name in ("papers", "tags", "evidence")}
        return cls(**{**row, **lists})

    @classmethod
    def asked(cls, item: QuestionItem) -> Case:
        """A question before it is answered."""
        question = item.question
        known = item.evaluator.parameters if item.evaluator else {}
        gold = packed({name: value for name, value in known.items() if name != "question"})
        return cls(question.text, question.answer_format, question.anchor_papers, question.tags, gold)

    def answered(self, reason: str, run: Trajectory | None) -> Case:
        """The same with what came of it."""
        if run is None:
            return replace(self, reason=reason)
        answer = run.answer
        return replace(
            self,
            reason=reason,
            answer=packed(answer.value),
            confidence=answer.confidence,
            note=answer.note,
            turns=run.turns,
            evidence=tuple(packed(each) for each in answer.evidence),
            trajectory=packed(_without_rows(run)),
        )


def packed(value: Any) -> Any:
    """A value as JSON has it: dataclasses as objects, pictures left out, NaN and infinity as text."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be written
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, (bytes, bytearray)):
        return None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: packed(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): packed(each) for key, each in value.items()}
    if isinstance(value, Iterable):
        return [packed(each) for each in value]
    return str(value)


def _without_rows(run: Trajectory) -> Trajectory:
    """The run as it was shown: the rows behind an observation say the same again, ten times as long."""
    steps = tuple(
        step if step.observation is None else replace(step, observation=replace(step.observation, rows=()))
        for step in run.steps
    )
    return replace(run, steps=steps)
