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
from quire.eval.evaluation import evaluate
from quire.eval.questions import QuestionItem, load
from quire.eval.record import Record
from quire.eval.report.summary import summarise
from quire.eval.run import Run, RunProgress, load_run, open_folder
from quire.eval.scorers.judging import Panel
from quire.llm import Scripted
from quire.types import Question, Trajectory
from tests.eval.sums import SPEC, answer, write


def _outcomes(run: Run) -> list[object]:
    return [(record.essence(), record.case and record.case.reason) for record in run.records]


def _reason(record: Record) -> str:
    return record.case.reason if record.case else ""


def test_five_different_numbers_and_accuracy_among_the_answerable(
    items: tuple[QuestionItem, ...], tmp_path: Path
) -> None:
    odd = (replace(items[0], missing=("p9",)), replace(items[1], evaluator=None, problem="no gold"))
    run = evaluate((*odd, *items[2:]), answer, tmp_path / "run", SPEC)
    document = summarise(run.records).as_json()
    counts = {
        k: document[k] for k in ("right", "wrong", "abstained", "failed", "unknown", "missing", "impossible")
    }
    assert counts == {
        "right": 9, "wrong": 9, "abstained": 4, "failed": 1, "unknown": 1, "missing": 1, "impossible": 1
    }  # fmt: skip
    assert document["total"] == 26
    assert document["answerable"] == 23
    assert document["accuracy"] == round(9 / 23, 4)
    assert document["accuracy_of_all"] == round(9 / 26, 4)
    assert document["interval"][0] < 9 / 23 < document["interval"][1]
    assert document["per_kind"]["table"]["accuracy"] == 0.5
    assert document["per_kind"]["text"]["unknown"] == 1
    assert document["prompt_tokens"] == 230
    json.dumps(document, allow_nan=False)


def test_every_record_says_why(items: tuple[QuestionItem, ...], tmp_path: Path) -> None:
    run = evaluate(items, answer, tmp_path / "run", SPEC)
    by_id = {record.instance: record for record in run.records}
    assert _reason(by_id["n01"]) == "3 is not 2."
    assert _reason(by_id["t3"]) == "ValueError: a page of the paper is torn"
    assert not by_id["t3"].right
    assert by_id["t0"].case is not None
    assert by_id["t0"].case.note == "The evidence is weak."
    assert "No judge is configured" in _reason(by_id["j1"])
    assert all(map(_reason, run.records))


def test_who_abstains_is_right_where_there_is_nothing_to_find(tmp_path: Path) -> None:
    silence = {"evaluator": {"eval_func": "abstain"}, "answer": None}
    lines = [{"id": name, "question": "Who?", **silence} for name in ("t0", "n01", "t3")]
    items = load(write(tmp_path, lines)).items
    run = evaluate(items, answer, tmp_path / "run", SPEC)
    assert [record.status for record in run.records] == ["right", "wrong", "failed"]
    assert summarise(run.records).as_json()["abstained"] == 0


def test_one_rule_says_what_is_right(tmp_path: Path) -> None:
    grader = Scripted(["relevance: 9\naccuracy: 9\ncompleteness: 10\nconciseness: 10"])
    graded = {
        "eval_func": "eval_scidqa",
        "eval_kwargs": {"reference_answer": "It is fast.", "question": "Why?"},
    }
    items = load(write(tmp_path, [{"id": "j1", "question": "Why?", "evaluator": graded}])).items
    (record,) = evaluate(items, answer, tmp_path / "run", SPEC, Panel(grader)).records
    assert record.parts == {"score": 0.95}
    assert (record.status, record.value, record.verdict.label) == ("right", 1.0, "right")
    assert summarise([record]).overall.mean_score == 0.95


def test_a_judge_decides_where_one_is_needed(items: tuple[QuestionItem, ...], tmp_path: Path) -> None:
    strict = Scripted(["No.\nverdict: false"] * len(items))
    records = evaluate(items, answer, tmp_path / "run", SPEC, Panel(strict)).records
    assert next(r for r in records if r.instance == "j1").status == "wrong"


def test_workers_change_nothing_but_the_time(items: tuple[QuestionItem, ...], tmp_path: Path) -> None:
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


