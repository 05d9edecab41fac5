from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from quire.errors import TaskError
from quire.eval.judgements import agreement, check_judge
from quire.eval.scorers.judging import Panel
from quire.llm import Completion, Message


class Lenient:
    """Finds everything right that has the word speed in it, and cannot decide about hm."""

    def complete(self, messages: Sequence[Message], **params: Any) -> Completion:
        answer = next(line for line in messages[-1].text.splitlines() if line.startswith("Answer: "))
        told = f"So it is.\nverdict: {str('speed' in answer).lower()}"
        return Completion("Hm." if "hm" in answer else told)


def _file(folder: Path, *rows: Any) -> Path:
    path = folder / "judged.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_the_judge_is_held_against_people(tmp_path: Path) -> None:
    base = {"question": "Why?", "reference_answer": "It is fast."}
    answers = [("speed", True), ("high speed", "right"), ("slow", False), ("no speed", False), ("hm", True)]
    path = _file(tmp_path, *({**base, "prediction": text, "human": human} for text, human in answers))
    seen: list[tuple[int, int]] = []
    found = check_judge(path, Panel(Lenient()), lambda done, total: seen.append((done, total)))
    counts = agreement((each.human, each.judged) for each in found)
    assert (counts.judged, counts.unknown) == (4, 1)
    assert counts.accuracy == 0.75
    assert counts.kappa == pytest.approx(0.5)
    assert [each.prediction for each in found if each.apart] == ["no speed"]
    assert seen[-1] == (5, 5)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"prediction": "x", "human": 3}, "record 1: field `human`"),
        ({"human": True}, "field `prediction`"),
        ({"prediction": "x", "human": True}, "field `reference_answer`"),
        ({"prediction": "x", "human": True, "evaluator": {"eval_func": "?"}}, "field `evaluator`"),
    ],
)
def test_errors_name_record_and_field(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        check_judge(_file(tmp_path, row), Panel(Lenient()))
