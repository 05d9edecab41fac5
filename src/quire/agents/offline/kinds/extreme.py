"""The largest or smallest value of a column, or the row that has it."""

from __future__ import annotations

import re

from quire.agents.offline import fetch
from quire.agents.offline.kinds.cell import labelled_rows, without_label
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.question.likeness import squeeze
from quire.agents.offline.taking.cells import column_fits
from quire.agents.offline.taking.gaps import number_in
from quire.agents.offline.taking.grid import Grid, read_grid

_FEWEST = 2  # numbers that a column must have to be compared


def fits(reading: Reading) -> float:
    """A table is spoken of, and the most or least of something in it."""
    if not reading.has("most", "least") or reading.has("count", "caption"):
        return 0.0
    return 0.92 if reading.labels.table else 0.45 if reading.has("table") else 0.0


def plan(reading: Reading) -> Plan:
    """Read the tables, choose the column by its name, compare its numbers."""
    seen = yield fetch.tables(reading.papers, "Compare the numbers of a column of the table.")
    rows = list(seen.rows)
    best = NOTHING
    for row in labelled_rows(rows, reading) if reading.labels.table else rows:
        found = _in_table(reading, row, read_grid(str(row.get("table_content") or "")))
        best = max(best, found, key=lambda finding: finding.confidence)
    return best


def _in_table(reading: Reading, row: Row, grid: Grid) -> Finding:
    text = without_label(reading.text)
    fitting = column_fits(grid, reading.quotes, text)
    if not fitting:
        return NOTHING
    fit, column = fitting[0]
    numbers = [
        (number, at) for at, cells in enumerate(grid.body) if (number := _leading(cells[column])) is not None
    ]
    if len(numbers) < _FEWEST:
        return NOTHING
    chosen = (max if reading.has("most") else min)(numbers)
    cell = grid.body[chosen[1]][column]
    value = cell if _wants_value(reading, grid, column) else grid.row_names[chosen[1]][0]
    tied = sum(number == chosen[0] for number, _ in numbers) > 1
    sure = min(fit, 0.85) - (0.4 if tied and value != cell else 0.0)
    names = (*grid.column_names[column], *grid.row_names[chosen[1]], str(row.get("table_caption") or ""))
    evidence = evidence_of(row, cell, "tables", str(row.get("table_id", "")))
    return Finding(value or None, sure, evidence, " ".join(names))


def _leading(cell: str) -> float | None:
    """The number with which a cell begins, as in "17 (29.3)" or "8.9 \u00b1 1.6"."""
    if not re.match(r"^[\s<>=~\u2264\u2265]*[-\u2212]?\d", cell):
        return None
    return float(number_in(cell))


def _wants_value(reading: Reading, grid: Grid, column: int) -> bool:
    """Whether the number is asked for ("what is the highest F1") and not who has it ("which model has")."""
    if reading.form.kind in ("int", "float"):
        return True
    match = re.search(r"\b(which|who|what|name)\s+(\w+)", reading.bare, re.IGNORECASE)
    if match is None:
        return False
    named = squeeze(match[2])
    heads = [squeeze(name) for name in grid.column_names[column] if name]
    return match[1].lower() == "what" and (match[2].lower() in ("is", "was", "are") or named in heads)


KIND = Kind("extreme of a column", fits, plan)
