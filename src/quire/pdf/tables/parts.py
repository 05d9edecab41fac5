"""Parts of one table put together: those of a page, of its next column, of the pages behind."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from quire.pdf.captions import Caption
from quire.pdf.geometry import overlap, rounded, shared_height
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables.grid import Grid, stacked, table_cells, to_html
from quire.pdf.vocabulary import CONTINUED
from quire.types import Table

_CONTINUED = re.compile(rf"(?:^|[\s(]){CONTINUED}[.)]*$", re.IGNORECASE)
_FROM = re.compile(r"^\(?(?:table \w+ )?continued from (?:the )?(?:previous|preceding) column", re.IGNORECASE)
_LONG = 40  # points: shorter lines are no text
_NEAR = 80.0  # points between two parts of a table on one page, below or beside each other
_HEADS = 2  # rows that one of two parts side by side may have more than the other
_LEVEL = 0.75  # share of the height of the higher of two parts side by side


@dataclass(frozen=True)
class FoundTable:
    """A table on its page. `box` holds its cells, not its caption."""

    page: int
    box: Edges
    grid: Grid
    caption: Caption | None = None
    confidence: float | None = None  # that it is one, where no caption says so

    @property
    def html(self) -> str:
        """The cells as HTML."""
        return to_html(self.grid)

    def moved(self, to: Callable[[Edges], Edges]) -> FoundTable:
        """The table with every box of it replaced."""
        cells = tuple(replace(c, box=to(c.box) if c.box else None) for c in self.grid.cells)
        return replace(self, box=to(self.box), grid=replace(self.grid, cells=cells))

    def table(self) -> Table:
        """As a view of the document."""
        return Table(
            page=self.page,
            bbox=rounded(self.box),
            label=self.caption.label if self.caption else "",
            caption=self.caption.text if self.caption else "",
            html=self.html,
            cells=table_cells(replace(self.grid, box=self.box), self.page),
            confidence=self.confidence,
        )


def joined(above: FoundTable, below: FoundTable) -> FoundTable:
    """A table with the part of it that stands on a later page; place and caption are those of the first."""
    placed = tuple(replace(c, page=c.page or below.page) for c in below.grid.cells)
    return replace(above, grid=stacked(above.grid, replace(below.grid, cells=placed)))


def begun(table: FoundTable) -> FoundTable:
    """A table whose caption was left at the foot of the page before begins there."""
    caption = table.caption
    if caption is None or caption.page == table.page:
        return table
    cells = tuple(replace(c, page=c.page or table.page) for c in table.grid.cells)
    return replace(table, page=caption.page, box=caption.box, grid=replace(table.grid, cells=cells))


def whole_on_page(
    found: Sequence[FoundTable], read: Callable[[Edges], Grid | None], walls: Sequence[Edges]
) -> list[FoundTable]:
    """The tables of a page; what was read as two side by side, or over a line, is one if it is one grid."""
    out = sorted(found, key=lambda t: t.caption is None)
    for part in [t for t in out if t.caption is None]:
        for first in [t for t in out if t.caption]:
            if not (_is_beside(first.box, part.box) or _is_below(first.box, part.box)):
                continue
            box = first.box.union(part.box)
            others = [*walls, *(t.box for t in out if t is not first and t is not part)]
            inner = [w for w in others if overlap(w, box) > 0 and not _same_box(w, first.box, part.box)]
            grid = None if inner else read(box)
            if grid and _fits(first, part, grid):
                whole = replace(first, box=grid.box, grid=grid)
                out = [whole if t is first else t for t in out if t is not part]
                break
    return out


def _same_box(wall: Edges, *boxes: Edges) -> bool:
    """A wall that is the outline of a table itself."""
    return any(overlap(wall, box) > 0.5 * wall.width * wall.height for box in boxes)


def _is_beside(one: Edges, other: Edges) -> bool:
    gap = max(one.x0 - other.x1, other.x0 - one.x1)
    return 0 <= gap < _NEAR and shared_height(one, other) > _LEVEL * max(one.height, other.height)


def _is_below(one: Edges, other: Edges) -> bool:
    return other.x0 > one.x0 - 6 and other.x1 < one.x1 + 6 and 0 <= other.y0 - one.y1 < _NEAR


def _fits(first: FoundTable, part: FoundTable, grid: Grid) -> bool:
    """Whether the grid of both has the columns of both."""
    if _is_beside(first.box, part.box):
        level = abs(first.grid.rows - part.grid.rows) <= _HEADS
        return level and grid.columns >= first.grid.columns + part.grid.columns - 1
    return grid.columns == first.grid.columns


def _in_next_column(first: FoundTable, part: FoundTable, page: RawPage) -> bool:
    """The part heads the column behind the one at whose foot the other ends, and is as wide."""
    one, other = first.box, part.box
    gutter = next((x for x in page.gutters if one.x1 - 8 < x < other.x0 + 8), None)
    if gutter is None or part.caption or first.grid.columns != part.grid.columns:
        return False
    return abs(one.width - other.width) < 0.1 * one.width


def _says_so(first: FoundTable, part: FoundTable) -> bool:
    """The part is called that of another column, and has the head of the other."""
    one, other = ([c.text for c in table.grid.row_cells(0)] for table in (first, part))
    return first.caption is None and one == other and any(_FROM.match(c.text) for c in part.grid.cells)


def in_columns(parts: Sequence[FoundTable], page: RawPage) -> list[FoundTable]:
    """The tables of a page; one that goes on in another column is joined to its beginning."""
    out = list(parts)
    for part in parts:
        others = [t for t in out if t is not part]
        first = next((t for t in others if _in_next_column(t, part, page) or _says_so(t, part)), None)
        if first:
            whole = replace(joined(first, part), caption=first.caption or part.caption)
            out = [whole if t is first else t for t in others]
    return out


def goes_on(last: FoundTable, before: RawPage, first: FoundTable, page: RawPage) -> bool:
    """The last table of a page and one without caption at the head of the next have the same columns."""
    foot = max((line.y1 for line in before.lines if line.x1 - line.x0 > _LONG), default=0.0)
    own = [p for p in page.lines if p.x1 - p.x0 > _LONG and not _CONTINUED.search(p.text)]
    head = min((line.y0 for line in own), default=first.box.y0)
    return (
        first.caption is None
        and page.number == before.number + 1
        and last.grid.columns == first.grid.columns
        and abs(last.box.x0 - first.box.x0) < 12
        and abs(last.box.x1 - first.box.x1) < 30
        and foot < last.box.y1 + 30
        and head > first.box.y0 - 12
    )


def left_at_foot(captions: Sequence[Caption], found: Sequence[FoundTable], page: RawPage) -> Caption | None:
    """The caption of a table that stands on the next page: the last thing on its own."""
    last = max(captions, key=lambda c: c.box.y1, default=None)
    if last is None or last.kind != "table" or any(t.caption is last for t in found):
        return None
    room = last.box.y1 + 3 * last.size  # for the table's first row, which may have stayed with it
    return None if any(line.y0 > room and line.angle == 0 for line in page.lines) else last


def heads_page(table: FoundTable, page: RawPage) -> bool:
    """The table has no caption and nothing stands above it."""
    own = [line for line in page.lines if line.angle == 0 and line.x1 - line.x0 > _LONG]
    return table.caption is None and not any(line.y1 < table.box.y0 for line in own)


def over_pages(found: Sequence[FoundTable]) -> list[FoundTable]:
    """Tables in page order; parts that say so, or repeat the label without a title, become one."""
    whole: list[FoundTable] = []
    for table in sorted(found, key=lambda t: (t.page, bool(t.caption and t.caption.continued))):
        caption = table.caption
        again = caption and (caption.continued or len(caption.text) <= len(caption.label) + 1)
        for k, first in enumerate(whole):
            if caption and again and first.caption and first.caption.label == caption.label:
                whole[k] = joined(first, table)
                break
        else:
            whole.append(table)
    return whole
