"""Tables as rows of cells: between pipes where no cell spans others, else HTML made anew from the cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape

from quire.types import Table

SpanningCell = tuple[int, int, int, int, str]  # first row and column, last row and column, text


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


def tagged(table: Table, text: Callable[[str], str] = escape) -> str:
    """The table in the elements of HTML, which are those of JATS too."""
    cells = ((c.row, c.column, c.row_end, c.column_end, c.text) for c in table.cells)
    rows, columns = size(table)
    return in_tags(
        max(rows, 1),
        max(columns, 1),
        cells,
        1 + max((c.row for c in table.cells if c.head), default=-1),
        text,
    )


def in_tags(
    rows: int, columns: int, cells: Iterable[SpanningCell], heads: int, text: Callable[[str], str] = escape
) -> str:
    """One `<table>` element, the first `heads` rows in its head; empty places are empty cells."""
    owner = {
        (row, column): cell
        for cell in cells
        for row in range(cell[0], cell[2] + 1)
        for column in range(cell[1], cell[3] + 1)
    }
    lines = []
    for row in range(rows):
        tag = "th" if row < heads else "td"
        own = (
            (owner.get((row, column), (row, column, row, column, "")), column) for column in range(columns)
        )
        begun = (_in_tag(cell, tag, text) for cell, column in own if (row, column) == cell[:2])
        lines.append(f"<tr>{''.join(begun)}</tr>")
    head = f"<thead>{''.join(lines[:heads])}</thead>" if heads else ""
    return f"<table>{head}<tbody>{''.join(lines[heads:])}</tbody></table>"


def _in_tag(cell: SpanningCell, tag: str, text: Callable[[str], str]) -> str:
    rows, columns = cell[2] - cell[0] + 1, cell[3] - cell[1] + 1
    spans = (f' colspan="{columns}"' if columns > 1 else "") + (f' rowspan="{rows}"' if rows > 1 else "")
    return f"<{tag}{spans}>{text(cell[4])}</{tag}>"
