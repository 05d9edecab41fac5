from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from quire.errors import TaskError
from quire.eval.questions import load
from quire.eval.quiz import KINDS, make_quiz
from quire.eval.scorers.evaluators import honest_answer
from quire.store import Database
from quire.types import ResultSet

PAPER = str(uuid.UUID(int=1))
PAGE = str(uuid.UUID(int=2))
CELLS = (
    ("Model", "F1", "F1", "Speed"),
    ("BERT", "81.2", "80", "3 s"),
    ("T5", "83", "82", "5 s"),
    ("T5", "84", "85", "6 s"),
)
LONG = "This sentence is long enough to be quoted in a question, and it is said once only in the paper."


class Library:
    """A real library file with a few rows."""

    def __init__(self, folder: Path) -> None:
        self._database = Database(folder / "library.duckdb")
        self._database.create()
        with self._database.writing() as connection:
            for table, rows in _ROWS.items():
                for row in rows:
                    marks = ", ".join("?" for _ in row)
                    connection.execute(
                        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values())
                    )

    def rows(self, sql: str, values: Sequence[Any] = ()) -> ResultSet:
        with self._database.reading() as connection:
            cursor = connection.execute(sql, list(values))
            names = tuple(column[0] for column in cursor.description or ())
            return ResultSet(names, (), tuple(cursor.fetchall()))


def _key(number: int) -> str:
    return str(uuid.UUID(int=number))


_ON = {"ref_paper_id": PAPER, "ref_page_id": PAGE}


def _figure(number: int, caption: str) -> dict[str, Any]:
    label = f"Figure {number}"
    made = {"image_id": _key(10 + number), "image_label": label, "image_caption": f"{label}: {caption}"}
    return {**made, "ordinal": number, **_ON}


def _entry(number: int, label: str, title: str, year: int | None = None) -> dict[str, Any]:
    made = {"reference_id": _key(20 + number), "reference_content": f"{label} {title}", "ordinal": number}
    return {**made, "reference_label": label, "reference_title": title, "reference_year": year, **_ON}


_ROWS: dict[str, list[dict[str, Any]]] = {
    "metadata": [
        {
            "paper_id": PAPER,
            "title": "On Quires",
            "authors": ["Ada One", "Bo Two"],
            "pub_year": 2020,
            "num_pages": 3,
            "pdf_path": "quires.pdf",
        }
    ],
    "pages": [{"page_id": PAGE, "page_number": 1, "ref_paper_id": PAPER}],
    "tables": [
        {
            "table_id": _key(3),
            "table_label": "Table 1",
            "table_caption": "Table 1: Results on the test set",
            "ordinal": 0,
            **_ON,
        }
    ],
    "cells": [
        {
            "cell_id": _key(100 + 10 * row + column),
            "cell_content": text,
            "row_label": cells[0] if row and column else "",
            "column_label": CELLS[0][column] if row else "",
            "row_index": row,
            "column_index": column,
            "is_head": not row,
            "ref_table_id": _key(3),
            **_ON,
        }
        for row, cells in enumerate(CELLS)
        for column, text in enumerate(cells)
    ],
    "images": [_figure(1, "The whole model"), _figure(2, "The whole model again")],
    "reference": [_entry(0, "[1]", "A Title", 1999), _entry(1, "[2]", "Twice"), _entry(2, "[2]", "Too")],
    "sections": [
        {
            "section_id": _key(9),
            "section_title": "2 Method",
            "section_number": "2",
            "section_content": LONG,
            "ordinal": 0,
            "ref_paper_id": PAPER,
        }
    ],
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return Library(tmp_path_factory.mktemp("library"))


def _answers(library: Any, kind: str) -> dict[str, Any]:
    return {each.text: each.answer for each in make_quiz(library, each=50) if each.kind == kind}


def test_only_cells_that_one_row_and_one_column_name(library: Any) -> None:
    found = _answers(library, "table")
    assert list(found.values()) == ["3 s"]  # two columns are F1, two rows are T5
    assert '"Speed" for the row "BERT"' in next(iter(found))


def test_metadata_references_captions_and_sections(library: Any) -> None:
    metadata = _answers(library, "metadata")
    assert metadata["How many authors does this paper have?"] == 2
    assert metadata["Who is the last author of this paper? Give the full name."] == "Bo Two"
    assert "What is the DOI of this paper?" not in metadata
    references = _answers(library, "reference")
    assert sorted(map(str, references.values())) == [
        "1999",
        "3",
        "A Title",
    ]  # no [2]: two entries are called so
    assert list(_answers(library, "caption").values()) == ["Table 1"]  # both figures begin alike
    assert list(_answers(library, "section").values()) == ["Method"]


def test_a_quiz_is_a_file_of_questions_that_its_own_gold_answers(library: Any, tmp_path: Path) -> None:
    quiz = make_quiz(library, each=50)
    path = tmp_path / "quiz.jsonl"
    path.write_text("".join(json.dumps(question.as_row()) + "\n" for question in quiz), encoding="utf-8")
    loaded = load(path)
    assert {tag for item in loaded.items for tag in item.question.tags} == set(KINDS)
    assert loaded.notes == ()
    for item in loaded.items:
        assert item.question.anchor_papers == ("quires.pdf",)
        assert item.evaluator is not None
        honest = honest_answer(item.evaluator.name, item.evaluator.parameters)
        assert honest is not None
        assert item.evaluator(honest.value).value == 1


def test_the_same_seed_gives_the_same_questions(library: Any) -> None:
    one, same, other = (make_quiz(library, each=2, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one != other
    assert max(sum(q.kind == kind for q in one) for kind in KINDS) == 2


def test_unknown_papers_and_hostile_names_are_refused(library: Any) -> None:
    with pytest.raises(TaskError, match="no paper with the id"):
        make_quiz(library, ["x' OR 1=1 --"])
