"""How far a judge can be trusted: its verdicts against those of people, on the same answers.

A line of the file:
    {"question": "Why?", "reference_answer": "It is fast.", "prediction": "Speed.", "human": true}

Contract: in place of `reference_answer` a line may have an `evaluator` in the AirQA layout. `human` is true
or false (or "right", "wrong"). Every line is judged by the same scorer that an evaluation would use; answers
that need no judge (empty, or word for word the reference) count as well, as they do there.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quire.errors import ScoringError, TaskError
from quire.eval import files
from quire.eval.scorers.evaluators import Evaluator, read_evaluator
from quire.eval.scorers.judging import Panel
from quire.eval.scorers.scores import passed
from quire.types import Score

_HUMAN = {True: True, False: False, "right": True, "wrong": False, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer that a person has judged, and what the judge says of it."""

    question: str
    prediction: Any
    human: bool
    score: Score

    @property
    def judged(self) -> bool | None:
        """The judge's verdict, None if it could not say."""
        return None if self.score.value is None else passed(self.score)

    @property
    def apart(self) -> bool:
        """Whether the judge decided otherwise than the person."""
        return self.judged is not None and self.judged != self.human


def check_judge(
    path: Path, judge: Panel, progress: Callable[[int, int], None] | None = None
) -> list[Judgement]:
    """Ask the judge about every answer of a file.

    Raises:
        TaskError: the file is missing or malformed; names line and field.
    """
    if not path.is_file():
        raise TaskError(f"There is no file {path}.")
    rows = files.rows(path)
    read = [_read_line(row, f"{path}, record {number}") for number, row in enumerate(rows, 1)]
    judgements = []
    for number, (row, human, evaluator) in enumerate(read, 1):
        score = evaluator(row["prediction"], judge=judge)
        judgements.append(Judgement(str(row.get("question", "")), row["prediction"], human, score))
        if progress:
            progress(number, len(read))
    return judgements


def _read_line(row: Any, where: str) -> tuple[Mapping[str, Any], bool, Evaluator]:
    if not isinstance(row, Mapping):
        raise TaskError(f"{where} must be a JSON object.")
    if "prediction" not in row:
        raise TaskError(f"{where}: field `prediction` is missing.")
    human = row.get("human")
    if not isinstance(human, (bool, str)) or human not in _HUMAN:
        raise TaskError(f"{where}: field `human` must be true or false, not {human!r}.")
    spec = row.get("evaluator") or {
        "eval_func": "eval_reference_answer_with_llm",
        "eval_kwargs": {
            "reference_answer": files.text(row, "reference_answer", where),
            "question": files.text(row, "question", where),
        },
    }
    try:
        evaluator = read_evaluator(spec).evaluator
    except ScoringError as error:
        raise TaskError(f"{where}: field `evaluator`: {error}") from error
    if evaluator is None:
        raise TaskError(f"{where}: field `evaluator` can be right for no answer.")
    return row, _HUMAN[human], evaluator


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts of (person, judge) and the figures made of them.

    Where the judge could not say, a pair is unknown and left out of the figures. Kappa (Cohen 1960) is 1 for
    full agreement, 0 for what two people who toss coins of the same bias reach, and NaN where everybody
    always says the same.
    """

    both_right: int
    both_wrong: int
    only_judge_right: int
    only_person_right: int
    unknown: int

    @property
    def judged(self) -> int:
        """Pairs where the judge said something."""
        return self.both_right + self.both_wrong + self.only_judge_right + self.only_person_right

    @property
    def accuracy(self) -> float:
        """Share of the judged pairs on which both agree."""
        return (self.both_right + self.both_wrong) / self.judged if self.judged else math.nan

    @property
    def kappa(self) -> float:
        """Agreement beyond chance."""
        if not self.judged:
            return math.nan
        person = (self.both_right + self.only_person_right) / self.judged
        judge = (self.both_right + self.only_judge_right) / self.judged
        chance = person * judge + (1 - person) * (1 - judge)
        return (self.accuracy - chance) / (1 - chance) if chance < 1 else math.nan


def agreement(pairs: Iterable[tuple[bool, bool | None]]) -> Agreement:
    """Count pairs of (person says right, judge says right or None)."""
    counted = Counter(pairs)
    return Agreement(
        both_right=counted[True, True],
        both_wrong=counted[False, False],
        only_judge_right=counted[False, True],
        only_person_right=counted[True, False],
        unknown=counted[True, None] + counted[False, None],
    )
