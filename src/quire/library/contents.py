"""What a library and a paper consist of: papers by state, rows, what waits; outline, floats, references.

status(resources).states["failed"]
contents(connection, paper).sections[0].title
counts(connection)[paper.id].tables
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from quire.errors import VectorsAway
from quire.library.corrections import Told, told
from quire.library.encoding import count_held, count_waiting
from quire.library.indexing import view_of
from quire.library.papers import Paper, listed
from quire.library.resources import Resources
from quire.library.views import UNKNOWN
from quire.search.slots import IndexDamaged
from quire.store import migrate, rows
from quire.types import Box
from quire.types.document import table_html


@dataclass(frozen=True, slots=True)
class SectionHeading:
    """A section: its heading with the printed number, its depth from 1, and where the heading stands."""

    title: str
    level: int
    page: int
    bbox: Box | None


@dataclass(frozen=True, slots=True)
class Floating:
    """A table or figure: its label ("Table 2"), its caption, and where it stands."""

    label: str
    caption: str
    page: int
    bbox: Box | None

    def _repr_html_(self) -> str:
        return table_html(("label", "page", "caption"), [(self.label, self.page, self.caption)])


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """An entry of the references; `cited_paper` is the id of the work where the library has it, else ""."""

    label: str
    text: str
    title: str
    year: int | None
    page: int
    bbox: Box | None
    cited_paper: str


@dataclass(frozen=True, slots=True)
class PageSize:
    """A page: its number in the file from 1, its printed number, its size in points."""

    number: int
    label: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Contents:
    """A paper and all that hangs on it, in reading order."""

    paper: Paper
    abstract: str
    venue: str
    tldr: str
    tags: tuple[str, ...]
    language: str
    bibtex: str
    metadata: tuple[Told, ...]
    pages: tuple[PageSize, ...]
    sections: tuple[SectionHeading, ...]
    tables: tuple[Floating, ...]
    figures: tuple[Floating, ...]
    references: tuple[ReferenceEntry, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many of each a paper has."""

    sections: int = 0
    tables: int = 0
    figures: int = 0
    equations: int = 0
    references: int = 0


_COUNTED = {
    "sections": "sections",
    "tables": "tables",
    "figures": "images",
    "equations": "equations",
    "references": "reference",
}


def counts(connection: duckdb.DuckDBPyConnection) -> dict[str, Counts]:
    """The counts of every paper that has any, by its id."""
    found: dict[str, dict[str, int]] = {}
    for name, table in _COUNTED.items():
        sql = f"SELECT ref_paper_id::VARCHAR, count(*) FROM {table} GROUP BY 1"
        for paper, number in connection.execute(sql).fetchall():
            found.setdefault(paper, {})[name] = number
    return {paper: Counts(**each) for paper, each in found.items()}


def contents(connection: duckdb.DuckDBPyConnection, paper: Paper) -> Contents:
    """The contents of a paper."""

    def read(sql: str) -> list[tuple[Any, ...]]:
        return connection.execute(sql, [paper.id]).fetchall()

    def placed(table: str, columns: str, order: str = "page_number, ordinal") -> list[tuple[Any, ...]]:
        """The elements of a table: these columns, page, box."""
        found = read(
            f"""SELECT {columns}, coalesce(page_number, 1), bounding_box FROM {table} x
                LEFT JOIN pages ON page_id = ref_page_id WHERE x.ref_paper_id = ?::UUID ORDER BY {order}"""
        )
        return [(*before, Box(*box) if box else None) for *before, box in found]

    ((abstract, venue, tldr, tags, language, bibtex),) = read(
        """SELECT abstract, conference_full, tldr, tags, language, bibtex
           FROM metadata WHERE paper_id = ?::UUID"""
    ) or [("", "", "", [], "", "")]
    pages = read(
        """SELECT page_number, coalesce(page_label, ''), page_width, page_height FROM pages
           WHERE ref_paper_id = ?::UUID ORDER BY page_number"""
    )
    tables = placed("tables", "coalesce(table_label, ''), coalesce(table_caption, '')")
    figures = placed("images", "coalesce(image_label, ''), coalesce(image_caption, '')")
    references = placed(
        "reference",
        "cited_paper_id::VARCHAR, coalesce(reference_label, ''), reference_content,"
        " coalesce(reference_title, ''), reference_year",
        "ordinal",
    )
    sections = placed("sections", "section_title, coalesce(section_level, 1)", "ordinal")
    return Contents(
        paper=paper,
        abstract=str(abstract or ""),
        venue="" if venue == UNKNOWN else str(venue or ""),
        tldr=str(tldr or ""),
        tags=tuple(tags or ()),
        language=str(language or ""),
        bibtex=str(bibtex or ""),
        metadata=told(connection, paper.id),
        pages=tuple(PageSize(*row) for row in pages),
        sections=tuple(SectionHeading(*row) for row in sections),
        tables=tuple(Floating(*row) for row in tables),
        figures=tuple(Floating(*row) for row in figures),
        references=tuple(ReferenceEntry(*(*row, cited or "")) for cited, *row in references),
    )


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of one library. `vectors` and `waiting` are per collection; `bytes` are those on disk."""

    folder: Path
    schema_version: int
    papers: tuple[Paper, ...]
    states: Mapping[str, int]
    old: int  # papers that an older parser parsed
    rows: Mapping[str, int]
    vectors: Mapping[str, int]
    waiting: Mapping[str, int]
    unavailable: Mapping[str, str]
    bytes: int


def status(resources: Resources) -> Status:
    """Count what is there."""
    with resources.database.reading() as connection:
        papers = tuple(listed(connection))
        counts = rows.count_rows(connection)
        found = view_of(resources, connection)
        away: dict[str, str] = {}
        vectors: dict[str, int] = {}
        waiting: dict[str, int] = {}
        try:
            vectors = count_held(resources, found)
            waiting = count_waiting(resources, found)
        except (VectorsAway, IndexDamaged) as error:  # damaged, while another process writes
            away = {error.message: error.hint}
        number = migrate.version(connection)
    states = {state: sum(p.state == state for p in papers) for state in ("parsed", "encoded", "failed")}
    _, missing = resources.available()
    unavailable = {str(error.message): error.hint for error in missing} | away
    size = sum(file.stat().st_size for file in resources.folder.rglob("*") if file.is_file())
    old = sum(paper.old for paper in papers)
    return Status(resources.folder, number, papers, states, old, counts, vectors, waiting, unavailable, size)
