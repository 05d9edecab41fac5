"""Tables: where they stand on a page, their grids, their HTML.

for table in find(page, captions, profile):
    table.caption.label, table.grid.columns, table.html
"""

from quire.documents.tables.finding import FoundTable, find, joined, read
from quire.documents.tables.grid import Cell, Grid
from quire.documents.tables.html import to_html

__all__ = ["Cell", "FoundTable", "Grid", "find", "joined", "read", "to_html"]
