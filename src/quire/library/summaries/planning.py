"""Which cells of which papers a model has still to write, and what each is made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import duckdb

from quire.library.library import Library
from quire.library.resources import Resources
from quire.llm import Model
from quire.types import Box

WORDS = 50  # of a summary
_LONGEST = 24_000  # characters of one text that are read


@dataclass(frozen=True, slots=True)
class SummaryCell:
    """A cell to be written: where it is, what it is of, the text it is made from, or the box of a picture."""

    table: str
    key: str
    column: str
    kind: str
    text: str
    page: int = 0
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class PaperSummaries:
    """The parts of one paper."""

    paper: str
    title: str
    parts: tuple[SummaryCell, ...]


def plan(library: Library, model: Model, names: Iterable[str] = ()) -> list[PaperSummaries]:
    """The work of all papers (or of those named) whose summaries are not by this model.

    Raises:
        PaperNotFound: a name means no paper, or several.
    """
    wanted = {library.paper(name).id for name in names}
    with Resources(library.settings).database.reading() as connection:
        rows = connection.execute(
            "SELECT paper_id::VARCHAR, coalesce(title, '') FROM papers"
            " WHERE state <> 'failed' AND coalesce(summaries_by, '') <> ? ORDER BY added, file_name",
            [model.name],
        ).fetchall()
        return [
            PaperSummaries(paper, title, tuple(_parts(connection, paper)))
            for paper, title in rows
            if not wanted or paper in wanted
        ]


_SOURCES = (
    (
        "page",
        "SELECT 'pages', page_id::VARCHAR, 'page_summary', page_content, page_number, NULL FROM pages"
        " WHERE ref_paper_id = ?::UUID ORDER BY page_number",
    ),
    (
        "section",
        "SELECT 'sections', section_id::VARCHAR, 'section_summary',"
        " section_title || chr(10) || section_content, 0, NULL FROM sections"
        " WHERE ref_paper_id = ?::UUID ORDER BY ordinal",
    ),
    (
        "table",
        "SELECT 'tables', table_id::VARCHAR, 'table_summary',"
        " table_caption || chr(10) || table_content, 0, NULL FROM tables"
        " WHERE ref_paper_id = ?::UUID ORDER BY ref_page_id, ordinal",
    ),
    (
        "figure",
        "SELECT 'images', i.image_id::VARCHAR, 'image_summary', i.image_caption,"
        " p.page_number, i.bounding_box FROM images i JOIN pages p ON i.ref_page_id = p.page_id"
        " WHERE i.ref_paper_id = ?::UUID ORDER BY p.page_number, i.ordinal",
    ),
)


def _parts(connection: duckdb.DuckDBPyConnection, paper: str) -> Iterator[SummaryCell]:
    first = connection.execute(
        "SELECT m.title || chr(10) || coalesce(nullif(m.abstract, ''), p.page_content, '')"
        " FROM metadata m LEFT JOIN pages p ON p.ref_paper_id = m.paper_id AND p.page_number = 1"
        " WHERE m.paper_id = ?::UUID",
        [paper],
    ).fetchall()
    for (text,) in first:
        yield SummaryCell("metadata", paper, "tldr", "paper", str(text or "")[:_LONGEST])
    for kind, sql in _SOURCES:
        for table, key, column, text, page, box in connection.execute(sql, [paper]).fetchall():
            place = Box(*box) if box else None
            if place is not None or len(str(text or "").split()) > WORDS:
                yield SummaryCell(table, key, column, kind, str(text or "")[:_LONGEST], page, place)
