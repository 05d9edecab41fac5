"""What a quiz is made of: a question with its answer, and the rows that it is drawn from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from quire.types import ResultSet


class HasSql(Protocol):
    """What a library offers for this."""

    def sql(self, sql: str) -> ResultSet:
        """The rows of one read-only statement."""
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
        """The question as a line of our own layout (`tasks/questions/own.py`)."""
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
class HasRows:
    """The rows of one paper."""

    library: HasSql
    paper_id: str  # a UUID as the library gives it
    paper: str  # file name

    def of(self, columns: str, table: str) -> list[tuple[Any, ...]]:
        """Those columns of the paper's rows of a table, in order."""
        key = "paper_id" if table == "metadata" else "ref_paper_id"
        order = _ORDERS.get(table, " ORDER BY ref_page_id, ordinal")
        found = self.library.sql(f"SELECT {columns} FROM {table} WHERE {key} = '{self.paper_id}'{order}")
        return list(found.rows)

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
