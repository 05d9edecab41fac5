"""Tables as rows of cells: between pipes where no cell spans others, else HTML made anew from the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from itertools import product

from quire.types import Table, TableCell


def is_plain(table: Table) -> bool:
    """Whether it has one row of heads at most, and no cell that covers others."""
    heads = {cell.row for cell in table.cells if cell.head}
    spans = any((cell.row, cell.column) != (cell.row_end, cell.column_end) for cell in table.cells)
    return bool(table.cells) and len(heads) <= 1 and not spans


def size(table: Table) -> tuple[int, int]:
    """Rows and columns."""
    rows = 1 + max((cell.row_end for cell in table.cells), default=-1)
    return rows, 1 + max((cell.column_end for cell in table.cells), default=-1)


def pipes(table: Table, written: Callable[[str], str]) -> str:
    """The table between pipes; a first row that is no head stands below an empty one."""
    rows, columns = size(table)
    grid = [[""] * columns for _ in range(rows)]
    for cell in table.cells:
        grid[cell.row][cell.column] = written(cell.text).replace("|", "\\|")
    if not any(cell.head and cell.row == 0 for cell in table.cells):
        grid.insert(0, [""] * columns)
    lines = [_piped(row) for row in grid]
    return "\n".join([lines[0], _piped(["---"] * columns), *lines[1:]])


def _piped(row: Sequence[str]) -> str:
    return "| " + " | ".join(row) + " |"


def in_table(table: Table, text: Callable[[str], str] = escape) -> str:
    """The table in the elements of HTML, which are those of JATS too."""
    rows, columns = size(table)
    heads = 1 + max((cell.row for cell in table.cells if cell.head), default=-1)
    return tagged(table.cells, max(rows, 1), max(columns, 1), heads, text)


def tagged(
    cells: Iterable[TableCell], rows: int, columns: int, heads: int, text: Callable[[str], str] = escape
) -> str:
    """One `<table>` element, the first `heads` rows in its head; empty places are empty cells."""
    owner: dict[tuple[int, int], TableCell] = {}
    for cell in cells:
        places = product(range(cell.row, cell.row_end + 1), range(cell.column, cell.column_end + 1))
        owner.update(dict.fromkeys(places, cell))
    lines = ["<tr>"] * rows
    for row, column in product(range(rows), range(columns)):
        tag = "th" if row < heads else "td"
        own = owner.get((row, column))
        if own is None:
            lines[row] += f"<{tag}></{tag}>"
        elif (own.row, own.column) == (row, column):
            lines[row] += f"<{tag}{_spans(own)}>{text(own.text)}</{tag}>"
    lines = [f"{line}</tr>" for line in lines]
    head = f"<thead>{''.join(lines[:heads])}</thead>" if heads else ""
    return f"<table>{head}<tbody>{''.join(lines[heads:])}</tbody></table>"


def _spans(cell: TableCell) -> str:
    rows, columns = cell.row_end - cell.row + 1, cell.column_end - cell.column + 1
    return (f' colspan="{columns}"' if columns > 1 else "") + (f' rowspan="{rows}"' if rows > 1 else "")
