"""RetrieveFromDatabase: SQL over the parsed views of the papers, and why a query gave no rows.

    SELECT section_content FROM sections WHERE section_title = 'Introduction'
    The query gave no rows. No `section_title` equals 'Introduction'; there are: '1 Introduction', ...

The query is only looked at with regular expressions; nothing of it but whitelisted column names goes into
the query that looks for values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

from rapidfuzz import fuzz, utils

from quire.ask.actions.rows import of_papers, read_view
from quire.ask.environment import Readable
from quire.ask.methods import literal
from quire.ask.observations import show_rows
from quire.errors import QuireError
from quire.store.schema import TABLES
from quire.types import Observation

if TYPE_CHECKING:
    from quire.ask.environment import Environment


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


class Comparison(NamedTuple):
    """A column compared with a text."""

    table: str
    column: str
    value: str


def empty_result(sql: str, library: Readable) -> str:
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


def comparisons(sql: str) -> list[Comparison]:
    """The text comparisons of a query on columns that we know, each once."""
    lowered = sql.lower()
    mentioned = [table for table in COLUMNS if re.search(rf"\b{table}\b", lowered)]
    found: list[Comparison] = []
    for match in _LITERAL.finditer(sql):
        before = _COMPARED.search(sql[max(match.start() - _BEFORE, 0) : match.start()])
        column = before["column"].lower() if before else ""
        owner = next((table for table in mentioned if column in COLUMNS[table]), None)
        if owner and column != "paper_id":
            comparison = Comparison(owner, column, match[1].replace("''", "'"))
            if comparison not in found:
                found.append(comparison)
    return found


def _paper_of(sql: str, library: Readable) -> str | None:
    """The id of the paper that the query names; None if it names none or one that is not there."""
    for match in _UUID.finditer(sql):
        if read_view(library, "titles", [match.group().lower()]):
            return match.group().lower()
    return None


def _nearest(
    table: str, column: str, wanted: Sequence[str], paper: str | None, library: Readable
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
