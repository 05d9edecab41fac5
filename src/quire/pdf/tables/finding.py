"""Finding and reading all tables of a page, and which caption names them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from quire.pdf.captions import Caption
from quire.pdf.geometry import (
    LARGER,
    MASTHEAD,
    SMALLER,
    around,
    overlap,
    shared_height,
    shared_width,
)
from quire.pdf.layout.profile import Profile
from quire.pdf.raw import Edges, RawPage, typed
from quire.pdf.tables.borderless import beside_captions, grown, loose_regions
from quire.pdf.tables.grid import Grid
from quire.pdf.tables.parts import FoundTable, whole_on_page
from quire.pdf.tables.plausible import is_plausible
from quire.pdf.tables.reading import divided, read_parts
from quire.pdf.tables.regions import DrawnLines, Region, drawn_regions, framed_by_caption, lines_of
from quire.pdf.tables.tokens import (
    Token,
    inside,
    prose_row,
    rows_of,
    tokens_of,
    with_turned_heads,
    without_notes,
)
from quire.pdf.vocabulary import CONTENTS, named

_FRONT = re.compile(r"^(?:abstract|articleinfo(?:rmation)?|highlights|articlehistory)", re.IGNORECASE)
FAR = 90.0  # points between a table and its caption where nothing else stands between them
_TYPED = 0.5  # share of the characters in typewriter type, in a program
_PART = 0.7  # of the height of all that follows, which a table read in part does not reach
BESIDE = 40.0  # points between a table and a caption in the margin beside it


def read(page: RawPage, box: Edges) -> Grid | None:
    """The grid of the table that is known to stand in `box`."""
    lines = lines_of(page).within(box)
    tokens = with_turned_heads(inside(tokens_of(page), box), page, box)
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
    drawn = drawn_regions(lines, free, captions, page.gutters)
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
        if grid:
            found.append(FoundTable(page.number, grid.box, grid, caption))
    for caption in [c for c in own if not any(f.caption is c for f in found)]:
        framed = framed_by_caption(caption, lines)
        grid = _read_region(framed, free, lines, page) if framed else None
        if grid and not any(overlap(grid.box, f.box) > 0 for f in found):
            found.append(FoundTable(page.number, grid.box, grid, caption))
    for region in loose_regions(free, [f.box for f in found], page):
        grid = _read_region(region, free, lines, page)
        if grid and is_plausible(grid, region, page, free, lines, profile):
            found.append(FoundTable(page.number, grid.box, grid, None))
    found = [_continued(table, found, free, lines, page, profile) for table in found]
    found = [t for t in found if t.caption or not any(f.caption and overlap(t.box, f.box) > 0 for f in found)]
    late = named_late([f.box for f in found], [f.caption for f in found], own + either, free)
    found = [replace(table, caption=caption) for table, caption in zip(found, late, strict=True)]
    found = whole_on_page(found, lambda box: _read_region(Region(box, False), free, lines, page), walls)
    found = [table for table in found if table.caption or not _is_other(table, free, page, profile)]
    parts = [part for table in found for part in _parts(table, free)]
    return sorted(parts, key=lambda f: (f.box.y0, f.box.x0))


def _continued(
    table: FoundTable,
    every: Sequence[FoundTable],
    tokens: Sequence[Token],
    lines: DrawnLines,
    page: RawPage,
    profile: Profile,
) -> FoundTable:
    """The part of a table under "Table 1, continued": all that follows on a page without running text."""
    caption = table.caption
    if caption is None or not caption.continued or any(t.caption not in (None, caption) for t in every):
        return table
    below = [t for t in tokens if t.baseline > caption.box.y1]
    rows = rows_of(below)
    size = SMALLER * profile.size
    low, high = min(t.x0 for t in below), max(t.x1 for t in below)
    if any(row.size > size and prose_row(row, low, high) for row in rows):
        return table
    grid = _read_region(Region(around(below), False), tokens, lines, page)
    whole = grid and grid.columns >= table.grid.columns and table.box.height < _PART * grid.box.height
    return replace(table, box=grid.box, grid=grid) if grid and whole else table


def candidates(
    page: RawPage, captions: Sequence[Caption]
) -> Iterator[tuple[Region, Grid, Sequence[Token], DrawnLines]]:
    """All that might be a table without a caption, whether it is one or not: what the trees learn from."""
    lines = lines_of(page)
    taken = _caption_tokens(page, captions)
    free = [t for t in tokens_of(page) if id(t.words[0]) not in taken]
    drawn = drawn_regions(lines, free, captions, page.gutters)
    for region in (*drawn, *loose_regions(free, [r.box for r in drawn], page)):
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


def _read_region(region: Region, tokens: Sequence[Token], lines: DrawnLines, page: RawPage) -> Grid | None:
    upright = without_notes(inside(tokens, region.box), region.box)
    if len(upright) < 4:
        return None
    mine = with_turned_heads(upright, page, region.box)
    near = lines.within(region.box)
    grid = read_parts(mine, near.across, near.down, region.box)
    return replace(grid, box=around(mine)) if grid else None


def _is_front(grid: Grid) -> bool:
    """A page's front matter between lines: "Article info" and "Abstract" side by side."""
    return any(_FRONT.match(re.sub(r"\W", "", cell.text)) for cell in grid.cells if cell.row == 0)


