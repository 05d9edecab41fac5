"""Tables: where they stand on a page, their grids, their HTML.

for table in find(page, captions, profile): table.caption.label, table.grid.columns

`regions` finds their boxes, `finding` their captions and which of them are tables; `reading` goes from a box
to a grid by way of `columns` and `joins` (rows, and names of several); `grid` holds it and what goes on
elsewhere.
"""

from quire.pdf.tables.finding import find, read
from quire.pdf.tables.grid import Cell, FoundTable, Grid, to_html

__all__ = ["Cell", "FoundTable", "Grid", "find", "read", "to_html"]
