"""Why a query gave no rows: the values that do exist in the columns that it compared.

    SELECT section_content FROM sections WHERE section_title = 'Introduction'
    The query gave no rows. No `section_title` equals 'Introduction'; there are: '1 Introduction', ...

The query is only looked at with regular expressions; nothing of it but whitelisted column names and
quoted literals goes into the query that looks for values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz, utils

from quire.environment.readable import Readable
from quire.environment.viewing import literal
from quire.errors import QuireError
from quire.store.schema import TABLES

COLUMNS: Mapping[str, frozenset[str]] = {
    table.name: frozenset(column.name for column in table.columns) for table in TABLES
}
_MANY = 300  # distinct values looked at
_SHOWN = 6
_LONGEST = 80  # characters of a value that are shown
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?:lower|upper|trim|\()*\s*(?:\w+\.)?(?P<column>[a-z_]+)\s*\)*\s*"
    r"(?:=|==|(?:not\s+)?(?:i?like)|in)\s*\(?\s*(?:lower\s*\(\s*)?'(?P<value>(?:[^']|'')*)'",
    re.IGNORECASE,
)


class Comparison(NamedTuple):
    """A column compared with a text."""

    table: str
    column: str
    value: str


def empty_result(sql: str, library: Readable) -> str:
    """What to tell an agent whose query gave no rows."""
    told = ["The query gave no rows."]
    paper = _paper_of(sql, library)
    for comparison in comparisons(sql):
        if comparison.column in ("paper_id", "ref_paper_id"):
            continue
        values = _nearest(comparison, paper, library)
        wanted = f"`{comparison.column}` fits {literal(comparison.value)[:_LONGEST]}"
        if values is None:
            continue
        if values:
            told.append(f"If no {wanted}: there are {', '.join(literal(v) for v in values)}.")
        else:
            told.append(
                f"No {wanted}: {comparison.table} holds no value there{' for that paper' if paper else ''}."
            )
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
    for match in _COMPARED.finditer(sql):
        column = match["column"].lower()
        owner = next((table for table in mentioned if column in COLUMNS[table]), None)
        if owner and column != "paper_id":
            comparison = Comparison(owner, column, match["value"].replace("''", "'"))
            if comparison not in found:
                found.append(comparison)
    return found


def _paper_of(sql: str, library: Readable) -> str | None:
    """The id of the paper that the query names; None if it names none or one that is not there."""
    for match in _UUID.finditer(sql):
        found = library.sql(
            f"SELECT 1 FROM metadata WHERE CAST(paper_id AS VARCHAR) = {literal(match.group().lower())}"
        )
        if found.rows:
            return match.group().lower()
    return None


def _nearest(comparison: Comparison, paper: str | None, library: Readable) -> list[str] | None:
    """Values of the compared column, the most similar first; None if they cannot be had."""
    table, column, wanted = comparison
    owner = "paper_id" if table == "metadata" else "ref_paper_id"
    where = f" AND CAST({owner} AS VARCHAR) = {literal(paper)}" if paper else ""
    try:
        result = library.sql(
            f"SELECT DISTINCT substr(CAST({column} AS VARCHAR), 1, 300) FROM {table} "
            f"WHERE {column} IS NOT NULL{where} LIMIT {_MANY}"
        )
    except QuireError:
        return None
    values = [str(row[0]) for row in result.rows if str(row[0]).strip()]
    return _ranked(wanted, values)


def _ranked(wanted: str, values: Sequence[str]) -> list[str]:
    bare = wanted.strip("%_ ")

    def likeness(value: str) -> float:
        return fuzz.WRatio(bare, value, processor=utils.default_process)

    best = sorted(values, key=lambda value: (-likeness(value), value))
    return [value if len(value) <= _LONGEST else value[:_LONGEST] + "..." for value in best[:_SHOWN]]
