"""Tables: where they stand on a page, their grids, their HTML.

for table in find(page, captions, profile): table.caption.label, table.grid.columns, table.html

`regions` finds their boxes, `finding` their captions and which of them are tables, `parts` what goes
on elsewhere; `reading` goes from a box to a grid by way of `columns`, `joins` (rows, and names of several)
and `cuts`.
"""

from quire.pdf.tables.finding import find, read
from quire.pdf.tables.grid import Cell, Grid, to_html
from quire.pdf.tables.parts import FoundTable, joined

__all__ = ["Cell", "FoundTable", "Grid", "find", "joined", "read", "to_html"]
