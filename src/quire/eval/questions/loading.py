"""A file of questions, whatever its layout, as items.

Contract: JSON Lines (or a JSON list); blank lines are skipped. The layout is told by the first record's
fields unless it is named. Every error names the file, the line and the field. Results are matched by id, so
a question whose id is taken already gets another one, and this is told.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from quire.errors import ScoringError, TaskError
from quire.eval import files
from quire.eval.questions.items import QuestionItem, QuestionRow, QuestionSet


def load(path: Path, layout: str = "") -> QuestionSet:
    """Read a file of questions.

    Raises:
        TaskError: the file is missing or malformed; names line and field.
        UnknownNameError: there is no such layout.
    """
    from quire.eval.questions import LAYOUTS

    records = [QuestionRow(where, row) for where, row in files.located_rows(path)]
    if not records:
        raise TaskError(f"{path} holds no questions.")
    layout = layout or layout_of(records[0])
    read: Callable[[QuestionRow], QuestionItem] = LAYOUTS.load(layout)
    items, lines = [], dict[str, str]()
    for record in records:
        try:
            item = read(record)
        except ScoringError as error:
            raise TaskError(f"{record.where}: field `evaluator`: {error}") from error
        item = _with_own_id(item, record, lines)
        lines[item.question.id] = record.where
        items.append(item)
    return QuestionSet(path.stem, layout, tuple(items))


def _with_own_id(item: QuestionItem, record: QuestionRow, lines: Mapping[str, str]) -> QuestionItem:
    """An id that is taken gets a number; one that the file gave twice is told, too."""
    name = item.question.id
    if name not in lines:
        return item
    number = next(n for n in itertools.count(2) if f"{name}-{n}" not in lines)
    question = replace(item.question, id=f"{name}-{number}")
    if "uuid" not in record.row and "id" not in record.row:
        return replace(item, question=question)
    note = f"its id was taken already ({lines[name]}); this one ({record.where}) is called `{question.id}`."
    return replace(item, question=question, given_id=name, notes=(*item.notes, note))


def layout_of(record: QuestionRow) -> str:
    """Which layout a record is of, told by its fields.

    Raises:
        TaskError: it is none that is known.
    """
    row = record.row
    if isinstance(evaluator := row.get("evaluator"), Mapping) and "uuid" in row:
        own = {"eval_m3sciqa": "m3sciqa", "eval_scidqa": "scidqa"}
        return own.get(str(evaluator.get("eval_func")), "airqa")
    if "anchor_arxiv_id" in row or "anchor_id" in row:
        return "m3sciqa"
    if "question" in row and ("answer" in row or "evaluator" in row):
        return "quire"
    raise TaskError(
        f"{record.where}: this is no question of a known layout.",
        hint="A question needs at least `question` and `answer`; see `quire eval --help`.",
    )
