from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from quire.errors import ModelUnreachable, RunError
from quire.scoring.judging import Panel
from quire.streams.evaluation import EvalRecord, Progress, evaluate, load_run, open_folder, summarise
from quire.streams.evaluation.record import EvalFile
from quire.tasks.questions import Item
from quire.types import Question, Trajectory
from tests.streams.evaluation.sums import SPEC, answer


def _outcomes(records: tuple[EvalRecord, ...]) -> list[object]:
    return [record.outcome() for record in records]


def test_five_different_numbers_and_accuracy_among_the_answerable(
    items: tuple[Item, ...], tmp_path: Path
) -> None:
    odd = (replace(items[0], missing=("p9",)), replace(items[1], evaluator=None, problem="no gold"))
    records = evaluate((*odd, *items[2:]), answer, tmp_path / "run", SPEC)
    document = summarise(records).as_json()
    counts = {
        k: document[k] for k in ("right", "wrong", "abstained", "failed", "unknown", "missing", "impossible")
    }
    assert counts == {
        "right": 9, "wrong": 9, "abstained": 4, "failed": 1, "unknown": 1, "missing": 1, "impossible": 1
    }  # fmt: skip
    assert document["total"] == 26
    assert document["answerable"] == 23
    assert document["accuracy"] == round(9 / 23, 4)
    assert document["interval"][0] < 9 / 23 < document["interval"][1]
    assert document["per_kind"]["table"]["accuracy"] == 0.5
    assert document["per_kind"]["text"]["unknown"] == 1
    assert document["prompt_tokens"] == 230
    json.dumps(document, allow_nan=False)


def test_every_record_says_why(items: tuple[Item, ...], tmp_path: Path) -> None:
    by_id = {record.id: record for record in evaluate(items, answer, tmp_path / "run", SPEC)}
    assert by_id["n01"].reason == "3 is not 2."
    assert by_id["t3"].reason == "ValueError: a page of the paper is torn"
    assert by_id["t3"].value is None
    assert by_id["t0"].reason == "The evidence is weak."
    assert "No judge is configured" in by_id["j1"].reason
    assert all(record.reason for record in by_id.values())


def test_a_judge_decides_where_one_is_needed(items: tuple[Item, ...], tmp_path: Path) -> None:
    class Strict:
        def ask(self, prompt: str, sample: int = 0) -> str:
            return "No.\nverdict: false"

    records = evaluate(items, answer, tmp_path / "run", SPEC, Panel(Strict()))
    assert next(r for r in records if r.id == "j1").status == "wrong"


def test_workers_change_nothing_but_the_time(items: tuple[Item, ...], tmp_path: Path) -> None:
    together, running = [0], threading.Lock()

    def slow(question: Question) -> Trajectory:
        with running:
            together.append(together[-1] + 1)
        time.sleep(0.005 * (len(question.text) % 3))
        with running:
            together.append(together[-1] - 1)
        return answer(question)

    one = evaluate(items, slow, tmp_path / "one", SPEC)
    assert max(together) == 1
    four = evaluate(items, slow, tmp_path / "four", SPEC, workers=4)
    assert max(together) > 1
    assert _outcomes(one) == _outcomes(four)


