from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.app.cli.conftest import Command


@pytest.fixture
def questions(quire: Command, filled: Path, tmp_path: Path) -> Path:
    """Two questions that the offline policy can answer, one about a paper that is not there."""
    file = tmp_path / "questions.jsonl"
    rows = [
        {
            "id": "a",
            "question": "How many authors does this paper have?",
            "answer": 3,
            "format": "int",
            "papers": ["paper-boats.pdf"],
        },
        {
            "id": "b",
            "question": "What is the title of this paper?",
            "answer": "No such title",
            "papers": ["paper-boats.pdf"],
        },
        {"id": "c", "question": "How many pages?", "answer": 1, "papers": ["absent.pdf"]},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_eval_counts_right_wrong_and_missing_apart(quire: Command, filled: Path, questions: Path) -> None:
    ran = quire("eval", questions, "--library", filled, "--json")
    assert ran.code == 0
    document = json.loads(ran.out)
    assert document["accuracy"] == 0.5
    counted = {
        name: document[name] for name in ("right", "wrong", "abstained", "failed", "unknown", "missing")
    }
    assert counted == {"right": 1, "wrong": 1, "abstained": 0, "failed": 0, "unknown": 0, "missing": 1}
    assert "per_kind" in document


def test_answers_made_elsewhere_are_matched_by_id(quire: Command, filled: Path, questions: Path) -> None:
    answers = questions.with_name("answers.jsonl")
    answers.write_text('{"id": "b", "answer": "No such title"}\n{"id": "a", "answer": "4"}\n')
    document = json.loads(
        quire("eval", questions, "--predictions", answers, "--library", filled, "--json").out
    )
    assert document["right"] == 1
    assert document["wrong"] == 1
    answers.write_text('{"id": "zzz", "answer": 1}\n')
    assert "zzz" in quire("eval", questions, "--predictions", answers, "--library", filled).err


def test_a_report_of_two_runs_is_one_page_that_loads_nothing(
    quire: Command, filled: Path, questions: Path, tmp_path: Path
) -> None:
    first = json.loads(quire("eval", questions, "--library", filled, "--json").out)["run"]
    again = json.loads(quire("eval", questions, "--library", filled, "--resume", "--json").out)["run"]
    assert first == again
    page = tmp_path / "report.html"
    document = json.loads(quire("report", first, "--html", page, "--library", filled, "--json").out)
    assert document["accuracy"] == 0.5
    html = page.read_text(encoding="utf-8")
    assert "How many authors" in html
    assert 'src="http' not in html


def test_a_quiz_of_the_librarys_own_rows_is_answered(quire: Command, filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "quiz.jsonl"
    made = json.loads(
        quire("quiz", "paper-boats.pdf", "--each", 2, "-o", file, "--library", filled, "--json").out
    )
    assert len(made) == len(file.read_text().splitlines()) > 4
    assert json.loads(quire("eval", file, "--library", filled, "--json").out)["accuracy"] > 0.8


def test_without_a_model_there_is_nothing_to_compare(quire: Command, filled: Path, questions: Path) -> None:
    ran = quire("compare", questions, "--library", filled)
    assert ran.code == 1
    assert "--model NAME" in ran.err


def test_methods_are_compared_by_one_command(
    quire: Command, filled: Path, questions: Path, tmp_path: Path
) -> None:
    script = tmp_path / "replies.jsonl"
    script.write_text(json.dumps({"text": "[Thought]: x\n[Action]: GenerateAnswer(answer=3)"}) + "\n")
    methods = ("--method", "question_only", "--method", "classic_rag")
    ran = quire(
        "compare",
        questions,
        *methods,
        "--limit",
        1,
        "--model",
        f"scripted:{script}",
        "--library",
        filled,
        "--json",
    )
    assert ran.code == 0, ran.err
    assert len(json.loads(ran.out)["runs"]) == 2


def test_checking_a_judge_needs_a_judge(quire: Command, filled: Path, tmp_path: Path) -> None:
    file = tmp_path / "verdicts.jsonl"
    file.write_text(
        '{"question": "Why?", "reference_answer": "Fast.", "prediction": "Fast.", "human": true}\n'
    )
    assert "--judge" in quire("judge-check", file, "--library", filled).err
    ran = quire("judge-check", file, "--judge", "echo", "--library", filled, "--json")
    assert json.loads(ran.out)["accuracy"] == 1.0
