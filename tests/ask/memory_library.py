"""A library in memory, for tests and for playing back recorded conversations.

    library = MemoryLibrary({"metadata": [{"paper_id": "5fe5...", "title": "A paper"}]})
    library.sql("SELECT title FROM metadata").rows      ->  (("A paper",),)

It has the store's tables and DuckDB's SQL, but no sandbox: give it no hostile SQL. Its search counts
shared words; collections are not told apart and a filter is any SQL condition on the seeds' fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from quire.errors import PaperNotFound, SqlError
from quire.library import Library, Paper
from quire.store.schema import TABLES
from quire.types import Box, Hit, Hits, Piece, ResultSet

_PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\n"
    b"IDATx\x9cc\xf8\x0f\x00\x01\x01\x01\x00\x1b\xb6\xeeV\x00\x00\x00\x00IEND\xaeB`\x82"
)


class MemoryLibrary(Library):
    """Rows by table; columns that a row does not name are NULL."""

    def __init__(self, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        from quire.store.database import connected_to

        self._connection = connected_to([])
        for table in TABLES:
            columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
            self._connection.execute(f'CREATE TABLE "{table.name}" ({columns})')
            for row in rows.get(table.name, ()):
                names = ", ".join(f'"{name}"' for name in row)
                marks = ", ".join("?" for _ in row)
                statement = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'
                self._connection.execute(statement, list(row.values()))

    def sql(self, sql: str) -> ResultSet:
        """The rows of a query."""
        return self.rows(sql)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> ResultSet:
        """The same with values."""
        import duckdb

        try:
            cursor = self._connection.cursor().execute(sql, list(values))
            rows = tuple(tuple(_plain(value) for value in row) for row in cursor.fetchall())
        except duckdb.Error as error:
            raise SqlError(str(error)) from None
        names = tuple(column[0] for column in cursor.description or ())
        types = tuple(str(column[1]) for column in cursor.description or ())
        return ResultSet(names, types, rows, total=len(rows))

    def search(
        self,
        query: str,
        *,
        papers: Sequence[str] = (),
        part: str = "",
        collection: str | None = None,
        table: str = "",
        column: str = "",
        filter: str = "",
        limit: int = 5,
        words: int = 300,
        why: bool = False,
        memory: bool = True,
    ) -> Hits:
        """Cells that share words with the query, most first; passages where no table is named."""
        table, column = table or "chunks", column or "text_content"
        key = next(each.key for each in TABLES if each.name == table)
        paper = "paper_id" if table == "metadata" else "ref_paper_id"
        page = "p.page_number" if _has_page(table) else "-1"
        join = "LEFT JOIN pages p ON e.ref_page_id = p.page_id" if _has_page(table) else ""
        condition = filter.replace("==", "=").replace('"', "'") or "true"
        rows = self.sql(
            f"SELECT * FROM (SELECT CAST(e.{key} AS VARCHAR) AS primary_key, "
            f"CAST(e.{paper} AS VARCHAR) AS pdf_id, {page} AS page_number, e.{column} AS text, "
            f"'{table}' AS table_name, '{column}' AS column_name FROM {table} e {join}) WHERE {condition}"
        ).rows
        named = self.sql("SELECT CAST(paper_id AS VARCHAR), title FROM metadata").rows
        titles = {str(owner): str(title or "") for owner, title in named}
        wanted = _words(query)
        hits = []
        for primary_key, pdf_id, number, text, *_ in rows:
            shared = len(wanted & _words(str(text or "")))
            if shared and (not papers or pdf_id in papers):
                title = titles.get(pdf_id, "")
                hits.append(
                    Hit(
                        shared / len(wanted),
                        text,
                        pdf_id,
                        number or -1,
                        table,
                        column,
                        primary_key,
                        paper_title=title,
                    )
                )
        return Hits(sorted(hits, key=lambda hit: -hit.score)[:limit])

    def render(
        self, paper: str, page: int, *, box: Box | None = None, marks: Sequence[Box] = (), dpi: float = 150
    ) -> bytes:
        """A picture of one pixel."""
        return _PIXEL

    def page_text(self, paper: str, page: int) -> str:
        """The page's `page_content`."""
        known = self.paper(paper).id
        sql = f"SELECT page_number, page_content FROM pages WHERE CAST(ref_paper_id AS VARCHAR) = '{known}'"
        for number, text in self.sql(sql).rows:
            if number == page:
                return str(text or "")
        raise PaperNotFound(f"Paper {paper} has no page {page}.")

    def page_pieces(self, paper: str, page: int) -> Sequence[Piece]:
        """None: there is no file, as with a scan only the text is known."""
        return ()

    def paper(self, name: str) -> Paper:
        """The paper of that id or unique prefix."""
        found = [row[0] for row in self.sql("SELECT CAST(paper_id AS VARCHAR) FROM metadata").rows]
        found = [each for each in found if each.startswith(name)]
        if len(found) != 1:
            raise PaperNotFound(f"No paper, or more than one, is named `{name}`.")
        added = datetime(2026, 1, 1, tzinfo=UTC)
        return Paper(found[0], "", "", "parsed", 1, None, (), "", "", added, "", "", "", (), "")


def _has_page(table: str) -> bool:
    columns = next(each.columns for each in TABLES if each.name == table)
    return any(column.name == "ref_page_id" for column in columns)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _plain(value: Any) -> Any:
    import uuid

    return str(value) if isinstance(value, uuid.UUID) else value
