"""Rows: how they get into the tables and out.

    insert(connection, [PageRow(page_id=..., page_number=1, ...), ...])
    read(connection, PageRow, paper_id)[0].page_number
    delete_paper(connection, [paper_id])

A bulk insert passes one list per column and lets DuckDB unnest them: about 60 000 rows a second, where
`executemany` gives 2 000 and needs neither pandas nor pyarrow for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, TypeVar
from uuid import UUID

import duckdb

from quire.store.schema import TABLES, VIEW_ROWS, Column, MetadataRow, StoredRow, columns
from quire.types import ResultSet

R = TypeVar("R", bound=StoredRow)
_Id = Annotated[str, Column("UUID", "")]
_Text = Annotated[str, Column("VARCHAR", "")]
_Texts = Annotated[tuple[str, ...], Column("VARCHAR[]", "")]


@dataclass(frozen=True, slots=True)
class PaperRow(StoredRow):
    """A PDF of the library and how far it has come. States: parsed, encoded, failed."""

    TABLE: ClassVar[str] = "papers"
    paper_id: _Id
    file_name: _Text
    source_path: _Text
    sha256: _Text
    file_size: Annotated[int, Column("BIGINT", "Bytes.")]
    added: Annotated[datetime, Column("TIMESTAMP", "")]
    state: _Text
    error_kind: _Text = ""
    error: _Text = ""
    copy_sha256: _Text = ""
    notes: _Texts = ()
    parser: _Text = ""
    encoders: _Texts = ()
    summaries_by: _Text = ""
    chunk_tokens: Annotated[int, Column("INTEGER", "Of its passages, at most.")] = 0
    title: _Text = ""
    doi: _Text = ""
    arxiv_id: _Text = ""
    cited_by: Annotated[tuple[int, ...], Column("BIGINT[]", "Keys by which references name it.")] = ()


@dataclass(frozen=True, slots=True)
class CitationKeyRow(StoredRow):
    """A key (a hash of DOI, arXiv id or title) by which a reference names its paper."""

    TABLE: ClassVar[str] = "citation_keys"
    key: Annotated[int, Column("BIGINT", "")]
    reference_id: _Id
    ref_paper_id: _Id


def insert(connection: duckdb.DuckDBPyConnection, rows: Iterable[StoredRow]) -> None:
    """Insert rows of any tables, in bulk, inside the caller's transaction."""
    by_type: dict[type[StoredRow], list[StoredRow]] = {}
    for row in rows:
        by_type.setdefault(type(row), []).append(row)
    for kind, group in by_type.items():
        described = columns(kind)
        cells = [[getattr(row, column.name) for row in group] for column in described]
        values = [[list(cell) if isinstance(cell, tuple) else cell for cell in column] for column in cells]
        unnested = ", ".join(f"unnest(?::{column.type}[])" for column in described)
        quoted = ", ".join(f'"{column.name}"' for column in described)
        connection.execute(f"INSERT INTO {kind.TABLE} ({quoted}) SELECT {unnested}", values)


def delete_paper(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> None:
    """Delete every row of these papers, their entries in `papers` too, inside the caller's transaction."""
    keys = list(papers)
    connection.execute(
        "UPDATE reference SET cited_paper_id = NULL WHERE cited_paper_id IN (SELECT unnest(?::UUID[]))",
        [keys],
    )
    for table in ("metadata", "papers"):
        connection.execute(f"DELETE FROM {table} WHERE paper_id IN (SELECT unnest(?::UUID[]))", [keys])
    others: tuple[type[StoredRow], ...] = (*VIEW_ROWS[1:], CitationKeyRow)
    for kind in others:
        connection.execute(
            f"DELETE FROM {kind.TABLE} WHERE ref_paper_id IN (SELECT unnest(?::UUID[]))", [keys]
        )


def read(connection: duckdb.DuckDBPyConnection, kind: type[R], paper: str) -> list[R]:
    """The rows of one kind that a paper has, as they were when it was parsed."""
    owner = "paper_id" if kind is MetadataRow else "ref_paper_id"
    return _rows(connection, kind, f"{owner} = ?::UUID ORDER BY rowid", [paper])


def rows_of(connection: duckdb.DuckDBPyConnection, paper: str) -> list[StoredRow]:
    """All rows of a paper, as they were when it was parsed, that of its metadata first."""
    return [row for kind in VIEW_ROWS for row in read(connection, kind, paper)]


def count_rows(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """How many rows each public table has, by its name."""
    counts = {table.name: f"SELECT count(*) FROM {table.name}" for table in TABLES}
    return {name: int(connection.execute(sql).fetchall()[0][0]) for name, sql in counts.items()}


def papers_where(
    connection: duckdb.DuckDBPyConnection, condition: str = "true", parameters: Sequence[object] = ()
) -> list[PaperRow]:
    """Rows of `papers` that satisfy a condition written by quire itself, oldest first."""
    return _rows(connection, PaperRow, f"{condition} ORDER BY added, file_name", parameters)


def _rows(
    connection: duckdb.DuckDBPyConnection, kind: type[R], which: str, parameters: Sequence[object]
) -> list[R]:
    names = (f'"{c.name}"::VARCHAR' if c.type == "UUID" else f'"{c.name}"' for c in columns(kind))
    found = connection.execute(f"SELECT {', '.join(names)} FROM {kind.TABLE} WHERE {which}", list(parameters))
    # What an older migration added is NULL in rows that were there before.
    return [kind(*as_tuples(row)) for row in found.fetchall()]


def result_of(connection: duckdb.DuckDBPyConnection, sql: str, values: Sequence[object]) -> ResultSet:
    """The rows of a statement of quire's own, ids as text."""
    cursor = connection.execute(sql, list(values))
    found = tuple(
        tuple(str(value) if isinstance(value, UUID) else value for value in row) for row in cursor.fetchall()
    )
    about = cursor.description or ()
    names, types = tuple(str(each[0]) for each in about), tuple(str(each[1]) for each in about)
    return ResultSet(names, types, found, total=len(found))


def as_tuples(values: Iterable[Any]) -> Iterator[Any]:
    """Values as rows have them: the lists that DuckDB gives as tuples."""
    return (tuple(value) if isinstance(value, list) else value for value in values)
