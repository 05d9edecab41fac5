"""Tables: where they stand on a page, their grids, their HTML.

for table in find(page, captions, profile):
    table.caption.label, table.grid.columns, table.html

`regions` and `numeric` find their boxes, `naming` their captions; `reading` goes from a box to a grid by way
of `columns`, `strips` (columns), `cuts`, `joins` (rows), `heads` (heads of several levels) and `labels`
(names of several rows). `borderless` has no lines to go by; `parts` and `sequels` are tables in pieces,
`rotated` ones that stand sideways.
"""

from quire.documents.tables.finding import FoundTable, find, joined, read
from quire.documents.tables.grid import Cell, Grid, to_html

__all__ = ["Cell", "FoundTable", "Grid", "find", "joined", "read", "to_html"]
