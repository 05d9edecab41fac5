"""The rows that a recorded run quotes, as rows of the library's tables: enough of a library to play it again.

    rows = quoted_rows(import_chat(lines, "a run"))
    run(scripted_policy, Environment(stored(rows)), ...)

An observation of a search names table, column and key of each cell. One of SQL does not: the table is the
one after FROM, the paper the one that the query compares with, and what the row lacks is told from what it
has (a section's title is the first line of its text, pages are numbered in their order).
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quire.store.schema import NAMES, Table, table
from quire.types import Step, Trajectory

Rows = dict[str, list[dict[str, Any]]]
_FROM = re.compile(r"\bfrom\s+\"?(\w+)", re.IGNORECASE)
_PAPER = re.compile(r"\bpaper_id\s*=\s*'([^']+)'|\bref_paper_id\s*=\s*'([^']+)'", re.IGNORECASE)
_CELL = frozenset({"table_name", "column_name", "primary_key", "pdf_id", "text"})


def quoted_rows(run: Trajectory) -> Rows:
    """Rows by table, each key once, in the order in which they were seen."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for paper in (*run.question.anchor_papers, *run.question.reference_papers):
        _merge(found, "metadata", {"paper_id": paper})
    for step in run.steps:
        rows = step.observation.rows if step.observation else ()
        for name, row in _rows_of(step, rows):
            _merge(found, name, row)
    by_table: Rows = {}
    for (name, _), row in found.items():
        by_table.setdefault(name, []).append(row)
    return by_table


def _merge(found: dict[tuple[str, str], dict[str, Any]], name: str, row: Mapping[str, Any]) -> None:
    found.setdefault((name, str(row[table(name).key])), {}).update(row)


def _rows_of(step: Step, rows: Sequence[Mapping[str, Any]]) -> Iterable[tuple[str, dict[str, Any]]]:
    if rows and rows[0].keys() >= _CELL:
        for row in rows:
            yield from _cell(row)
    elif step.call is not None and "sql" in step.call.arguments:
        sql = str(step.call.arguments["sql"])
        source, paper = _FROM.search(sql), _PAPER.search(sql)
        if source and paper and source[1].lower() in NAMES:
            described = table(source[1].lower())
            for number, row in enumerate(rows):
                yield described.name, _completed(described, row, paper[1] or paper[2], number)


def _cell(row: Mapping[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    described, paper = table(row["table_name"]), str(row["pdf_id"])
    made = {described.key: row["primary_key"], row["column_name"]: row["text"]}
    names = {column.name for column in described.columns}
    if "ref_paper_id" in names:
        made["ref_paper_id"] = paper
    number = row.get("page_number", -1)
    if number > 0:
        page = _id(paper, "page", str(number))
        if "ref_page_id" in names:
            made["ref_page_id"] = page
        if described.name != "pages":
            yield "pages", {"page_id": page, "page_number": number, "ref_paper_id": paper}
    yield "metadata", {"paper_id": paper}
    yield described.name, made


def _completed(described: Table, row: Mapping[str, Any], paper: str, number: int) -> dict[str, Any]:
    names = {column.name for column in described.columns}
    made = {name: value for name, value in row.items() if name in names}
    if described.name == "metadata":
        return {"paper_id": paper, **made}
    made.setdefault("ref_paper_id", paper)
    if described.name == "sections":
        made.setdefault("section_title", str(made.get("section_content", "")).split("\n", 1)[0])
    if described.name == "pages":
        made.setdefault("page_number", number + 1)
        made.setdefault("page_id", _id(paper, "page", str(made["page_number"])))
    made.setdefault(described.key, _id(paper, described.name, repr(sorted(row.items(), key=str))))
    return made


def _id(*parts: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "\n".join(parts)))
