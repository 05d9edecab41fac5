"""The rows of the papers: by SQL (`RetrieveFromDatabase`), and by our own views, for rules (`ReadRows`).

Who wrote a query that gave no rows is told why:

    SELECT section_content FROM sections WHERE section_title = 'Introduction'
    The query gave no rows. No `section_title` equals 'Introduction'; there are: '1 Introduction', ...

The query is only looked at with regular expressions; nothing of it but whitelisted column names goes into
the query that looks for values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from rapidfuzz import fuzz, utils

from quire.ask.methods import literal
from quire.ask.observations import show_rows
from quire.errors import ActionError, QuireError
from quire.store.schema import TABLES
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment
    from quire.library import Library


def _elements(table: str, columns: str, order: str = "p.page_number, e.ordinal") -> str:
    return (
        f"SELECT {columns}, e.bounding_box, e.ref_paper_id, p.page_number "
        f"FROM {table} e JOIN pages p ON e.ref_page_id = p.page_id "
        f"WHERE {of_papers('e.ref_paper_id')} ORDER BY e.ref_paper_id, {order}"
    )


def of_papers(column: str, value: str = "?") -> str:
    """A condition that keeps the rows of the papers whose ids are the list `value`; all for none."""
    held = f"list_contains(w, CAST({column} AS VARCHAR))"
    return f"(SELECT len(w) = 0 OR {held} FROM (SELECT {value}::VARCHAR[] AS w))"


# Each takes one value: ids of papers, but `row_cells` the ids of cells.
VIEWS: Mapping[str, str] = {
    "metadata": "SELECT paper_id, title, authors, abstract, num_pages, conference_full, "
    "conference_abbreviation, pub_year, volume, doi, arxiv_id, download_url, bibtex, tags, tldr, pdf_path, "
    "CAST(received AS VARCHAR) AS received, CAST(accepted AS VARCHAR) AS accepted, "
    "CAST(published AS VARCHAR) AS published, journal, issue, publisher, licence, keywords, affiliations, "
    "corresponding_author, funding, 1 AS page_number, (SELECT list({'field': field, 'printed': printed, "
    "'page_number': p.page_number, 'bounding_box': bounding_box} ORDER BY ordinal) FROM metadata_places e "
    "JOIN pages p ON e.ref_page_id = p.page_id WHERE e.ref_paper_id = paper_id "
    "AND NOT list_contains(coalesce(corrected, []), field)) AS places "
    f"FROM metadata WHERE {of_papers('paper_id')} ORDER BY title",
    "titles": "SELECT paper_id, title, authors, pub_year FROM metadata "
    f"WHERE {of_papers('paper_id')} ORDER BY title",
    "sizes": "SELECT paper_id, title, pub_year AS year, num_pages AS pages, len(authors) AS authors, "
    '1 AS page_number, (SELECT count(*) FROM reference WHERE ref_paper_id = m.paper_id) AS "references", '
    "(SELECT count(*) FROM tables WHERE ref_paper_id = m.paper_id) AS tables, "
    "(SELECT count(*) FROM images WHERE ref_paper_id = m.paper_id) AS figures, "
    "(SELECT count(*) FROM equations WHERE ref_paper_id = m.paper_id) AS equations, "
    "(SELECT count(*) FROM sections WHERE ref_paper_id = m.paper_id) AS sections "
    f"FROM metadata m WHERE {of_papers('m.paper_id')} ORDER BY title",
    "pages": "SELECT page_id, page_number, page_label, page_content, ref_paper_id FROM pages "
    f"WHERE {of_papers('ref_paper_id')} ORDER BY ref_paper_id, page_number",
    "passages": "SELECT e.chunk_id, e.text_content, s.section_title, s.section_number, e.bounding_box, "
    "e.ref_paper_id, p.page_number FROM chunks e JOIN pages p ON e.ref_page_id = p.page_id "
    f"LEFT JOIN sections s ON e.ref_section_id = s.section_id WHERE {of_papers('e.ref_paper_id')} "
    "ORDER BY e.ref_paper_id, p.page_number, e.ordinal",
    "sections": _elements(
        "sections", "e.section_id, e.section_title, e.section_number, e.section_level, e.ordinal", "e.ordinal"
    ),
    "references": _elements(
        "reference",
        "e.reference_id, e.reference_label, e.reference_content, e.reference_title, e.reference_year, "
        "e.reference_authors, e.reference_venue, e.reference_doi, e.ordinal",
        "e.ordinal",
    ),
    "tables": _elements("tables", "e.table_id, e.table_label, e.table_caption"),
    "figures": _elements("images", "e.image_id, e.image_label, e.image_caption"),
    "equations": _elements("equations", "e.equation_id, e.equation_number, e.equation_content"),
    "cells": "SELECT t.table_id, t.table_label, t.table_caption, c.cell_id, c.cell_content, c.row_label, "
    "c.column_label, c.row_index, c.column_index, c.is_head, c.bounding_box, c.ref_paper_id, p.page_number "
    "FROM cells c JOIN tables t ON c.ref_table_id = t.table_id JOIN pages p ON c.ref_page_id = p.page_id "
    f"WHERE {of_papers('c.ref_paper_id')} "
    "ORDER BY c.ref_paper_id, p.page_number, t.ordinal, c.row_index, c.column_index",
    "row_cells": "SELECT f.cell_id AS row_key, c.cell_id, c.cell_content, c.row_label, c.column_label, "
    "c.cell_unit, c.bounding_box, c.ref_paper_id, p.page_number FROM cells f JOIN cells c "
    "ON c.ref_table_id = f.ref_table_id AND c.row_index = f.row_index AND NOT c.is_head "
    "JOIN pages p ON p.page_id = c.ref_page_id WHERE list_contains(?::VARCHAR[], CAST(f.cell_id AS VARCHAR)) "
    "ORDER BY f.cell_id, c.column_index",
    "ends": "SELECT e.sentence_id, e.sentence_content, e.bounding_box, e.ref_paper_id, p.page_number, "
    "x.section_title FROM sentences e JOIN chunks c ON e.ref_chunk_id = c.chunk_id "
    "JOIN sections x ON c.ref_section_id = x.section_id JOIN pages p ON e.ref_page_id = p.page_id "
    f"WHERE {of_papers('e.ref_paper_id')} AND "
    "(x.ordinal = 0 OR regexp_matches(lower(x.section_title), 'abstract|summary|conclu|introduction')) "
    "ORDER BY p.page_number, c.ordinal, e.ordinal",
}


def read_view(library: Library, view: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a view of these papers, in their order; of all for none."""
    result = library.rows(VIEWS[view], [list(ids)])
    return [dict(zip(result.columns, row, strict=True)) for row in result.rows]


