"""Finding and reading all tables of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from quire.documents.captions import Caption
from quire.documents.layout.profile import Profile
from quire.documents.raw import Drawing, Edges, RawPage
from quire.documents.tables.grid import Grid, stacked
from quire.documents.tables.html import to_html
from quire.documents.tables.loose import beside_captions, gutters
from quire.documents.tables.naming import matched, named_late, nearest
from quire.documents.tables.numeric import loose_regions
from quire.documents.tables.parts import divided, read_parts
from quire.documents.tables.regions import (
    Lines,
    Region,
    drawn_regions,
    framed_by_caption,
    lines_of,
    overlap,
)
from quire.documents.tables.tokens import TYPEWRITER, Token, box_of, inside, tokens_of
from quire.types import Box, Table, TableCell

_FRONT = re.compile(r"^(?:abstract|articleinfo(?:rmation)?|highlights|articlehistory)", re.IGNORECASE)


@dataclass(frozen=True)
class FoundTable:
    """A table on its page. `box` holds its cells, not its caption."""

    page: int
    box: Edges
    grid: Grid
    caption: Caption | None = None

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
            bbox=_rounded(self.box),
            label=self.caption.label if self.caption else "",
            caption=self.caption.text if self.caption else "",
            html=self.html,
            cells=tuple(
                TableCell(
                    c.page or self.page, _rounded(c.box or self.box), c.row, c.col, c.row_end, c.col_end,
                    c.text, c.row < self.grid.header_rows,
                )
                for c in self.grid.cells
            ),
        )  # fmt: skip


def _rounded(box: Edges) -> Box:
    return Box.from_edges(*(round(v, 2) for v in box))


def joined(above: FoundTable, below: FoundTable) -> FoundTable:
    """A table with the part of it that stands on a later page; place and caption are those of the first."""
    placed = tuple(replace(c, page=c.page or below.page) for c in below.grid.cells)
    return replace(above, grid=stacked(above.grid, replace(below.grid, cells=placed)))


def read(page: RawPage, box: Edges) -> Grid | None:
    """The grid of the table that is known to stand in `box`."""
    lines = lines_of(page).within(box)
    return read_parts(inside(tokens_of(page), box), lines.across, lines.down, box)


def find(page: RawPage, captions: Sequence[Caption], profile: Profile) -> list[FoundTable]:
    """The upright tables of a page, from top to bottom."""
    tokens = tokens_of(page)
    if not tokens:
        return []
    lines = lines_of(page)
    own = [c for c in captions if c.kind == "table"]
    others = [c for c in captions if c.kind == "other"]
    taken = _caption_tokens(page, captions)
    free = [t for t in tokens if id(t.words[0]) not in taken]
    read_here = [
        (region, grid)
        for region in drawn_regions(lines, free, captions, gutters(page))
        if not nearest(region.box, others, free, reach=20)
        and (grid := _read_region(region, free, lines))
        and not _is_front(grid)
    ]
    either = [c for c in captions if c.kind == "either"]
    named = matched([region.box for region, _ in read_here], own + either, free)
    found = [
        FoundTable(page.number, grid.box, grid, caption)
        for (region, grid), caption in zip(read_here, named, strict=True)
        if is_table(grid, caption) and (caption or _stands_alone(grid, region, page, free, lines))
    ]
    waiting = [c for c in own if not any(f.caption is c for f in found)]
    for caption, region in beside_captions(waiting, free, [f.box for f in found], captions, page):
        grid = _read_region(region, free, lines)
        if grid and grid.columns >= 2 and grid.rows >= 2:
            found.append(FoundTable(page.number, grid.box, grid, caption))
    for caption in [c for c in own if not any(f.caption is c for f in found)]:
        framed = framed_by_caption(caption, lines, free, captions)
        grid = _read_region(framed, free, lines) if framed else None
        if grid and not any(overlap(grid.box, f.box) > 0 for f in found):
            found.append(FoundTable(page.number, grid.box, grid, caption))
    for region in loose_regions(free, [f.box for f in found], captions, page):
        grid = _read_region(region, free, lines)
        if grid and grid.columns >= 3 and is_table(grid, None) and not _is_chart(page, region.box, free):
            found.append(FoundTable(page.number, grid.box, grid, None))
    late = named_late([f.box for f in found], [f.caption for f in found], own + either, free)
    found = [replace(table, caption=caption) for table, caption in zip(found, late, strict=True)]
    parts = [part for table in found for part in _parts(table, free)]
    return sorted(parts, key=lambda f: (f.box.y0, f.box.x0))


def _parts(table: FoundTable, tokens: Sequence[Token]) -> list[FoundTable]:
    """A captioned table, or its parts (a), (b) as tables under the same caption."""
    if table.caption is None:
        return [table]
    caption = table.caption
    return [
        replace(
            table, box=grid.box, grid=grid, caption=replace(caption, text=f"{caption.text} {mark}".strip())
        )
        for mark, grid in divided(table.grid, inside(tokens, table.box))
    ]


def _caption_tokens(page: RawPage, captions: Sequence[Caption]) -> set[int]:
    return {id(w) for c in captions for i in c.lines for w in page.lines[i].words}


def _read_region(region: Region, tokens: Sequence[Token], lines: Lines) -> Grid | None:
    mine = inside(tokens, region.box)
    if len(mine) < 4:
        return None
    near = lines.within(region.box)
    grid = read_parts(mine, near.across, near.down, region.box)
    return replace(grid, box=box_of(mine)) if grid else None


def _is_front(grid: Grid) -> bool:
    """A page's front matter between lines: "Article info" and "Abstract" side by side."""
    return any(_FRONT.match(re.sub(r"\W", "", cell.text)) for cell in grid.cells if cell.row == 0)


