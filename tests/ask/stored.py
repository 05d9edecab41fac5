"""A real library made of rows instead of PDFs: its tables, its index, its sandbox.

    library = stored({"metadata": [{"paper_id": "5fe5...", "title": "A paper"}]})
    library.sql("SELECT title FROM metadata").rows      ->  (("A paper",),)

What a row leaves out is empty; each paper has a page at least, and the sentences of its passages. Its file
has blank pages of 600 x 800 points, so that only the rows tell its text, as of a scan. Of the same rows there
is one library for the whole run, which tests only read.
"""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2

from quire.library import Library
from quire.library.intake import copy_of
from quire.library.units import units_of
from quire.search import entries
from quire.search.batch import analyse
from quire.store import rows as store_rows
from quire.store.rows import PaperRow
from quire.store.schema import VIEW_ROWS, Column, StoredRow, columns
from quire.text import sentence_texts

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
_BOX = (50, 100, 200, 40)
_EMPTY: Mapping[str, Any] = {"VARCHAR": "", "INTEGER": 0, "BOOLEAN": False, "INTEGER[4]": _BOX}


def stored(rows: Rows) -> Library:
    """The library of these rows."""
    return _made(json.dumps(rows, sort_keys=True))


@cache
def _made(told: str) -> Library:
    rows: dict[str, list[dict[str, Any]]] = json.loads(told)
    folder = Path(tempfile.mkdtemp(prefix="quire-stored-"))
    library = Library.open(folder, create=True, index__encoders=("text_bm25_en",))
    library._resources.create()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(library.close)
    with library._resources.database.writing() as connection:
        for paper in _papers(rows):
            pages = _complete(rows, paper)
            held = list(_of_paper(rows, paper["paper_id"]))
            file = PaperRow(
                paper["paper_id"], f"{paper['paper_id'][:8]}.pdf", "", "", 0, datetime(2026, 1, 1), "parsed",
                title=paper.get("title", ""),
            )  # fmt: skip
            store_rows.insert(connection, [*held, file])
            entries.write(connection, analyse(paper["paper_id"], units_of(paper["paper_id"], held)))
            _blank(copy_of(library._resources.papers, paper["paper_id"]), pages)
    return library


def _papers(rows: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The rows of the papers, those too that only other rows name."""
    papers = rows.setdefault("metadata", [])
    named = dict.fromkeys(
        row["ref_paper_id"] for table in rows.values() for row in table if "ref_paper_id" in row
    )
    known = {paper["paper_id"] for paper in papers}
    papers += [{"paper_id": name} for name in named if name not in known]
    return papers


def _complete(rows: dict[str, list[dict[str, Any]]], paper: dict[str, Any]) -> int:
    """Give the paper a page and sentences where it has none; how many pages it has."""
    own = paper["paper_id"]
    pages = [page for page in rows.setdefault("pages", []) if page["ref_paper_id"] == own]
    if not pages:
        pages = [{"page_id": _key(own, "page"), "page_number": 1, "ref_paper_id": own}]
        rows["pages"] += pages
    for table in [*rows]:
        for row in rows[table]:
            if row.get("ref_paper_id") == own and table != "pages":
                row.setdefault("ref_page_id", pages[0]["page_id"])
    rows.setdefault("sentences", [])
    for chunk in rows.get("chunks", ()):
        if chunk["ref_paper_id"] == own:
            on = {name: chunk[name] for name in ("ref_paper_id", "ref_page_id")}
            for number, text in enumerate(sentence_texts(chunk["text_content"])):
                key = _key(chunk["chunk_id"], str(number))
                said = {"sentence_id": key, "sentence_content": text, "ordinal": number}
                rows["sentences"].append({**said, "ref_chunk_id": chunk["chunk_id"], **on})
    paper["num_pages"] = max(paper.get("num_pages", 0), *(page["page_number"] for page in pages))
    return int(paper["num_pages"])


def _of_paper(rows: Mapping[str, Sequence[Mapping[str, Any]]], paper: str) -> Iterator[StoredRow]:
    for kind in VIEW_ROWS:
        for row in rows.get(kind.TABLE, ()):
            if paper == row.get("ref_paper_id", row.get("paper_id")):
                yield _row(kind, row)


def _row(kind: type[StoredRow], row: Mapping[str, Any]) -> StoredRow:
    optional = {each.name: each.default for each in fields(kind) if each.default is not MISSING}
    return kind(**{column.name: _value(column, row, optional) for column in columns(kind)})


def _value(column: Column, row: Mapping[str, Any], optional: Mapping[str, Any]) -> Any:
    if column.name not in row:
        empty = () if column.type.endswith("[]") else _EMPTY.get(column.type)
        return optional.get(column.name, empty)
    value = row[column.name]
    if column.type == "DATE":
        return date.fromisoformat(value)
    return tuple(value) if isinstance(value, list) else value


def _blank(path: Path, pages: int) -> None:
    path.parent.mkdir(exist_ok=True)
    document = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        document.new_page(600, 800)
    document.save(path)


def _key(*parts: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "\n".join(parts)))
