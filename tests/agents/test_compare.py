"""Methods side by side."""

from __future__ import annotations

import pytest

from quire.agents.compare import asker, compare
from quire.errors import UnknownNameError
from quire.index.encoders import BM25
from quire.models import Model, Scripted
from quire.settings import Agent
from quire.types import Answer, Question, Score, Trajectory
from tests.agents.small_library import ask, environment

EIGHT = "[Action]: GenerateAnswer(answer=8)"
NONE = "[Action]: GenerateAnswer(answer=None)"
LOOK = "[Action]: RetrieveFromDatabase(sql='SELECT title FROM metadata')"


def judge(question: Question, answer: Answer) -> Score:
    return Score(float(answer.value == 8), "is it 8?")


def test_the_same_questions_by_every_method() -> None:
    scripted = Scripted([EIGHT, NONE, LOOK, EIGHT, LOOK, EIGHT.replace("8", "7")])
    asked = asker(Model("m", scripted), environment(), Agent(), (BM25,))
    heard: list[Trajectory] = []
    rows = compare(
        ("question_only", "two_stage_symbolic"), [ask(), ask("Why?")], asked, judge, on_run=heard.append
    )
    assert [(row.method, row.score, row.turns) for row in rows] == [
        ("question_only", 0.5, 1.0),
        ("two_stage_symbolic", 0.5, 2.0),
    ]
    assert rows[0].statuses == {"answered": 1, "abstained": 1, "failed": 0}
    assert rows[1].statuses == {"answered": 2, "abstained": 0, "failed": 0}
    assert [run.method for run in heard] == ["question_only"] * 2 + ["two_stage_symbolic"] * 2
    assert rows[1].usage.calls == 4
    assert rows[1].seconds > 0


def test_without_a_judge_there_is_no_score() -> None:
    asked = asker(Model("m", Scripted([EIGHT])), environment(), Agent(), (BM25,))
    (row,) = compare(("question_only",), [ask()], asked)
    assert row.score is None


def test_a_wrong_name_is_told_before_anything_is_asked() -> None:
    scripted = Scripted([EIGHT])
    asked = asker(Model("m", scripted), environment(), Agent(), (BM25,))
    with pytest.raises(UnknownNameError):
        compare(("question_only", "magic"), [ask()], asked)
    assert scripted.requests == []
