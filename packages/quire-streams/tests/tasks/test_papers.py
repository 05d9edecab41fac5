from __future__ import annotations

import json
from pathlib import Path

from quire.eval.scorers.judging import Panel
from quire.llm import Scripted
from quire_streams.tasks import TASKS
from quire_streams.tasks.papers import PaperQuestions
from quire_streams.tasks.protocol import Sample


def _samples(folder: Path) -> list[Sample]:
    rows = [
        {"id": "a", "question": "How many layers?", "answer": 12, "papers": ["bert.pdf"], "kind": "text"},
        {"id": "b", "question": "Which tasks?", "answer": ["RTE", "CoLA"]},
        {"id": "c", "question": "Why?", "answer": "It is fast.", "judge": True},
        {"id": "d", "question": "?", "answer": "x", "evaluator": {"eval_func": "eval_int_exact_match"}},
    ]
    (folder / "q.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return list(PaperQuestions().load(folder))


def test_questions_become_samples_and_the_impossible_are_closed(tmp_path: Path) -> None:
    samples = _samples(tmp_path)
    closed = {sample.instance.id: sample.instance.closed for sample in samples}
    assert closed == {"a": "", "b": "", "c": "", "d": "impossible"}
    assert "`gold`" in PaperQuestions().score(samples[3], "1").reason
    assert samples[0].instance.input == "How many layers?\nPaper: bert.pdf"
    assert "12" not in repr(samples[0].instance)


def test_a_gold_reply_scores_one_and_others_do_not(tmp_path: Path) -> None:
    task = TASKS.load("papers")()
    for sample in _samples(tmp_path)[:3]:
        reply = f"I think so.\n{sample.reply}"
        assert task.score(sample, task.parse(reply, sample.instance)).value == 1
        assert task.score(sample, "").value == 0
    assert task.parse("```\n[1, 2]\n```", _samples(tmp_path)[0].instance) == "[1, 2]"
    assert task.parse("Answer: 12", _samples(tmp_path)[0].instance) == "12"


def test_a_judged_question_has_no_score_without_a_judge(tmp_path: Path) -> None:
    sample = _samples(tmp_path)[2]
    assert PaperQuestions().score(sample, "Speed.").value is None
    assert PaperQuestions(Panel(Scripted(["verdict: true"]))).score(sample, "Speed.").value == 1
