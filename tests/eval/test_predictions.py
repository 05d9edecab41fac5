from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quire.errors import TaskError
from quire.eval.evaluation import evaluate, from_predictions, read_predictions, strangers
from quire.eval.questions import load
from quire.eval.report.summary import compared
from tests.eval.sums import SPEC, rows, write


def _predictions(folder: Path, *lines: Any) -> Path:
    path = folder / "predictions.jsonl"
    path.write_text("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines), encoding="utf-8")
    return path


def test_answers_are_matched_by_id_and_not_by_order(tmp_path: Path) -> None:
    items = load(write(tmp_path, rows()[:4])).items
    path = _predictions(
        tmp_path,
        {"uuid": "n03", "answer": "6"},
        {"id": "n01", "prediction": None},
        {"id": "n00", "pred": "[ERROR]: timeout"},
        {"id": "n99", "answer": 0},
    )
    predictions = read_predictions(path)
    assert strangers(predictions, items) == ["n99"]
    records = evaluate(items, from_predictions(predictions, items), tmp_path / "run", SPEC).records
    assert [record.status for record in records] == ["failed", "abstained", "abstained", "right"]


def test_answers_to_questions_of_one_id_are_dealt_out(tmp_path: Path) -> None:
    twice = [{"id": "q", "question": "A?", "answer": 1}, {"id": "q", "question": "B?", "answer": 2}]
    items = load(write(tmp_path, twice)).items
    for values, right in (([1, 2], 2), ([1], 1), ([2], 1)):
        path = _predictions(tmp_path, *({"id": "q", "answer": value} for value in values))
        answered = from_predictions(read_predictions(path), items)
        records = evaluate(items, answered, tmp_path / f"run{values}", SPEC).records
        assert sum(record.status == "right" for record in records) == right


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is not JSON"),
        ("[]", "must be a JSON object"),
        ({"answer": 1}, "`id`"),
        ({"id": 1}, "`answer`"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, line: Any, message: str) -> None:
    with pytest.raises(TaskError, match=message):
        read_predictions(_predictions(tmp_path, {"id": "q", "answer": 1}, line))


def test_two_runs_are_compared_question_by_question(tmp_path: Path) -> None:
    items = load(write(tmp_path, rows()[:20])).items
    gold = {f"n{i:02}": [2 * i] for i in range(20)}
    half = {f"n{i:02}": [2 * i + (i >= 8)] for i in range(20)}
    good = evaluate(items, from_predictions(gold, items), tmp_path / "good", SPEC)
    bad = evaluate(tuple(reversed(items)), from_predictions(half, items), tmp_path / "bad", SPEC)
    found = compared(bad, good)
    assert (found["shared"], found["better"], found["worse"]) == (20, 12, 0)
    assert found["difference"] == pytest.approx(0.6)
    assert found["p_value"] < 0.01
    assert found["changed"][0] == {"id": "n08", "from": "wrong", "to": "right"}
    assert "no question in common" in compared(bad, replace(good, records=()))["error"]
