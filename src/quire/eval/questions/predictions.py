"""Answers that were made elsewhere, as if they had been given here.

A line of the file: {"id": "q1", "answer": 7.05}   (`uuid` and `prediction` or `pred` do as well)

Contract: answers are matched to questions by id. A question without an answer counts as abstained, so does
`null`; an answer that begins with `[ERROR]` (as other harnesses write it) failed. Ids that no question has
are told, not ignored. Where a set gives one id to several questions, the answers with that id are dealt out
in the order of the file, the last one to all that remain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from quire.errors import TaskError
from quire.eval import files
from quire.eval.questions.items import QuestionItem
from quire.types import Answer, Question, Trajectory

_IDS, _ANSWERS = ("id", "uuid", "question_id"), ("answer", "prediction", "pred")


def read_predictions(path: Path) -> dict[str, list[Any]]:
    """The answers of a file by id.

    Raises:
        TaskError: the file is missing or malformed; names line and field.
    """
    found: dict[str, list[Any]] = {}
    for where, row in files.located_rows(path):
        name = next((row[key] for key in _IDS if key in row), None)
        answers = [row[key] for key in _ANSWERS if key in row]
        if name is None or not answers:
            raise TaskError(f"{where}: field `{'id' if name is None else 'answer'}` is missing.")
        found.setdefault(str(name), []).append(answers[0])
    return found


def strangers(predictions: Mapping[str, Sequence[Any]], items: Sequence[QuestionItem]) -> list[str]:
    """The ids that no question has."""
    known = {name for item in items for name in (item.question.id, item.given_id)}
    return sorted(predictions.keys() - known)


def from_predictions(
    predictions: Mapping[str, Sequence[Any]], items: Sequence[QuestionItem]
) -> Callable[[Question], Trajectory]:
    """Something that answers as the file does."""
    dealt = {item.question.id: _dealt(item, predictions) for item in items}

    def answer(question: Question) -> Trajectory:
        return Trajectory("", question, (), dealt[question.id], method="predictions", model="elsewhere")

    return answer


def _dealt(item: QuestionItem, predictions: Mapping[str, Sequence[Any]]) -> Answer:
    own = item.question.id
    if own in predictions:
        return _as_answer(predictions[own][0])
    if not item.given_id or item.given_id not in predictions:
        return Answer("abstained", note="The file has no answer to this question.")
    values = predictions[item.given_id]
    place = int(own.rsplit("-", 1)[1]) - 1  # the loader called the n-th question of one id `ID-n`
    return _as_answer(values[min(place, len(values) - 1)])


def _as_answer(value: Any) -> Answer:
    if value is None:
        return Answer("abstained", note="The file's answer is null.")
    if isinstance(value, str) and value.lstrip().startswith("[ERROR]"):
        return Answer("failed", note=value.strip()[:500])
    return Answer("answered", value)
