"""Finding and reading all tables of a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from quire.documents.captions import Caption
from quire.documents.layout.profile import Profile
from quire.documents.raw import Edges, RawPage
from quire.documents.tables.borderless import beside_captions, grown, gutters
from quire.documents.tables.grid import Grid, stacked, to_html
from quire.documents.tables.naming import matched, named_late, nearest
from quire.documents.tables.numeric import loose_regions
from quire.documents.tables.parts import divided, read_parts
from quire.documents.tables.plausible import is_plausible
from quire.documents.tables.prose import without_notes
from quire.documents.tables.regions import (
    Lines,
    Region,
    drawn_regions,
    framed_by_caption,
    lines_of,
    overlap,
)
from quire.documents.tables.tokens import (
    Token,
    box_of,
    inside,
    tokens_of,
    with_turned_heads,
    with_typed_words,
)
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
    tokens = with_turned_heads(with_typed_words(inside(tokens_of(page), box)), page, box)
    return read_parts(tokens, lines.across, lines.down, box)


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
    drawn = drawn_regions(lines, free, captions, gutters(page))
    walls = [c.box for c in captions] + [r.box for r in drawn]
    read_here = [
        (region, grid)
        for region in (grown(r, lines, free, [w for w in walls if w is not r.box]) for r in drawn)
        if not nearest(region.box, others, free, reach=20)
        and (grid := _read_region(region, free, lines, page))
        and not _is_front(grid)
    ]
    either = [c for c in captions if c.kind == "either"]
    named = matched([region.box for region, _ in read_here], own + either, free)
    found = [
        FoundTable(page.number, grid.box, grid, caption)
        for (region, grid), caption in zip(read_here, named, strict=True)
        if (is_table(grid) if caption else is_plausible(grid, region, page, free, lines, profile))
    ]
    waiting = [c for c in own if not any(f.caption is c for f in found)]
    for caption, region in beside_captions(waiting, free, [f.box for f in found], captions, page):
        grid = _read_region(region, free, lines, page)
        if grid and grid.columns >= 2 and grid.rows >= 2:
            found.append(FoundTable(page.number, grid.box, grid, caption))
    for caption in [c for c in own if not any(f.caption is c for f in found)]:
        framed = framed_by_caption(caption, lines, captions)
        grid = _read_region(framed, free, lines, page) if framed else None
        if grid and not any(overlap(grid.box, f.box) > 0 for f in found):
            found.append(FoundTable(page.number, grid.box, grid, caption))
    for region in loose_regions(free, [f.box for f in found], captions, page):
        grid = _read_region(region, free, lines, page)
        if grid and is_plausible(grid, region, page, free, lines, profile):
            found.append(FoundTable(page.number, grid.box, grid, None))
    late = named_late([f.box for f in found], [f.caption for f in found], own + either, free)
    found = [replace(table, caption=caption) for table, caption in zip(found, late, strict=True)]
    parts = [part for table in found for part in _parts(table, free)]
    return sorted(parts, key=lambda f: (f.box.y0, f.box.x0))


def candidates(
    page: RawPage, captions: Sequence[Caption]
) -> Iterator[tuple[Region, Grid, Sequence[Token], Lines]]:
    """All that might be a table without a caption, whether it is one or not: what the trees learn from."""
    lines = lines_of(page)
    taken = _caption_tokens(page, captions)
    free = [t for t in tokens_of(page) if id(t.words[0]) not in taken]
    drawn = drawn_regions(lines, free, captions, gutters(page))
    for region in (*drawn, *loose_regions(free, [r.box for r in drawn], captions, page)):
        if grid := _read_region(region, free, lines, page):
            yield region, grid, free, lines


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


def _read_region(region: Region, tokens: Sequence[Token], lines: Lines, page: RawPage) -> Grid | None:
    upright = without_notes(inside(tokens, region.box), region.box)
    if len(upright) < 4:
        return None
    mine = with_turned_heads(with_typed_words(upright), page, region.box)
    near = lines.within(region.box)
    grid = read_parts(mine, near.across, near.down, region.box)
    return replace(grid, box=box_of(mine)) if grid else None


def _is_front(grid: Grid) -> bool:
    """A page's front matter between lines: "Article info" and "Abstract" side by side."""
    return any(_FRONT.match(re.sub(r"\W", "", cell.text)) for cell in grid.cells if cell.row == 0)


def is_table(grid: Grid) -> bool:
    """Whether a grid under a caption has the least that a table has."""
    return grid.rows >= 2 and (grid.columns >= 2 or grid.rows >= 3)
