"""A cell of a table by the names of its row and column; the largest or smallest of a column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.plan import NOTHING, Finding, Plan, Row, evidence_of, read
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.question.labels import plain
from quire.ask.offline.question.likeness import squeeze
from quire.ask.offline.taking.gaps import number_in
from quire.ask.offline.taking.grid import StoredCell, StoredGrid, cells_named, cells_said, column_fits, grids

_LABEL = re.compile(r"\b(?:tables?|tabs?\b\.?)\s*(?:no\.?\s*)?[\w.]{0,20}\d\w*", re.IGNORECASE)
_FEWEST = 2  # numbers that a column must have to be compared


def fits(reading: QuestionFeatures) -> float:
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


def plan(reading: QuestionFeatures) -> Plan:
    """Read the tables, match the names of row and column, and take the cell."""
    which = f"Table {reading.labels.table}" if reading.labels.table else "the table"
    seen = yield read("cells", reading.papers, f"The answer is a cell of {which}: read the tables.")
    tables = grids(seen.rows)
    labelled = labelled_grids(tables, reading)
    best = _best(reading, labelled)
    if best is None or best[0].fit < 0.75:
        other = _best(reading, [grid for grid in tables if grid not in labelled])
        if other and (best is None or other[0].fit > best[0].fit + 0.1):
            best = other
    if best is None:
        return NOTHING
    cell, margin = best
    penalty = 0.15 if reading.labels.table and cell.grid not in labelled else 0.0
    return _finding(cell, cell.value, cell.fit - penalty - (0.25 if margin < 0.02 else 0.0))


def _finding(cell: StoredCell, value: str, sure: float) -> Finding:
    row = cell.grid.cells.get((cell.row, cell.column), cell.grid.table)
    evidence = evidence_of(row, cell.value, "tables", str(row["table_id"]))
    return Finding(value or None, max(sure, 0.0), evidence, cell.names)


def labelled_grids(tables: Sequence[StoredGrid], reading: QuestionFeatures) -> list[StoredGrid]:
    """The tables that carry the label that the question points at, such as the (a) in "In (a), what"."""
    part = re.search(r"\bin \(([a-z])\)", reading.bare, re.IGNORECASE)
    wanted = reading.labels.table or (part[1].lower() if part else "")
    return [grid for grid in tables if plain(label_of(grid.table)) == wanted] if wanted else []


def label_of(row: Row) -> str:
    """The number of a table or figure, from its label or its caption."""
    text = str(row.get("table_label") or row.get("image_label") or "")
    if not text:
        text = str(row.get("table_caption") or row.get("image_caption") or "")[:30]
    match = re.match(
        r"\s*(?:[^\W\d_]+\.?\s+)?(?:no\.?\s*)?([A-Z]?\.?\d+(?:\.\d+)*[a-z]?|[IVX]+|[A-Z]\.?\d*)\b", text
    )
    return match[1] if match else text


def _best(reading: QuestionFeatures, tables: Sequence[StoredGrid]) -> tuple[StoredCell, float] | None:
    """The best cell, and how far it is ahead of the best other value."""
    found = sorted((cell for grid in tables for cell in _cells(reading, grid)), key=lambda cell: -cell.fit)
    if not found:
        return None
    rivals = [other.fit for other in found[1:] if other.value != found[0].value]
    return found[0], found[0].fit - max(rivals, default=0.0)


def _cells(reading: QuestionFeatures, grid: StoredGrid) -> Iterator[StoredCell]:
    for row, column, bonus in _names(reading):
        for cell in cells_named(grid, row, column)[:3]:
            yield StoredCell(grid, cell.row, cell.column, cell.fit * bonus)
    if len(reading.quotes) < 2:
        yield from cells_said(grid, _LABEL.sub(" ", reading.text))[:3]  # the 2 of "Table 2" names no row


def _names(reading: QuestionFeatures) -> Iterator[tuple[str, str, float]]:
    """What may be meant as (row, column), and how plausible that is by the words around the quotes."""
    roles = [_role(reading, number) for number in range(len(reading.quotes))]
    for first, row in enumerate(reading.quotes):
        for second, column in enumerate(reading.quotes):
            if first == second:
                continue
            crossed = roles[first] == "column" or roles[second] == "row"
            told = roles[first] == "row" or roles[second] == "column"
            yield row, column, 0.8 if crossed else 1.0 if told else 0.97


def _role(reading: QuestionFeatures, number: int) -> str:
    """Whether the words next to a quote call it a row or a column, "" if they do not say."""
    place = reading.quote_places[number]
    before = reading.bare[max(0, place - 40) : place].rsplit("~", 1)[-1].lower()
    after = reading.bare[place + 1 : place + 12].split("~", 1)[0].lower()
    last = re.findall(r"\b(row|line|column|header)s?\b", before)
    following = re.match(r"\s*(row|line|column|header)\b", after)
    word = following[1] if following else last[-1] if last else ""
    return {"line": "row", "header": "column"}.get(word, word)


def fits_extreme(reading: QuestionFeatures) -> float:
    """A table is spoken of, and the most or least of something in it."""
    if not reading.has("most", "least") or reading.has("count", "caption"):
        return 0.0
    return 0.92 if reading.labels.table else 0.45 if reading.has("table") else 0.0


def plan_extreme(reading: QuestionFeatures) -> Plan:
    """Read the tables, choose the column by its name, compare its numbers."""
    seen = yield read("cells", reading.papers, "Compare the numbers of a column of the table.")
    tables = grids(seen.rows)
    chosen = labelled_grids(tables, reading) if reading.labels.table else tables
    found = (_extreme(reading, grid) for grid in chosen)
    return max(found, key=lambda finding: finding.confidence, default=NOTHING)


def _extreme(reading: QuestionFeatures, grid: StoredGrid) -> Finding:
    fitting = column_fits(grid, reading.quotes, _LABEL.sub(" ", reading.text))
    if not fitting:
        return NOTHING
    fit, column = fitting[0]
    numbers = [(number, row) for row in grid.body if (number := _leading(grid.text(row, column))) is not None]
    if len(numbers) < _FEWEST:
        return NOTHING
    most, row = (max if reading.has("most") else min)(numbers)
    cell = StoredCell(grid, row, column, fit)
    value = cell.value if _wants_value(reading, grid, column) else grid.row_names[row][0]
    tied = sum(number == most for number, _ in numbers) > 1
    finding = _finding(cell, value, min(fit, 0.85) - (0.4 if tied and value != cell.value else 0.0))
    why = " ".join((*grid.column_names[column], *grid.row_names[row], finding.why))
    return Finding(finding.value, finding.confidence, finding.evidence, why)


def _leading(cell: str) -> float | None:
    """The number with which a cell begins, as in "17 (29.3)" or "8.9 \u00b1 1.6"."""
    begins = re.match(r"^[\s<>=~\u2264\u2265]*[-\u2212]?\d", cell)
    return float(number_in(cell)) if begins else None


def _wants_value(reading: QuestionFeatures, grid: StoredGrid, column: int) -> bool:
    """Whether the number is asked for ("what is the highest F1") and not who has it ("which model has")."""
    if reading.form.kind in ("int", "float"):
        return True
    match = re.search(r"\b(which|who|what|name)\s+(\w+)", reading.bare, re.IGNORECASE)
    if match is None:
        return False
    heads = [squeeze(name) for name in grid.column_names[column] if name]
    named = match[2].lower() in ("is", "was", "are") or squeeze(match[2]) in heads
    return match[1].lower() == "what" and named


EXTREME = QuestionKind("extreme of a column", fits_extreme, plan_extreme)
KIND = QuestionKind("cell of a table", fits, plan)
