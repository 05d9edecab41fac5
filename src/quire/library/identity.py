"""A paper parsed again keeps what did not change: ids of rows with the same content, summaries of a model.

    kept(connection, parsed)     # the new rows, those that say the same on the same page under their old ids

Rows with other content get ids of their own, made from it, which no row of the paper had before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import duckdb

from quire.library import ids
from quire.library.parse_child import Parsed
from quire.library.units import units_of
from quire.search.batch import analyse
from quire.store import schema
from quire.store.rows import as_tuples
from quire.store.schema import CellRow, PageRow, StoredRow

_CONTENT: Mapping[str, tuple[str, ...]] = {
    "metadata": ("title", "abstract"),
    "pages": ("page_content",),
    "sections": ("section_title", "section_content"),
    "chunks": ("text_content",),
    "sentences": ("sentence_content",),
    "tables": ("table_caption", "table_content"),
    "images": ("image_label", "image_caption"),
    "equations": ("equation_content",),
    "reference": ("reference_content",),
}
_WRITTEN: Mapping[str, tuple[str, ...]] = {
    "metadata": ("tldr", "tags"),
    "pages": ("page_summary",),
    "sections": ("section_summary",),
    "tables": ("table_summary",),
    "images": ("image_summary",),
}
_KEYS = {table.name: table.key for table in schema.TABLES}
_Said = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Old:
    """A row as it stands: its id and what was written about it."""

    id: str
    written: tuple[Any, ...]


@dataclass(slots=True)
class _Before:
    """The rows of a paper before it is parsed again, by what they say and where, in order."""

    rows: dict[_Said, deque[_Old]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    author: str = ""  # of the summaries


def kept(connection: duckdb.DuckDBPyConnection, paper: str, parsed: Parsed) -> Parsed:
    """The rows of a paper parsed again, with the ids and the model's summaries of what stayed the same."""
    before = _before(connection, paper)
    renamed: dict[str, str] = {}
    written: dict[str, tuple[Any, ...]] = {}  # by new id
    for row in parsed.rows:
        if row.TABLE in _CONTENT:
            made = getattr(row, _KEYS[row.TABLE])
            olds = before.rows.get(_said(row))
            if olds:
                old = olds.popleft()
                renamed[made], written[old.id] = old.id, old.written
            elif row.TABLE not in ("metadata", "pages"):  # their ids are those of the paper and of its page
                renamed[made] = _fresh(paper, _said(row), before.used)
    for row in parsed.rows:
        if isinstance(row, CellRow):
            table = renamed[row.ref_table_id]
            renamed[row.cell_id] = ids.element_id(table, "cells", row.row_index, row.column_index)
    rows = tuple(_renamed(row, renamed) for row in parsed.rows)
    if before.author in ("", parsed.summaries_by):
        return replace(parsed, rows=rows, batch=analyse(paper, units_of(paper, rows)))
    # Where a part is new, the whole paper counts as not yet summarised, so that the model is asked for it.
    whole = all(row.TABLE not in _WRITTEN or getattr(row, _KEYS[row.TABLE]) in written for row in rows)
    rows = tuple(_summarised(row, written) for row in rows)
    return replace(
        parsed,
        rows=rows,
        batch=analyse(paper, units_of(paper, rows)),
        summaries_by=before.author if whole else parsed.summaries_by,
    )


def _before(connection: duckdb.DuckDBPyConnection, paper: str) -> _Before:
    before = _Before()
    authors = connection.execute(
        "SELECT coalesce(summaries_by, '') FROM papers WHERE paper_id = ?::UUID", [paper]
    ).fetchall()
    before.author = str(authors[0][0]) if authors else ""
    for table, content in _CONTENT.items():
        own = table == "metadata"
        page, order = ("''", "1") if own else ("ref_page_id::VARCHAR", "ordinal")
        if table == "pages":
            page, order = "page_id::VARCHAR", "page_number"
        place = "bounding_box::VARCHAR" if table == "images" else "''"
        columns = ", ".join((_KEYS[table] + "::VARCHAR", page, place, *content, *_WRITTEN.get(table, ())))
        owner = "paper_id" if own else "ref_paper_id"
        for key, where, box, *texts in connection.execute(
            f"SELECT {columns} FROM {table} WHERE {owner} = ?::UUID ORDER BY {order}", [paper]
        ).fetchall():
            said = tuple(text or "" for text in texts[: len(content)])
            named = (table, where, *(said if any(said) else (box,)))
            before.rows.setdefault(named, deque()).append(_Old(key, tuple(texts[len(content) :])))
            before.used.add(key)
    return before


def _said(row: StoredRow) -> _Said:
    """What a row says and where, as `_before` names the rows that were there."""
    said = tuple(getattr(row, column) for column in _CONTENT[row.TABLE])
    if not any(said):
        said = (str(list(getattr(row, "bounding_box", ()))) if row.TABLE == "images" else "",)
    page = row.page_id if isinstance(row, PageRow) else getattr(row, "ref_page_id", "")
    return (row.TABLE, page, *said)


def _fresh(paper: str, said: _Said, used: set[str]) -> str:
    """An id made from content, not used by the paper so far."""
    number = 0
    while (made := ids.content_id(paper, said, number)) in used:
        number += 1
    used.add(made)
    return made


def _renamed(row: StoredRow, renamed: Mapping[str, str]) -> StoredRow:
    changed: dict[str, Any] = {
        each.name: renamed[value]
        for each in fields(row)
        if each.name.endswith("_id") and (value := getattr(row, each.name)) in renamed
    }
    return replace(row, **changed) if changed else row


def _summarised(row: StoredRow, written: Mapping[str, tuple[Any, ...]]) -> StoredRow:
    values = written.get(getattr(row, _KEYS[row.TABLE])) if row.TABLE in _WRITTEN else None
    if not values:
        return row
    return replace(row, **dict(zip(_WRITTEN[row.TABLE], as_tuples(values), strict=True)))
