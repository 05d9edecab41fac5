"""Rows: one frozen dataclass per table, fields in the order of the columns, and how they get in and out.

    insert(connection, [PageRow(page_id=..., page_number=1, ...), ...])
    delete_paper(connection, paper_id)

Ids are UUIDs as text. A bulk insert passes one list per column and lets DuckDB unnest them: about 60 000
rows a second, where `executemany` gives 2 000 and needs neither pandas nor pyarrow for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, ClassVar

import duckdb

IntBox = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of `TABLE`."""

    TABLE: ClassVar[str]


@dataclass(frozen=True, slots=True)
class MetadataRow(Row):
    """What a paper says of itself."""

    TABLE: ClassVar[str] = "metadata"
    paper_id: str
    title: str
    abstract: str
    num_pages: int
    conference_full: str
    conference_abbreviation: str
    pub_year: int | None
    volume: str
    download_url: str
    bibtex: str
    authors: tuple[str, ...]
    pdf_path: str
    tldr: str
    tags: tuple[str, ...]
    doi: str
    arxiv_id: str
    language: str


@dataclass(frozen=True, slots=True)
class PageRow(Row):
    """A page."""

    TABLE: ClassVar[str] = "pages"
    page_id: str
    page_number: int
    page_width: int
    page_height: int
    page_content: str
    page_summary: str
    ref_paper_id: str
    page_label: str


@dataclass(frozen=True, slots=True)
class ImageRow(Row):
    """A figure."""

    TABLE: ClassVar[str] = "images"
    image_id: str
    image_caption: str
    image_summary: str
    bounding_box: IntBox
    ordinal: int
    ref_paper_id: str
    ref_page_id: str
    image_label: str


@dataclass(frozen=True, slots=True)
class ChunkRow(Row):
    """A passage."""

    TABLE: ClassVar[str] = "chunks"
    chunk_id: str
    text_content: str
    ordinal: int
    ref_paper_id: str
    ref_page_id: str
    bounding_box: IntBox
    ref_section_id: str | None


@dataclass(frozen=True, slots=True)
class TableRow(Row):
    """A table."""

    TABLE: ClassVar[str] = "tables"
    table_id: str
    table_caption: str
    table_content: str
    table_summary: str
    bounding_box: IntBox
    ordinal: int
    ref_paper_id: str
    ref_page_id: str
    table_label: str


@dataclass(frozen=True, slots=True)
class CellRow(Row):
    """A cell of a table."""

    TABLE: ClassVar[str] = "cells"
    cell_id: str
    cell_content: str
    row_label: str
    column_label: str
    cell_number: float | None
    cell_unit: str
    row_index: int
    column_index: int
    is_head: bool
    row_content: str
    bounding_box: IntBox
    ref_table_id: str
    ref_paper_id: str
    ref_page_id: str


@dataclass(frozen=True, slots=True)
class SentenceRow(Row):
    """A sentence of a passage."""

    TABLE: ClassVar[str] = "sentences"
    sentence_id: str
    sentence_content: str
    ordinal: int
    bounding_box: IntBox
    ref_chunk_id: str
    ref_paper_id: str
    ref_page_id: str


@dataclass(frozen=True, slots=True)
class SectionRow(Row):
    """A section."""

    TABLE: ClassVar[str] = "sections"
    section_id: str
    section_title: str
    section_content: str
    section_summary: str
    ordinal: int
    page_numbers: tuple[int, ...]
    ref_paper_id: str
    section_number: str
    section_level: int
    parent_section_id: str | None
    bounding_box: IntBox | None
    ref_page_id: str


@dataclass(frozen=True, slots=True)
class EquationRow(Row):
    """A displayed equation."""

    TABLE: ClassVar[str] = "equations"
    equation_id: str
    equation_content: str
    ordinal: int
    ref_paper_id: str
    ref_page_id: str
    bounding_box: IntBox
    equation_number: str
    equation_format: str


@dataclass(frozen=True, slots=True)
class ReferenceRow(Row):
    """An entry of a list of references."""

    TABLE: ClassVar[str] = "reference"
    reference_id: str
    reference_content: str
    ordinal: int
    ref_paper_id: str
    ref_page_id: str
    bounding_box: IntBox
    reference_label: str
    reference_title: str
    reference_year: int | None
    cited_paper_id: str | None