COLUMNS: Mapping[str, frozenset[str]] = {
    table.name: frozenset(column.name for column in table.columns) for table in TABLES
}
_MANY = 300  # distinct values looked at
_SHOWN = 6
_LONGEST = 200  # characters of a value that are shown
_NAME = 24  # of a column's name, which is repeated in each row
_CALLED = re.compile(r'"?([A-Za-z_]{2,30})"?\(')
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LITERAL = re.compile(r"'((?:[^']|''){0,500})'")
_BEFORE = 120  # characters before a quoted text in which the column stands
_COMPARED = re.compile(
    r"(?<![a-z_0-9])(?P<column>[a-z_]{1,60})\s{0,9}\){0,3}\s{0,9}"
    r"(?:==?|(?:not\s{1,9})?(?:i?like)|in)\s{0,9}\(?\s{0,9}(?:lower\s{0,9}\(\s{0,9})?$",
    re.IGNORECASE,
)


def empty_result(sql: str, library: Library) -> str:
    """What to tell an agent whose query gave no rows."""
    told = ["None: the query gave no rows; if its words were broad, the papers may not say it."]
    paper = _paper_of(sql, library)
    of_column: dict[tuple[str, str], list[str]] = {}
    for table, column, value in comparisons(sql):
        if column != "ref_paper_id":
            of_column.setdefault((table, column), []).append(value)
    for (table, column), wanted in of_column.items():
        values = _nearest(table, column, wanted, paper, library)
        if values is None:
            continue
        if values and sum(len(value) > _LONGEST for value in values) * 2 > len(values):
            told.append(f"`{column}` holds long texts: compare it with ILIKE '%word%', one word at a time.")
            continue
        fits = f"`{column}` fits {' or '.join(literal(each)[:_LONGEST] for each in wanted[:_SHOWN])}"
        if values:
            told.append(f"If no {fits}: there are {', '.join(literal(value) for value in values)}.")
        else:
            told.append(f"No {fits}: {table} holds no value there{' for that paper' if paper else ''}.")
    if paper is None and _UUID.search(sql):
        told.append("No paper has that id; see SELECT paper_id, title FROM metadata.")
    if len(told) == 1:
        told.append("Loosen its conditions, e.g. ILIKE '%word%' in place of =.")
    return " ".join(told)