def test_a_killed_run_goes_on_and_ends_the_same(items: tuple[Item, ...], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    script = f"""
import sys, time
from pathlib import Path
from quire.streams.evaluation import evaluate
from quire.tasks.questions import load
sys.path.insert(0, {str(Path(__file__).parents[3])!r})
from tests.streams.evaluation.sums import SPEC, answer
def slow(question):
    time.sleep(0.05)
    return answer(question)
questions = load(Path({str(tmp_path / "questions.jsonl")!r}))
evaluate(questions.items, slow, Path({str(folder)!r}), SPEC, workers=2)
"""
    child = subprocess.Popen([sys.executable, "-c", script])
    records = folder / "records.jsonl"
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not (records.exists() and records.read_bytes().count(b"\n") >= 5):
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    before = records.read_bytes().count(b"\n")
    assert 5 <= before < len(items)
    with records.open("ab") as file:
        file.write(b'{"id": "n19", "status": "ri')  # a line that was being written
    asked: list[str] = []

    def counting(question: Question) -> Trajectory:
        asked.append(question.id)
        return answer(question)

    resumed = evaluate(items, counting, folder, SPEC)
    assert len(asked) == len(items) - before
    assert _outcomes(resumed) == _outcomes(evaluate(items, answer, tmp_path / "whole", SPEC))
    assert _outcomes(load_run(folder).records) == _outcomes(tuple(sorted(resumed, key=lambda r: r.id)))


def test_what_ails_the_set_up_stops_the_run_and_keeps_what_is_done(
    items: tuple[Item, ...], tmp_path: Path
) -> None:
    def gone(question: Question) -> Trajectory:
        if question.id == "n05":
            raise ModelUnreachable("connection refused")
        return answer(question)

    with pytest.raises(ModelUnreachable):
        evaluate(items, gone, tmp_path / "run", SPEC)
    kept = EvalFile(tmp_path / "run" / "records.jsonl").read().keys()
    assert {"n00", "n01", "n02", "n03", "n04"} <= kept
    assert "n05" not in kept
    assert len(kept) < 10
    assert len(evaluate(items, answer, tmp_path / "run", SPEC)) == len(items)


def test_failed_questions_can_be_asked_again(items: tuple[Item, ...], tmp_path: Path) -> None:
    evaluate(items, answer, tmp_path / "run", SPEC)
    asked: list[str] = []

    def better(question: Question) -> Trajectory:
        asked.append(question.id)
        return replace(answer(items[0].question), question=question)

    records = evaluate(items, better, tmp_path / "run", SPEC, again=frozenset({"failed"}))
    assert asked == ["t3"]
    assert next(r for r in records if r.id == "t3").status == "wrong"
    assert next(r for r in load_run(tmp_path / "run").records if r.id == "t3").status == "wrong"


def test_another_specification_is_refused(items: tuple[Item, ...], tmp_path: Path) -> None:
    evaluate(items, answer, tmp_path / "run", SPEC)
    with pytest.raises(RunError, match="other questions or settings"):
        evaluate(items, answer, tmp_path / "run", replace(SPEC, method="classic"))


def test_a_broken_line_in_the_middle_is_told(items: tuple[Item, ...], tmp_path: Path) -> None:
    evaluate(items[:2], answer, tmp_path / "run", SPEC)
    records = tmp_path / "run" / "records.jsonl"
    records.write_text("{}\n" + records.read_text("utf-8"), "utf-8")
    with pytest.raises(RunError, match="line 1 is no record"):
        load_run(tmp_path / "run")


def test_progress_tells_accuracy_tokens_cost_and_time(items: tuple[Item, ...], tmp_path: Path) -> None:
    seen: list[Progress] = []
    limited = replace(SPEC, limit=4)
    evaluate(items, answer, tmp_path / "run", limited, progress=seen.append)
    assert [p.done for p in seen] == [1, 2, 3, 4]
    last = seen[-1]
    assert (last.total, last.accuracy, last.usage.prompt_tokens) == (4, 0.5, 40)
    assert last.usage.cost == pytest.approx(0.004)
    assert last.seconds_left == 0
    assert last.last.id == "n03"


def test_a_resumed_folder_is_found_and_a_new_one_is_new(tmp_path: Path, items: tuple[Item, ...]) -> None:
    first = open_folder(tmp_path / "runs", SPEC)
    evaluate(items[:1], answer, first, SPEC)
    second = open_folder(tmp_path / "runs", SPEC)
    assert second != first
    evaluate(items[:1], answer, second, SPEC)
    assert open_folder(tmp_path / "runs", SPEC, resume=True) == second
    assert open_folder(tmp_path / "runs", replace(SPEC, model="other"), resume=True) not in (first, second)
    assert "/" not in replace(SPEC, model="../../etc/passwd").name


def test_settings_that_json_tells_otherwise_do_not_part_a_run(
    items: tuple[Item, ...], tmp_path: Path
) -> None:
    spec = replace(SPEC, settings={"encoders": ("a", "b"), "path": Path("x")})
    evaluate(items[:1], answer, tmp_path / "run", spec)
    assert len(evaluate(items, answer, tmp_path / "run", spec)) == len(items)