@dataclass(frozen=True, slots=True)
class PaperRow(Row):
    """A PDF of the library and how far it has come. States: parsed, encoded, failed."""

    TABLE: ClassVar[str] = "papers"
    paper_id: str
    file_name: str
    source_path: str
    sha256: str
    copy_sha256: str
    file_size: int
    added: datetime
    state: str
    error_kind: str
    error: str
    notes: tuple[str, ...]
    parser: str
    encoders: tuple[str, ...]
    summaries_by: str
    chunk_tokens: int
    title: str
    doi: str
    arxiv_id: str
    cited_by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CitationKeyRow(Row):
    """A key (a hash of DOI, arXiv id or title) by which a reference names its paper."""

    TABLE: ClassVar[str] = "citation_keys"
    key: int
    reference_id: str
    ref_paper_id: str


VIEW_ROWS: tuple[type[Row], ...] = (
    MetadataRow, PageRow, ImageRow, ChunkRow, TableRow, SectionRow, EquationRow, ReferenceRow,
    CellRow, SentenceRow,
)  # fmt: skip
_SQL_TYPES = {
    "added": "TIMESTAMP",
    "bounding_box": "INTEGER[4]",
    "page_numbers": "INTEGER[]",
    "cited_by": "BIGINT[]",
    "cell_number": "DOUBLE",
    "is_head": "BOOLEAN",
}
_LISTS = {"authors", "tags", "notes", "encoders"}


def insert(connection: duckdb.DuckDBPyConnection, rows: Iterable[Row]) -> None:
    """Insert rows of any tables, in bulk, inside the caller's transaction."""
    by_type: dict[type[Row], list[Row]] = {}
    for row in rows:
        by_type.setdefault(type(row), []).append(row)
    for kind, group in by_type.items():
        names = [field.name for field in fields(kind)]
        columns = [[_plain(getattr(row, name)) for row in group] for name in names]
        unnested = ", ".join(f"unnest(?::{_sql_type(kind, name)}[])" for name in names)
        quoted = ", ".join(f'"{name}"' for name in names)
        connection.execute(f"INSERT INTO {kind.TABLE} ({quoted}) SELECT {unnested}", columns)


def delete_paper(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> None:
    """Delete every row of these papers, their entries in `papers` too, inside the caller's transaction."""
    keys = list(papers)
    connection.execute(
        "UPDATE reference SET cited_paper_id = NULL WHERE cited_paper_id IN (SELECT unnest(?::UUID[]))",
        [keys],
    )
    for table in ("metadata", "papers"):
        connection.execute(f"DELETE FROM {table} WHERE paper_id IN (SELECT unnest(?::UUID[]))", [keys])
    others: tuple[type[Row], ...] = (*VIEW_ROWS[1:], CitationKeyRow)
    for kind in others:
        connection.execute(
            f"DELETE FROM {kind.TABLE} WHERE ref_paper_id IN (SELECT unnest(?::UUID[]))", [keys]
        )


def papers_where(
    connection: duckdb.DuckDBPyConnection, condition: str = "true", parameters: Sequence[object] = ()
) -> list[PaperRow]:
    """Rows of `papers` that satisfy a condition written by quire itself, oldest first."""
    names = ", ".join(f"{f.name}::VARCHAR" if f.name == "paper_id" else f.name for f in fields(PaperRow))
    found = connection.execute(
        f"SELECT {names} FROM papers WHERE {condition} ORDER BY added, file_name", list(parameters)
    ).fetchall()
    return [_paper_row(row) for row in found]


def _paper_row(values: tuple[Any, ...]) -> PaperRow:
    plain: Any = (tuple(v) if isinstance(v, list) else v for v in values)
    return PaperRow(*plain)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _sql_type(kind: type[Row], name: str) -> str:
    if name in _SQL_TYPES:
        return _SQL_TYPES[name]
    if name in _LISTS:
        return "VARCHAR[]"
    if "int" in str(kind.__annotations__[name]):
        return "BIGINT"
    return "UUID" if name.endswith("_id") and name != "arxiv_id" else "VARCHAR"
