"""A cell of a table, named by its row and column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.question.labels import plain
from quire.agents.offline.taking.cells import Cell, by_names, by_words
from quire.agents.offline.taking.grid import read_grid

_LABEL = re.compile(r"\b(?:tables?|tabs?\b\.?)\s*(?:no\.?\s*)?[\w.]{0,20}\d\w*", re.IGNORECASE)


def fits(reading: Reading) -> float:
    """A table is pointed at, or a row and a column are named."""
    if reading.has("caption") and len(reading.quotes) < 2:
        return 0.0
    if len(reading.quotes) >= 2 and reading.has("row", "column", "table", "value"):
        return 0.95
    if reading.labels.table and not reading.has("count", "page", "section"):
        return 0.8 if reading.quotes or reading.topic else 0.1
    if reading.has("row") and reading.has("column"):
        return 0.8
    if len(reading.quotes) >= 1 and reading.has("row", "column") and reading.has("table", "value"):
        return 0.75
    return 0.0


def plan(reading: Reading) -> Plan:
    """Read the tables, match the names of row and column, and take the cell."""
    which = f"Table {reading.labels.table}" if reading.labels.table else "the table"
    seen = yield fetch.tables(reading.papers, f"The answer is a cell of {which}: read the tables.")
    rows = list(seen.rows)
    labelled = labelled_rows(rows, reading)
    best = _best(reading, labelled)
    if best is None or best[1].fit < 0.75:
        other = _best(reading, [row for row in rows if row not in labelled])
        if other and (best is None or other[1].fit > best[1].fit + 0.1):
            best = other
    if best is None:
        return NOTHING
    row, cell, margin = best
    penalty = 0.15 if reading.labels.table and row not in labelled else 0.0
    confidence = max(cell.fit - penalty - (0.25 if margin < 0.02 else 0.0), 0.0)
    evidence = evidence_of(row, cell.value, "tables", str(row.get("table_id", "")))
    why = f"{cell.row} {cell.column} {row.get('table_caption') or ''}"
    return Finding(cell.value or None, confidence, evidence, why)


def labelled_rows(rows: Sequence[Row], reading: Reading) -> list[Row]:
    """The tables that carry the label that the question points at."""
    wanted = reading.labels.table or _bracketed(reading)
    if not wanted:
        return []
    return [row for row in rows if plain(label_of(row)) == wanted]


def without_label(text: str) -> str:
    """A question without the table that it points at, so that the 2 of "Table 2" names no row."""
    return _LABEL.sub(" ", text)


def label_of(row: Row) -> str:
    """The number of a table, from its label or its caption."""
    text = str(row.get("table_label") or row.get("image_label") or "")
    if not text:
        text = str(row.get("table_caption") or row.get("image_caption") or "")[:30]
    match = re.match(
        r"\s*(?:[^\W\d_]+\.?\s+)?(?:no\.?\s*)?([A-Z]?\.?\d+(?:\.\d+)*[a-z]?|[IVX]+|[A-Z]\.?\d*)\b", text
    )
    return match[1] if match else text


def _bracketed(reading: Reading) -> str:
    """A label of a part, like the (a) in "In (a), what is ..."."""
    match = re.search(r"\bin \(([a-z])\)", reading.bare, re.IGNORECASE)
    return match[1].lower() if match else ""


def _best(reading: Reading, rows: Sequence[Row]) -> tuple[Row, Cell, float] | None:
    found = [(row, cell) for row in rows for cell in _cells(reading, row)]
    found.sort(key=lambda pair: -pair[1].fit)
    if not found:
        return None
    row, cell = found[0]
    rivals = [other.fit for _, other in found[1:] if other.value != cell.value]
    return row, cell, cell.fit - max(rivals, default=0.0)


def _cells(reading: Reading, row: Row) -> Iterator[Cell]:
    grid = read_grid(str(row.get("table_content") or ""))
    if not grid.body:
        return
    for row_name, column_name, bonus in names(reading):
        for cell in by_names(grid, row_name, column_name)[:3]:
            yield Cell(cell.value, cell.row, cell.column, cell.fit * bonus)
    if len(reading.quotes) < 2:
        yield from by_words(grid, without_label(reading.text))[:3]


def names(reading: Reading) -> Iterator[tuple[str, str, float]]:
    """What may be meant as (row, column), and how plausible that is by the words around the quotes."""
    quotes = reading.quotes
    if len(quotes) < 2:
        return
    for first in range(len(quotes)):
        for second in range(len(quotes)):
            if first != second:
                yield quotes[first], quotes[second], _plausible(reading, first, second)


def _plausible(reading: Reading, row: int, column: int) -> float:
    said_row, said_column = _role(reading, row), _role(reading, column)
    if said_row == "column" or said_column == "row":
        return 0.8
    return 1.0 if said_row == "row" or said_column == "column" else 0.97


def _role(reading: Reading, number: int) -> str:
    """Whether the words next to a quote call it a row or a column, "" if they do not say."""
    place = reading.quote_places[number]
    before = reading.bare[max(0, place - 40) : place].rsplit("~", 1)[-1].lower()
    after = reading.bare[place + 1 : place + 12].split("~", 1)[0].lower()
    last = [match[1] for match in re.finditer(r"\b(row|line|column|header)s?\b", before)]
    following = re.match(r"\s*(row|line|column|header)\b", after)
    word = following[1] if following else last[-1] if last else ""
    return {"line": "row", "header": "column"}.get(word, word)


KIND = Kind("cell of a table", fits, plan)
