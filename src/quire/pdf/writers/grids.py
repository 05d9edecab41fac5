"""Tables as rows of cells: between pipes where no cell spans others, else HTML made anew from the cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

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


def rows_of(table: Table) -> list[list[TableCell | None]]:
    """What begins in each row, column by column; None is an empty cell. Covered places are left out."""
    rows, columns = size(table)
    begun = {(cell.row, cell.column): cell for cell in table.cells}
    covered = {
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row_end + 1)
        for column in range(cell.column, cell.column_end + 1)
    } - set(begun)
    return [
        [begun.get((row, column)) for column in range(columns) if (row, column) not in covered]
        for row in range(rows)
    ]


def tagged(table: Table, text: Callable[[str], str] = escape) -> str:
    """The table in the elements of HTML, which are those of JATS too."""
    heads = {cell.row for cell in table.cells if cell.head}
    above: list[str] = []
    below: list[str] = []
    for number, row in enumerate(rows_of(table)):
        head = number in heads
        cells = "".join(_tagged(cell, "th" if head else "td", text) for cell in row)
        (above if head and not below else below).append(f"<tr>{cells}</tr>")
    top = f"<thead>{''.join(above)}</thead>" if above else ""
    return f"<table>{top}<tbody>{''.join(below) or '<tr><td></td></tr>'}</tbody></table>"


def _tagged(cell: TableCell | None, tag: str, text: Callable[[str], str]) -> str:
    if cell is None:
        return f"<{tag}></{tag}>"
    rows, columns = cell.row_end - cell.row + 1, cell.column_end - cell.column + 1
    spans = (f' colspan="{columns}"' if columns > 1 else "") + (f' rowspan="{rows}"' if rows > 1 else "")
    return f"<{tag}{spans}>{text(cell.text)}</{tag}>"