def _is_chart(page: RawPage, box: Edges, tokens: Sequence[Token]) -> bool:
    """Bars, slices and curves: things drawn in the box behind which no word stands."""
    drawn: list[Edges | Drawing] = [*page.drawings, *page.pictures]
    art = [d for d in drawn if d.x1 - d.x0 > 4 and d.y1 - d.y0 > 4 and _centre_in(d, box)]
    if not art:
        return False
    if any(_is_curve(d, box, page) for d in page.drawings if _centre_in(d, box)):
        return True
    words = [((t.x0 + t.x1) / 2, t.baseline - 0.3 * t.size) for t in inside(tokens, box)]
    bare = [d for d in art if not any(d.x0 <= x <= d.x1 and d.y0 <= y <= d.y1 for x, y in words)]
    area = sum((d.x1 - d.x0) * (d.y1 - d.y0) for d in bare)
    return len(bare) >= 3 and area > 0.04 * box.width * box.height


def _is_curve(mark: Drawing, box: Edges, page: RawPage) -> bool:
    """A large path that is only stroked, and not made of straight lines from side to side."""
    large = mark.x1 - mark.x0 > 0.25 * box.width and mark.y1 - mark.y0 > 0.25 * box.height
    beyond = mark.x1 - mark.x0 > 1.2 * box.width or mark.y1 - mark.y0 > 1.2 * box.height
    if not large or beyond or mark.filled or not mark.stroked:
        return False
    down = [r.x0 for r in page.rules if r.edge and not r.horizontal and _same(r.y0, r.y1, mark.y0, mark.y1)]
    across = [r.y0 for r in page.rules if r.edge and r.horizontal and _same(r.x0, r.x1, mark.x0, mark.x1)]
    return not (_reached(down, mark.x0, mark.x1) or _reached(across, mark.y0, mark.y1))


def _reached(levels: Sequence[float], *ends: float) -> bool:
    return all(any(abs(level - end) < 2 for level in levels) for end in ends)


def _same(low: float, high: float, start: float, end: float) -> bool:
    return abs(low - start) < 2 and abs(high - end) < 2


def _centre_in(mark: Edges | Drawing, box: Edges) -> bool:
    x, y = (mark.x0 + mark.x1) / 2, (mark.y0 + mark.y1) / 2
    return box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1


def is_table(grid: Grid, caption: Caption | None) -> bool:
    """Whether a grid that was read is a table and not a box, a chart or a form of running text."""
    if caption:
        return grid.rows >= 2 and (grid.columns >= 2 or grid.rows >= 3)
    texts = [c.text for c in grid.cells]
    words = sum(len(t.split()) for t in texts) / max(1, len(texts))
    return grid.rows >= 2 and grid.columns >= 2 and len(texts) >= 4 and grid.filled >= 0.35 and words < 25


def _stands_alone(grid: Grid, region: Region, page: RawPage, tokens: Sequence[Token], lines: Lines) -> bool:
    """Whether a table without a caption is one: not a chart, a program, or two columns of words."""
    if _is_chart(page, region.box, tokens):
        return False
    mine = inside(tokens, region.box)
    if sum(bool(TYPEWRITER.search(t.words[0].font)) for t in mine) > 0.8 * len(mine):
        return False
    full = sum(len(grid.row_cells(r)) >= 2 for r in range(grid.rows))
    if full < 2:
        return False
    values = [c.text for c in grid.cells if c.col > 0]
    numeric = sum(sum(ch.isdigit() for ch in t) > 0.5 * len(t.replace(" ", "")) for t in values)
    if region.boxed and not _has_inner(region.box, lines):
        return full >= 0.6 * grid.rows and (
            numeric >= 0.3 * len(values) or (grid.columns >= 3 and grid.filled > 0.8)
        )
    return region.boxed or grid.columns >= 3 or numeric >= 0.3 * max(1, len(values))


def _has_inner(box: Edges, lines: Lines) -> bool:
    """Lines are drawn in the box, not only around it."""
    near = lines.within(box)
    across = any(box.y0 + 4 < s.at < box.y1 - 4 and s.length > 0.3 * box.width for s in near.across)
    return across or any(box.x0 + 4 < s.at < box.x1 - 4 and s.length > 0.2 * box.height for s in near.down)