def _is_other(table: FoundTable, tokens: Sequence[Token], page: RawPage, profile: Profile) -> bool:
    """Cells without a caption that are a masthead, a list of contents, or what a program reads or prints."""
    above = page.number == 1 and table.box.y1 < MASTHEAD * page.height
    masthead = above and any(p.size > LARGER * profile.size and p.y0 > table.box.y1 for p in page.lines)
    contents = any(CONTENTS & named(cell.text) for cell in table.grid.row_cells(0))
    words = [word for token in inside(tokens, table.box) for word in token.words]
    return masthead or contents or typed(words) > _TYPED


def is_table(grid: Grid) -> bool:
    """Whether a grid under a caption has the least that a table has."""
    return grid.rows >= 2 and (grid.columns >= 2 or grid.rows >= 3)


def nearest(
    box: Edges, captions: Sequence[Caption], tokens: Sequence[Token], reach: float = 60.0
) -> Caption | None:
    """The caption right above or below a table, with nothing but a line of text in between."""
    best, distance = None, reach
    for caption in captions:
        if shared_width(box, caption.box) < 0.3 * min(box.width, caption.box.width):
            continue
        gap = max(box.y0 - caption.box.y1, caption.box.y0 - box.y1)
        if not -12 <= gap < distance:
            continue
        top, bottom = (
            sorted((box.y1, caption.box.y0)) if caption.box.y0 > box.y0 else (caption.box.y1, box.y0)
        )
        between = Edges(box.x0, top + 2, box.x1, bottom - 2)
        if between.height > 0 and len(rows_of(inside(tokens, between, slack=0))) > 3:
            continue
        best, distance = caption, gap
    return best


def matched(
    boxes: Sequence[Edges], captions: Sequence[Caption], tokens: Sequence[Token]
) -> list[Caption | None]:
    """One caption at most for each table: from above, from below or the nearest, whichever names most."""
    best: tuple[int, float] = (-1, 0.0)
    chosen: list[Caption | None] = [None] * len(boxes)
    for side in ("nearest", "below", "above"):
        pairs: list[Caption | None] = [None] * len(boxes)
        offers = []
        for i, box in enumerate(boxes):
            for caption in captions:
                under = caption.box.y0 > (box.y0 + box.y1) / 2
                if side == "nearest" or (side == "below") == under:
                    if nearest(box, [caption], tokens):
                        offers.append((_gap(box, caption), i, caption.box, caption))
        total = 0.0
        for gap, i, _, caption in sorted(offers, key=lambda o: o[:3]):
            if pairs[i] is None and not any(p is caption for p in pairs):
                pairs[i] = caption
                total += gap
        score = (sum(p is not None for p in pairs), -total)
        if score > best:
            best, chosen = score, pairs
    return chosen


def _gap(box: Edges, caption: Caption) -> float:
    return max(box.y0 - caption.box.y1, caption.box.y0 - box.y1)


def named_late(
    boxes: Sequence[Edges],
    named: Sequence[Caption | None],
    captions: Sequence[Caption],
    tokens: Sequence[Token],
) -> list[Caption | None]:
    """The names of the tables, those without one given the captions that are left: further off, or beside."""
    out = list(named)
    left = [c for c in captions if not any(c is n for n in named)]
    offers = []
    for i, box in enumerate(boxes):
        for k, caption in enumerate(left):
            cost = _side_gap(box, caption.box)
            if cost is None and nearest(box, [caption], tokens, FAR):
                cost = _gap(box, caption)
            if out[i] is None and cost is not None:
                offers.append((cost, i, k))
    for _, i, k in sorted(offers):
        if out[i] is None and not any(left[k] is n for n in out):
            out[i] = left[k]
    return out


def _side_gap(box: Edges, caption: Edges) -> float | None:
    """How far a caption stands to the left or right of a table, if it does."""
    beside = shared_height(box, caption) > 0.5 * min(box.height, caption.height)
    gap = max(box.x0 - caption.x1, caption.x0 - box.x1)
    return max(gap, 0.0) if beside and -2 < gap < BESIDE else None
