"""A paper parsed again keeps what did not change: ids of rows with the same content, summaries of a model.

    kept(connection, parsed)     # the new rows, those that say the same on the same page under their old ids

Rows with other content get ids of their own, made from it, which no row of the paper had before.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import duckdb

from quire.library import ids
from quire.library.parse_child import Parsed
from quire.library.units import units_of
from quire.search.batch import analyse
from quire.store import schema
from quire.store.rows import papers_where, rows_of
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


def kept(connection: duckdb.DuckDBPyConnection, paper: str, parsed: Parsed) -> Parsed:
    """The rows of a paper parsed again, with the ids and the model's summaries of what stayed the same."""
    before: dict[_Said, deque[StoredRow]] = {}  # by what they say and where, in order
    for old in rows_of(connection, paper):
        if old.TABLE in _CONTENT:
            before.setdefault(_said(old), deque()).append(old)
    used = {_key(old) for olds in before.values() for old in olds}
    same: dict[str, StoredRow] = {}  # rows as they were, by id
    renamed: dict[str, str] = {}
    for row in parsed.rows:
        if row.TABLE in _CONTENT and (olds := before.get(_said(row))):
            old = olds.popleft()
            renamed[_key(row)], same[_key(old)] = _key(old), old
        elif row.TABLE in _CONTENT and row.TABLE not in ("metadata", "pages"):
            renamed[_key(row)] = _fresh(paper, _said(row), used)
    for row in parsed.rows:
        if isinstance(row, CellRow):
            table = renamed[row.ref_table_id]
            renamed[row.cell_id] = ids.element_id(table, "cells", row.row_index, row.column_index)
    rows = tuple(_renamed(row, renamed) for row in parsed.rows)
    was, by = papers_where(connection, "paper_id = ?::UUID", [paper]), parsed.summaries_by
    author = (was[0].summaries_by if was else "") or ""  # of the summaries
    if author not in ("", by):
        # Where a part is new, the whole paper counts as not yet summarised: the model is asked for it.
        by = author if all(row.TABLE not in _WRITTEN or _key(row) in same for row in rows) else by
        rows = tuple(_summarised(row, same) for row in rows)
    return replace(parsed, rows=rows, batch=analyse(paper, units_of(paper, rows)), summaries_by=by)


def _key(row: StoredRow) -> str:
    return str(getattr(row, _KEYS[row.TABLE]))


def _said(row: StoredRow) -> _Said:
    """What a row says and where."""
    said = tuple(getattr(row, column) or "" for column in _CONTENT[row.TABLE])
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


def _summarised(row: StoredRow, same: Mapping[str, StoredRow]) -> StoredRow:
    if row.TABLE not in _WRITTEN or not (old := same.get(_key(row))):
        return row
    return replace(row, **{column: getattr(old, column) for column in _WRITTEN[row.TABLE]})
