"""A grid as HTML: `<thead>` with `<th>`, spans, everything escaped."""

from __future__ import annotations

from html import escape

from quire.documents.tables.grid import Cell, Grid


def to_html(grid: Grid) -> str:
    """The table as one `<table>` element; empty slots are empty cells.

    >>> to_html(Grid(Edges(0, 0, 1, 1), 1, 1, (Cell(0, 0, 0, 0, "a<b"),)))
    '<table><tbody><tr><td>a&lt;b</td></tr></tbody></table>'
    """
    owner = {
        (r, c): cell
        for cell in grid.cells
        for r in range(cell.row, cell.row_end + 1)
        for c in range(cell.col, cell.col_end + 1)
    }
    head = [_row(grid, owner, r, "th") for r in range(grid.header_rows)]
    body = [_row(grid, owner, r, "td") for r in range(grid.header_rows, grid.rows)]
    parts = [f"<thead>{''.join(head)}</thead>"] if head else []
    return f"<table>{''.join(parts)}<tbody>{''.join(body)}</tbody></table>"


def _row(grid: Grid, owner: dict[tuple[int, int], Cell], row: int, tag: str) -> str:
    cells = []
    for column in range(grid.columns):
        cell = owner.get((row, column))
        if cell is None:
            cells.append(f"<{tag}></{tag}>")
        elif (cell.row, cell.col) == (row, column):
            cells.append(f"<{tag}{_spans(cell)}>{escape(cell.text)}</{tag}>")
    return f"<tr>{''.join(cells)}</tr>"


def _spans(cell: Cell) -> str:
    rows, columns = cell.row_end - cell.row + 1, cell.col_end - cell.col + 1
    return (f' colspan="{columns}"' if columns > 1 else "") + (f' rowspan="{rows}"' if rows > 1 else "")
