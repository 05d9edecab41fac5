"""What a library holds, in few words: the tables, columns and collections that exist and are filled.

    library_schema = look(library, ("text_bm25_en",))
    library_schema.tables_text()        "metadata (one row per paper): paper_id, title, ..."
    library_schema.collections_text()   "Collections: `text_bm25_en` (BM25, words) ..."

A model reads this on every turn, so that what holds for all tables is said once, and a column that is empty
in the whole library is not named at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.ask.readable import Readable
from quire.search.cells import ENCODABLE
from quire.store.schema import TABLES, Column, Table

_SHARED = frozenset({"ref_paper_id", "ref_page_id", "bounding_box", "ordinal"})
_UNTOLD = re.compile(r"[,;] (?:''|NULL|'uncategorized') if .*$")
_COMMON = """\
A table's first column is its id (UUID). ref_paper_id -> metadata.paper_id, ref_page_id -> pages.page_id. \
ordinal INTEGER counts from 0, on the page (in sections and reference: in the paper). \
bounding_box INTEGER[4] is [x0, y0, width, height] in points from the page's top left. \
Columns without a type are VARCHAR. \
What a paper does not tell is '', a number NULL, a conference 'uncategorized'."""
_NOT_IN_CHUNKS = """\
chunks hold running text only: table cells, captions, displayed formulas, and examples or listings that are \
set apart are not in them."""
_BRIEF = """\
A table's first column is its id, a UUID; every table but metadata has ref_paper_id, all below pages have \
ref_page_id, bounding_box ([x0, y0, width, height] in points) and ordinal (from 0) too; join pages for \
page_number (from 1). chunks and sentences hold running text, cells the tables cell by cell, reference the \
list of references, conference_full the journal or conference. What a paper does not tell is '' or NULL, a \
conference 'uncategorized'."""
_UNASKED = frozenset(
    "page_summary image_summary table_summary section_summary download_url bibtex pdf_path tldr page_width "
    "page_height page_label conference_abbreviation language row_content corrected arxiv_id licence "
    "corresponding_email table_content equation_format".split()
)
_KINDS = {"DATE": " DATE", "BOOLEAN": " BOOL", "DOUBLE": " DOUBLE"}
_FILTERS = """\
Filter fields: pdf_id, page_number (-1: none), primary_key (the row's id), table_name, column_name, \
and bbox for images. Operators: and or not; < > <= >= == !=; in [..]; + - * / % **; bbox[0]; \
array_contains(bbox, 100); array_length(bbox) == 4."""


@dataclass(frozen=True, slots=True)
class LibrarySchema:
    """What there is to ask: filled columns by table, collections by name, how many papers."""

    papers: int
    columns: Mapping[str, frozenset[str]]
    collections: tuple[str, ...]

    def tables_text(self) -> str:
        """The filled tables with their columns, one line each."""
        lines = [self._line(table) for table in TABLES if self.columns.get(table.name)]
        return "\n".join([_COMMON, _NOT_IN_CHUNKS, *lines])

    def names_text(self) -> str:
        """The filled tables with the names of their columns: what a short prompt has room for."""
        filled = [(table, self.columns[table.name]) for table in TABLES if self.columns.get(table.name)]
        lines = [
            f"- {table.name}: {', '.join(_name(c) for c in table.columns if c.name in held and _asked(c))}"
            for table, held in filled
        ]
        return "\n".join([_BRIEF, *lines])

    def _line(self, table: Table) -> str:
        filled = self.columns[table.name]
        names = [_column(column, table) for column in table.columns if column.name in filled]
        return f"- {table.name} ({_lower(table.doc)}): {'; '.join(names)}"

    def collections_text(self) -> str:
        """The collections and the (table, column) pairs that each can search."""
        lines: list[str] = []
        for modality in ("text", "image"):
            names = [name for name in self.collections if name.startswith(f"{modality}_")]
            pairs: dict[str, list[str]] = {}
            for pair in ENCODABLE:
                if pair.modality == modality and pair.column in self.columns.get(pair.table, ()):
                    pairs.setdefault(pair.table, []).append(pair.column)
            if names and pairs:
                where = "; ".join(f"{table}: {', '.join(columns)}" for table, columns in pairs.items())
                lines.append(f"- {', '.join(f'{name} ({_metric(name)})' for name in names)} over {where}")
        return "\n".join([*lines, _NOT_IN_CHUNKS, _FILTERS])


def look(library: Readable, collections: Sequence[str]) -> LibrarySchema:
    """What is in the library now, by one query.

    Raises:
        QueryError: the library cannot be read.
    """
    wanted = [(table, column) for table in TABLES for column in table.columns]
    parts = [f"EXISTS(SELECT 1 FROM {table.name} WHERE {_filled(column)})" for table, column in wanted]
    row = library.sql(f"SELECT (SELECT count(*) FROM metadata), {', '.join(parts)}").rows[0]
    columns: dict[str, set[str]] = {}
    for (table, column), present in zip(wanted, row[1:], strict=True):
        if present:
            columns.setdefault(table.name, set()).add(column.name)
    return LibrarySchema(
        int(row[0]), {name: frozenset(held) for name, held in columns.items()}, tuple(collections)
    )


def _filled(column: Column) -> str:
    name = f'"{column.name}"'
    if column.type == "VARCHAR":
        return f"{name} <> ''"
    return f"len({name}) > 0" if column.type.endswith("[]") else f"{name} IS NOT NULL"


def _column(column: Column, table: Table) -> str:
    if column.name in _SHARED or column.name == table.key:
        return column.name
    if column.refers:
        return f"{column.name} -> {column.refers}"
    kind = "" if column.type in ("VARCHAR", "UUID") else f" {column.type}"
    doc = _lower(_UNTOLD.sub("", column.doc))
    said = set(doc.lower().split()) <= {"a", "the", "of", *column.name.split("_"), *table.name.split("_")}
    return f"{column.name}{kind}" if said else f"{column.name}{kind} ({doc})"


def _asked(column: Column) -> bool:
    return column.name not in _UNASKED and column.name not in _SHARED


def _name(column: Column) -> str:
    return column.name + (" LIST" if column.type.endswith("[]") else _KINDS.get(column.type, ""))


def _lower(doc: str) -> str:
    text = doc.rstrip(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _metric(collection: str) -> str:
    return "word match, BM25" if "bm25" in collection else "meaning, cosine"