def comparisons(sql: str) -> list[tuple[str, str, str]]:
    """The texts that a query compares columns that we know with, as (table, column, text), each once."""
    lowered = sql.lower()
    mentioned = [table for table in COLUMNS if re.search(rf"\b{table}\b", lowered)]
    found: list[tuple[str, str, str]] = []
    for match in _LITERAL.finditer(sql):
        before = _COMPARED.search(sql[max(match.start() - _BEFORE, 0) : match.start()])
        column = before["column"].lower() if before else ""
        owner = next((table for table in mentioned if column in COLUMNS[table]), None)
        if owner and column != "paper_id":
            found.append((owner, column, match[1].replace("''", "'")))
    return list(dict.fromkeys(found))


def _paper_of(sql: str, library: Library) -> str | None:
    """The id of the paper that the query names; None if it names none or one that is not there."""
    for match in _UUID.finditer(sql):
        if read_view(library, "titles", [match.group().lower()]):
            return match.group().lower()
    return None


def _nearest(
    table: str, column: str, wanted: Sequence[str], paper: str | None, library: Library
) -> list[str] | None:
    """Values of the compared column, the most similar first; None if they cannot be had."""
    owner = "paper_id" if table == "metadata" else "ref_paper_id"
    papers = [paper] if paper else []
    try:
        result = library.rows(
            f"SELECT DISTINCT substr(CAST({column} AS VARCHAR), 1, {_LONGEST + 1}) FROM {table} "
            f"WHERE {column} IS NOT NULL AND {of_papers(owner)} LIMIT {_MANY}",
            [papers],
        )
    except QuireError:
        return None
    values = [str(row[0]) for row in result.rows if str(row[0]).strip()]
    return _ranked(wanted, values)


def _ranked(wanted: Sequence[str], values: Sequence[str]) -> list[str]:
    bare = [each.strip("%_ ") for each in wanted]

    def likeness(value: str) -> float:
        return max(fuzz.WRatio(each, value, processor=utils.default_process) for each in bare)

    best = sorted(set(values), key=lambda value: (-likeness(value), value))
    return [value if len(value) <= _LONGEST else value[:_LONGEST] + "..." for value in best[:_SHOWN]]


def _short(columns: Sequence[str]) -> Sequence[str]:
    """The names of a result's columns; a long expression is called by its function, where that is clear."""
    short = []
    for name in columns:
        called = _CALLED.match(name)
        short.append(called[1].lower() if called and len(name) > _NAME else name)
    return short if len({*short}) == len(short) else columns


@dataclass(frozen=True)
class RetrieveFromDatabase:
    """Run one read-only DuckDB query over the tables.

    Best for exact things: metadata, counts, labels, the n-th reference. Long results are cut.
    """

    sql: Annotated[str, "One SELECT statement."]

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        (
            "Sentences with a word.",
            {
                "sql": "SELECT page_number, sentence_content FROM sentences "
                "JOIN pages ON ref_page_id = page_id WHERE sentence_content ILIKE '%placebo%'"
            },
        ),
        (
            "Labelled tables of each paper, and their pages.",
            {
                "sql": "SELECT t.ref_paper_id, count(DISTINCT table_label), list(page_number) FROM tables t "
                "JOIN pages ON ref_page_id = page_id WHERE table_label <> '' GROUP BY 1"
            },
        ),
    )

    def run(self, env: Environment) -> Observation:
        """The rows, or a warning that says which values the compared columns do hold."""
        result = env.library.sql(self.sql)
        if not result.rows:
            return Observation("warning", f"[Warning]: {empty_result(self.sql, env.library)}")
        names = _short(result.columns)
        rows = tuple(dict(zip(names, row, strict=True)) for row in result.rows)
        asked = self.sql.lower()
        return show_rows(
            rows,
            env.settings,
            total=result.total,
            more="To see the next ones, end the query with LIMIT {count} OFFSET {next}.",
            hidden=() if "bounding_box" in asked or "bbox" in asked else ("bounding_box", "bbox"),
        )


@dataclass(frozen=True)
class ReadRows:
    """Read the rows of one view of some papers, in their order."""

    view: Annotated[str, f"One of: {', '.join(VIEWS)}."]
    ids: Annotated[tuple[str, ...], "Ids of the papers, none for all; for row_cells the first cells."] = ()

    examples: ClassVar[tuple[tuple[str, Mapping[str, Any]], ...]] = (
        ("The headings of all papers.", {"view": "sections"}),
    )

    def run(self, env: Environment) -> Observation:
        """The rows, or a warning that there is none."""
        if self.view not in VIEWS:
            raise ActionError(f"There is no view `{self.view}`.", hint=f"Choose from: {', '.join(VIEWS)}.")
        rows = read_view(env.library, self.view, self.ids)
        if not rows:
            return Observation("warning", f"[Warning]: There are no {self.view.replace('_', ' ')}.")
        return show_rows(rows, env.settings, hidden=("bounding_box", "places"))
