"""One cell of a table, named by its column and its row.

A cell is asked only where both names are unambiguous: the header text heads one column, the first cell
begins one row, and the table's label is that of one table of the paper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from quire.agents.offline.taking.grid import Grid, read_grid
from quire.tasks.quiz.question import QuizQuestion, Rows, as_printed

_LONGEST = 60  # characters of a name or cell: longer ones are prose that was set as a table


def questions(rows: Rows) -> Iterator[QuizQuestion]:
    """Every cell that can be named."""
    tables = rows.of("table_label, table_content", "tables")
    labels = Counter(label for label, _ in tables)
    for label, html in tables:
        if label and labels[label] == 1:
            for column, row, cell in nameable(read_grid(html)):
                ask = f'In {label}, what is the value in the column "{column}" for the row "{row}"?'
                ask += " Give the cell as printed."
                form = "Your answer should be a string."
                yield rows.question("table", ask, cell, form, evaluator=as_printed(cell))


def nameable(grid: Grid) -> Iterator[tuple[str, str, str]]:
    """(column, row, cell) of the cells that exactly one column and one row name."""
    if len(grid.head) != 1 or grid.width < 2:
        return
    heads, firsts = Counter(grid.head[0]), Counter(row[0] for row in grid.body)
    for row in grid.body:
        for column, cell in zip(grid.head[0][1:], row[1:], strict=True):
            names = heads[column] == 1 and firsts[row[0]] == 1 and row[0] != cell
            if names and all(_short(text) for text in (column, row[0], cell)):
                yield column, row[0], cell


def _short(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and any(char.isalnum() for char in text) and '"' not in text