def test_a_killed_run_goes_on_and_ends_the_same(items: tuple[QuestionItem, ...], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    script = f"""
import sys, time
from pathlib import Path
from quire.eval.evaluation import evaluate
from quire.eval.questions import load
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.eval.sums import SPEC, answer
def slow(question):
    if question.id > "n08":
        time.sleep(600)
    return answer(question)
questions = load(Path({str(tmp_path / "questions.jsonl")!r}))
evaluate(questions.items, slow, Path({str(folder)!r}), SPEC, workers=2)
"""
    child = subprocess.Popen([sys.executable, "-c", script])
    records = folder / "records.jsonl"
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and not (records.exists() and records.read_bytes().count(b"\n") >= 5):
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    before = records.read_bytes().count(b"\n")
    assert 5 <= before < len(items)
    with records.open("ab") as file:
        file.write(b'{"step": 19, "instance": "n1')  # a line that was being written
    asked: list[str] = []

    def counting(question: Question) -> Trajectory:
        asked.append(question.id)
        return answer(question)

    resumed = evaluate(items, counting, folder, SPEC)
    assert len(asked) == len(items) - before
    assert _outcomes(resumed) == _outcomes(evaluate(items, answer, tmp_path / "whole", SPEC))
    assert _outcomes(load_run(folder)) == _outcomes(resumed)


def test_what_ails_the_set_up_stops_the_run_and_keeps_what_is_done(
    items: tuple[QuestionItem, ...], tmp_path: Path
) -> None:
    def gone(question: Question) -> Trajectory:
        if question.id == "n05":
            raise ModelUnreachable("connection refused")
        return answer(question)

    with pytest.raises(ModelUnreachable):
        evaluate(items, gone, tmp_path / "run", SPEC)
    kept = [record.instance for record in load_run(tmp_path / "run").records]
    assert kept == ["n00", "n01", "n02", "n03", "n04"]
    assert len(evaluate(items, answer, tmp_path / "run", SPEC).records) == len(items)


def test_another_specification_is_refused(items: tuple[QuestionItem, ...], tmp_path: Path) -> None:
    evaluate(items, answer, tmp_path / "run", SPEC)
    with pytest.raises(RunError, match="other data or settings"):
        evaluate(items, answer, tmp_path / "run", replace(SPEC, settings=(("agent.method", "classic"),)))
    with pytest.raises(RunError, match="not what it was"):
        evaluate(items[1:], answer, tmp_path / "run", SPEC)


def test_a_broken_line_in_the_middle_is_told(items: tuple[QuestionItem, ...], tmp_path: Path) -> None:
    evaluate(items[:2], answer, tmp_path / "run", SPEC)
    records = tmp_path / "run" / "records.jsonl"
    records.write_text("{}\n" + records.read_text("utf-8"), "utf-8")
    with pytest.raises(RunError, match="line 1 is not a record"):
        load_run(tmp_path / "run")


def test_progress_tells_accuracy_tokens_cost_and_time(
    items: tuple[QuestionItem, ...], tmp_path: Path
) -> None:
    seen: list[RunProgress] = []
    limited = replace(SPEC, limit=4)
    evaluate(items, answer, tmp_path / "run", limited, progress=seen.append)
    assert [p.done for p in seen] == [1, 2, 3, 4]
    last = seen[-1]
    assert (last.total, last.metric, last.usage.prompt_tokens) == (4, 0.5, 40)
    assert last.usage.cost == pytest.approx(0.004)


def test_what_failed_or_was_not_judged_is_asked_again(
    items: tuple[QuestionItem, ...], tmp_path: Path
) -> None:
    first = evaluate(items, answer, tmp_path / "run", SPEC)
    open_ones = {record.instance for record in first.records if record.unjudged}
    assert 0 < len(open_ones) < len(items)
    asked: list[str] = []

    def better(question: Question) -> Trajectory:
        asked.append(question.id)
        return answer(questions[question.id])

    questions = {item.question.id: items[0].question for item in items}
    again = evaluate(items, better, tmp_path / "run", SPEC)
    assert set(asked) == open_ones
    assert [record.step for record in again.records] == list(range(len(items)))
    assert load_run(tmp_path / "run").records == again.records


def test_a_resumed_folder_is_found_and_a_new_one_is_new(
    tmp_path: Path, items: tuple[QuestionItem, ...]
) -> None:
    first = open_folder(tmp_path / "runs", SPEC)
    evaluate(items[:1], answer, first, SPEC)
    second = open_folder(tmp_path / "runs", SPEC)
    assert second != first
    evaluate(items[:1], answer, second, SPEC)
    assert open_folder(tmp_path / "runs", SPEC, resume=True) == second
    assert open_folder(tmp_path / "runs", replace(SPEC, models=("other",)), resume=True) not in (
        first,
        second,
    )
    strange = open_folder(tmp_path / "runs", replace(SPEC, models=("../../etc/passwd",)))
    assert strange.parent == tmp_path / "runs"
