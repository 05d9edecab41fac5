"""What a quiz is made of: a question with its answer, and the rows of a paper; and choosing among them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from quire.errors import TaskError
from quire.registry import Registry
from quire.types import ResultSet


class HasRows(Protocol):
    """What a library offers for this."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> ResultSet:
        """The rows of one of quire's own statements; what comes from elsewhere is among its `values`."""
        ...


@dataclass(frozen=True, slots=True)
class QuizQuestion:
    """A question over one paper. `evaluator` is in the AirQA layout; empty: chosen by the answer's type."""

    kind: str
    text: str
    answer: Any
    format: str
    paper: str  # file name
    evaluator: Mapping[str, Any] = field(default_factory=dict)

    def as_row(self) -> dict[str, Any]:
        """The question as a line of our own layout (`eval/questions/layouts.py`)."""
        key = hashlib.sha256(f"{self.paper}\n{self.kind}\n{self.text}".encode()).hexdigest()[:12]
        row = {
            "id": f"{self.kind}-{key}",
            "question": self.text,
            "answer": self.answer,
            "format": self.format,
            "papers": [self.paper],
            "kind": self.kind,
        }
        return {**row, "evaluator": dict(self.evaluator)} if self.evaluator else row


_ORDERS = {
    "metadata": "",
    "sections": " ORDER BY ordinal",
    "reference": " ORDER BY ordinal",
    "cells": " ORDER BY ref_page_id, ref_table_id, row_index, column_index",
}


@dataclass(frozen=True, slots=True)
class PaperRows:
    """The rows of one paper."""

    library: HasRows
    paper_id: str
    paper: str  # file name

    def of(self, columns: str, table: str) -> list[tuple[Any, ...]]:
        """Those columns of the paper's rows of a table, in order."""
        key = "paper_id" if table == "metadata" else "ref_paper_id"
        order = _ORDERS.get(table, " ORDER BY ref_page_id, ordinal")
        sql = f"SELECT {columns} FROM {table} WHERE CAST({key} AS VARCHAR) = ?{order}"
        return list(self.library.rows(sql, [self.paper_id]).rows)

    def question(self, kind: str, text: str, answer: Any, format: str) -> QuizQuestion:
        """A question over this paper."""
        return QuizQuestion(kind, text, answer, format, self.paper)

    def printed(
        self, kind: str, text: str, answer: str, format: str = "Your answer should be a string."
    ) -> QuizQuestion:
        """A question whose answer is a text as it is printed, blanks and case aside."""
        parameters = {"gold": answer, "lowercase": True, "ignore_blank": True, "threshold": 95}
        evaluator = {"eval_func": "eval_string_fuzzy_match", "eval_kwargs": parameters}
        return QuizQuestion(kind, text, answer, format, self.paper, evaluator)


KINDS = Registry(
    "kind of quiz question",
    {
        "metadata": "quire.eval.quiz.kinds:metadata",
        "table": "quire.eval.quiz.kinds:tables",
        "reference": "quire.eval.quiz.kinds:references",
        "caption": "quire.eval.quiz.kinds:captions",
        "section": "quire.eval.quiz.kinds:sections",
    },
)


def make_quiz(
    library: HasRows,
    papers: Sequence[str] = (),
    *,
    each: int = 4,
    kinds: Iterable[str] = KINDS,
    seed: int = 0,
) -> list[QuizQuestion]:
    """At most `each` questions of each kind about each paper (ids; none: all papers of the library).

    Raises:
        TaskError: the library has no papers, or a paper is not named by its id.
        UnknownNameError: there is no such kind.
    """
    makers: list[tuple[str, Callable[[PaperRows], Iterable[QuizQuestion]]]] = [
        (kind, KINDS.load(kind)) for kind in kinds
    ]
    quiz: list[QuizQuestion] = []
    for rows in _papers(library, papers):
        for kind, make in makers:
            found = list({question.text: question for question in make(rows)}.values())
            chooser = random.Random(f"{seed} {rows.paper_id} {kind}")
            quiz += found if len(found) <= each else chooser.sample(found, each)
    return quiz


def _papers(library: HasRows, papers: Sequence[str]) -> list[PaperRows]:
    listed = library.rows("SELECT paper_id, pdf_path FROM metadata ORDER BY pdf_path, paper_id").rows
    known = {str(paper): str(name) for paper, name in listed}
    if not known:
        raise TaskError("The library has no papers to ask about.", hint="Add some with `quire add`.")
    chosen = []
    for paper in papers or known:
        if paper not in known:
            raise TaskError(f"The library has no paper with the id `{paper}`.")
        named = sum(name == known[paper] for name in known.values()) == 1
        # A file name says more to people than an id, as long as only one paper has it.
        chosen.append(PaperRows(library, paper, known[paper] if named else paper))
    return chosen
