"""Natural questions that a model writes: only those whose quote stands on the page are kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quire.errors import TaskError
from quire.eval.quiz import natural_quiz
from quire.llm import Model
from quire.llm.providers.local import Scripted

from ..ask.one_paper import PAPER, rows
from ..ask.stored import stored

LONG = " It was a quiet year in the office, and nobody complained about the tea or about the weather." * 8
GOOD = {
    "question": "how much quicker were people after a cup?",
    "answer": 4.2,
    "type": "float",
    "page": 2,
    "quote": "Green tea raised the speed by 4.2 words per minute",
}


def _library() -> Any:
    held = rows()
    for page in held["pages"]:
        page["page_content"] += LONG
    return stored(held)


def _ask(*told: object) -> Any:
    reply = "Here they are:\n" + "\n".join(row if isinstance(row, str) else json.dumps(row) for row in told)
    return natural_quiz(_library(), Model("m", Scripted([reply])), [PAPER], each=4)


def test_a_question_with_its_quote_on_the_page_is_kept() -> None:
    made = _ask(GOOD)
    (question,), dropped = made
    assert (question.text, question.answer, question.kind) == (GOOD["question"], 4.2, "natural")
    assert question.as_row()["format"] == "Your answer should be a Python float."
    assert dropped == 0


@pytest.mark.parametrize(
    "change",
    [
        {"quote": "Green tea raised the speed by 5.2 words per minute"},
        {"answer": 9.9},
        {"answer": "4.2"},
        {"page": 1},
        {"page": 99},
        {"type": "essay"},
        {"question": None},
    ],
)
def test_what_does_not_hold_is_dropped_and_counted(change: dict[str, Any]) -> None:
    made = _ask(GOOD | change, "{not json")
    assert made == ([], 2)


def test_a_paper_that_is_not_there_is_told() -> None:
    with pytest.raises(TaskError, match="no paper with the id"):
        natural_quiz(_library(), Model("m", Scripted([])), ["elsewhere"], each=4)
