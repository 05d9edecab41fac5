"""Finding and reading all tables of a page, and which caption names them.

Whether a grid without a caption is a table, and not a chart, a program, a list of references or a form of
prose, boosted trees tell by its cells, its place and what is drawn in it (`training/table_regions.py`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from quire import trees
from quire.pdf.captions import Caption
from quire.pdf.geometry import (
    LARGER,
    MASTHEAD,
    SMALLER,
    around,
    centre_in,
    overlap,
    shared_height,
    shared_width,
)
from quire.pdf.layout.profile import Profile
from quire.pdf.raw import Edges, RawPage, typed
from quire.pdf.tables.grid import FoundTable, Grid, whole_on_page
from quire.pdf.tables.reading import MARK, read_parts, read_whole, text_of
from quire.pdf.tables.regions import (
    TablePage,
    beside_captions,
    drawn_regions,
    framed_by_caption,
    grown,
    loose_regions,
    table_page,
)
from quire.pdf.tables.rules import lines_of
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
from quire.trees import Floats

NEAR, FAR = 60.0, 90.0  # points between a table and its caption, FAR where no other table wants it
_NAMED = 20.0  # points between a caption of something else and what is no table then
_TYPED = 0.5  # share of the characters in typewriter type, in a program
_TABLE = 0.5  # from which on a grid without a caption is a table
_PART = 0.7  # of the height of all that follows, which a table read in part does not reach


def read(page: RawPage, box: Edges) -> Grid | None:
    """The grid of the table that is known to stand in `box`."""
    return read_whole(with_turned_heads(inside(tokens_of(page), box), page, box), lines_of(page), box)


def _grid(scene: TablePage, box: Edges) -> Grid | None:
    """The grid of the table in a box, outside of captions."""
    upright = without_notes(inside(scene.tokens, box), box)
    if len(upright) < 4:
        return None
    mine = with_turned_heads(upright, scene.page, box)
    grid = read_whole(mine, scene.lines, box)
    return replace(grid, box=around(mine)) if grid else None


def _found(scene: TablePage, box: Edges, caption: Caption | None = None) -> list[FoundTable]:
    """What is read in a box, as a table under that caption."""
    grid = _grid(scene, box)
    return [FoundTable(scene.page.number, grid, caption)] if grid else []


def _judged(scene: TablePage, table: FoundTable, box: Edges) -> FoundTable | None:
    """What is read in a box, without a caption, if the trees take it for a table, with how surely."""
    if table.grid.rows < 2 or table.grid.columns < 2:
        return None
    odds = trees.load_trees("quire.pdf", f"data/{WEIGHTS}").scores(describe(scene, table.grid, box))[0]
    sure = 1 / (1 + math.exp(-float(odds)))
    return replace(table, confidence=round(sure, 3)) if sure > _TABLE else None


def find(page: RawPage, captions: Sequence[Caption], profile: Profile) -> list[FoundTable]:
    """The upright tables of a page, from top to bottom."""
    scene = table_page(page, captions, profile)
    if not scene.tokens:
        return []
    drawn = drawn_regions(scene)
    walls = [c.box for c in captions] + drawn
    own = [c for c in captions if c.kind in ("table", "either")]
    found = _between_lines(scene, drawn, walls, own)
    waiting = [c for c in captions if c.kind == "table" and all(f.caption is not c for f in found)]
    for caption, box in beside_captions(scene, waiting, [f.box for f in found]):
        found += _found(scene, box, caption)
    for caption in waiting:
        framed = framed_by_caption(scene, caption)
        if framed and all(f.caption is not caption for f in found):
            read_here = _found(scene, framed, caption)
            found += [t for t in read_here if not any(overlap(t.box, f.box) > 0 for f in found)]
    for box in loose_regions(scene, [f.box for f in found]):
        judged = (_judged(scene, table, box) for table in _found(scene, box))
        found += filter(None, judged)
    found = [_continued(table, found, scene) for table in found]
    found = [t for t in found if t.caption or not any(f.caption and overlap(t.box, f.box) > 0 for f in found)]
    late = _named_late(found, own, scene.tokens)
    found = [replace(t, caption=late.get(i, t.caption)) for i, t in enumerate(found)]
    found = whole_on_page(found, partial(_grid, scene), walls)
    found = [t for t in found if t.caption or not _is_other(t, scene)]
    parts = [part for table in found for part in _parts(table, scene)]
    return sorted(parts, key=lambda f: (f.box.y0, f.box.x0))


def _between_lines(
    scene: TablePage, drawn: Sequence[Edges], walls: Sequence[Edges], own: Sequence[Caption]
) -> list[FoundTable]:
    """The tables that lines tell: under a caption whatever has rows, else what looks like one."""
    others = [c for c in scene.captions if c.kind == "other"]
    boxes = [grown(scene, box, [w for w in walls if w is not box]) for box in drawn]
    read_here = [
        (box, table)
        for box in boxes
        if not any(_reaches(box, c, scene.tokens, _NAMED) for c in others)
        for table in _found(scene, box)
    ]
    names = _matched([box for box, _ in read_here], own, scene.tokens)
    found = []
    for i, (box, table) in enumerate(read_here):
        caption, grid = names.get(i), table.grid
        least = grid.rows >= 2 and (grid.columns >= 2 or grid.rows >= 3)
        if caption and least:
            found.append(replace(table, caption=caption))
        elif not caption and (judged := _judged(scene, table, box)):
            found.append(judged)
    return found


def _continued(table: FoundTable, every: Sequence[FoundTable], scene: TablePage) -> FoundTable:
    """The part of a table under "Table 1, continued": all that follows on a page without running text."""
    caption = table.caption
    if caption is None or not caption.continued or any(t.caption not in (None, caption) for t in every):
        return table
    below = [t for t in scene.tokens if t.baseline > caption.box.y1]
    box = around(below)
    body = [row for row in rows_of(below) if row.size > SMALLER * scene.profile.size]
    if any(prose_row(row, box.x0, box.x1) for row in body):
        return table
    grid = _grid(scene, box)
    whole = grid and grid.columns >= table.grid.columns and table.box.height < _PART * grid.box.height
    return replace(table, grid=grid) if grid and whole else table


def candidates(scene: TablePage) -> Iterator[tuple[Grid, Edges]]:
    """All that might be a table without a caption, whether it is one or not: what the trees learn from."""
    drawn = drawn_regions(scene)
    for box in (*drawn, *loose_regions(scene, drawn)):
        if grid := _grid(scene, box):
            yield grid, box


def _parts(table: FoundTable, scene: TablePage) -> list[FoundTable]:
    """A captioned table, or its parts (a), (b) as tables under the same caption."""
    caption, box = table.caption, table.box
    marked = caption and any(MARK.match(c.text) for c in table.grid.cells)
    if caption is None or not marked:
        return [table]
    parts = []
    for mark, grid in read_parts(inside(scene.tokens, box), scene.lines, box):
        text = f"{caption.text} {text_of(mark)}" if mark else caption.text
        grid = replace(grid, box=around(cell.box for cell in grid.cells if cell.box))
        parts.append(replace(table, grid=grid, caption=replace(caption, text=text)))
    return parts if len(parts) > 1 else [table]


def _is_other(table: FoundTable, scene: TablePage) -> bool:
    """Cells without a caption that are a masthead, a list of contents, or what a program reads or prints."""
    page, box = scene.page, table.box
    above = page.number == 1 and box.y1 < MASTHEAD * page.height
    masthead = above and any(p.size > LARGER * scene.profile.size and p.y0 > box.y1 for p in page.lines)
    contents = any(CONTENTS & named(cell.text) for cell in table.grid.row_cells(0))
    words = [word for token in inside(scene.tokens, box) for word in token.words]
    return masthead or contents or typed(words) > _TYPED


def _gap(box: Edges, caption: Caption) -> float:
    """How far a caption stands above or below a table."""
    return max(box.y0 - caption.box.y1, caption.box.y0 - box.y1)


def _reaches(box: Edges, caption: Caption, tokens: Sequence[Token], reach: float = NEAR) -> bool:
    """Whether a caption stands above or below a table, with no more than some lines of text in between."""
    if shared_width(box, caption.box) < 0.3 * min(box.width, caption.box.width):
        return False
    if not -12 <= _gap(box, caption) < reach:
        return False
    upper, lower = (box, caption.box) if caption.box.y0 > box.y0 else (caption.box, box)
    between = Edges(box.x0, upper.y1 + 2, box.x1, lower.y0 - 2)
    return between.height <= 0 or len(rows_of(inside(tokens, between, slack=0))) <= 3


def _side_gap(box: Edges, caption: Edges) -> float | None:
    """How far a caption stands to the left or right of a table, if it does."""
    beside = shared_height(box, caption) > 0.5 * min(box.height, caption.height)
    gap = max(box.x0 - caption.x1, caption.x0 - box.x1)
    return max(gap, 0.0) if beside and -2 < gap < NEAR else None


def _paired(offers: Iterable[tuple[float, int, Caption]]) -> dict[int, Caption]:
    """The caption of each table by its number, from offers (distance, number, caption), the nearest first."""
    pairs: dict[int, Caption] = {}
    for _, i, caption in sorted(offers, key=lambda offer: (*offer[:2], offer[2].box)):
        if i not in pairs and not any(caption is other for other in pairs.values()):
            pairs[i] = caption
    return pairs


def _matched(
    boxes: Sequence[Edges], captions: Sequence[Caption], tokens: Sequence[Token]
) -> dict[int, Caption]:
    """One caption at most for each table: the nearest, from below or from above, whichever names most."""
    offers = [
        (_gap(box, c), i, c) for i, box in enumerate(boxes) for c in captions if _reaches(box, c, tokens)
    ]
    below = [(gap, i, c) for gap, i, c in offers if c.box.y0 > (boxes[i].y0 + boxes[i].y1) / 2]
    above = [offer for offer in offers if offer not in below]
    return max(
        (_paired(offers), _paired(below), _paired(above)),
        key=lambda pairs: (len(pairs), -sum(_gap(boxes[i], c) for i, c in pairs.items())),
    )


def _named_late(
    found: Sequence[FoundTable], captions: Sequence[Caption], tokens: Sequence[Token]
) -> dict[int, Caption]:
    """The captions that are left for tables without one: further off, or beside."""
    offers = []
    for caption in captions:
        if any(caption is table.caption for table in found):
            continue
        for i, table in enumerate(found):
            cost = _side_gap(table.box, caption.box)
            if cost is None and _reaches(table.box, caption, tokens, FAR):
                cost = _gap(table.box, caption)
            if table.caption is None and cost is not None:
                offers.append((cost, i, caption))
    return _paired(offers)


WEIGHTS = "table_regions.npz"
_COUNT = re.compile(r"^[(\[]?(?:\d{1,3}|[a-z]|[ivx]+)[)\].]?$|^[•▪■–—-]$")


def describe(scene: TablePage, grid: Grid, box: Edges) -> Floats:
    """The features of one candidate, as a matrix of one row."""
    values = (*_cells(grid), *_place(scene, grid, box), *_drawn(scene, box))
    return np.asarray([values], dtype=np.float32)


def _cells(grid: Grid) -> tuple[float, ...]:
    texts = [c.text for c in grid.cells]
    count = max(1, len(texts))
    words = sorted(len(t.split()) for t in texts) or [0]
    body = [c for c in grid.cells if c.col > 0]
    numeric = [c for c in body if sum(ch.isdigit() for ch in c.text) > 0.5 * len(c.text.replace(" ", ""))]
    first = [c.text for c in grid.cells if c.col == 0]
    per_row = Counter(c.row for c in grid.cells).values()
    return (
        grid.rows,
        grid.columns,
        grid.filled,
        sum(words) / count,
        words[len(words) // 2],
        words[-1],
        len(numeric) / max(1, len(body)),
        sum(n >= 2 for n in per_row) / grid.rows,
        sum(n >= 3 for n in per_row) / grid.rows,
        sum(bool(_COUNT.match(t.strip())) for t in first) / max(1, len(first)),
        sum(t[:1].islower() for t in texts) / count,
        sum(t.rstrip()[-1:] in ".;," for t in texts) / count,
        sum("=" in t or "@" in t or "http" in t for t in texts) / count,
        sum(sum(not ch.isalnum() and not ch.isspace() for ch in t) > 0.5 * len(t) for t in texts) / count,
        sum(c.bold for c in grid.cells) / count,
        sum(c.col_end > c.col for c in grid.cells) / count,
    )


def _place(scene: TablePage, grid: Grid, box: Edges) -> tuple[float, ...]:
    page, tokens, profile = scene.page, scene.tokens, scene.profile
    mine = inside(tokens, box)
    rows = rows_of(mine)
    steps = sorted((b.baseline - a.baseline) / max(a.size, 1.0) for a, b in zip(rows, rows[1:], strict=False))
    sizes = sorted(t.size for t in mine) or [profile.size]
    beside = sum(
        box.y0 < t.baseline < box.y1 and (box.x0 - 40 < t.x1 < box.x0 - 1 or box.x1 + 1 < t.x0 < box.x1 + 40)
        for t in tokens
    )
    return (
        box.width / page.width,
        box.height / page.height,
        box.y0 / page.height,
        steps[len(steps) // 2] if steps else 0.0,
        steps[0] if steps else 0.0,
        sizes[len(sizes) // 2] / max(1.0, profile.size),
        (sizes[-1] - sizes[0]) / max(1.0, profile.size),
        beside / max(1, len(rows)),
        len(mine) / max(1.0, box.width * box.height / 1000),
        _ragged(grid),
    )


def _ragged(grid: Grid) -> float:
    """Share of columns whose cells line up neither at an edge nor at the middle."""
    ragged = 0
    for column in range(grid.columns):
        boxes = [c.box for c in grid.cells if c.box and c.col == c.col_end == column]
        if len(boxes) < 3:
            continue
        sides = ([b.x0 for b in boxes], [b.x1 for b in boxes], [(b.x0 + b.x1) / 2 for b in boxes])
        spread = min(_middle_spread(side) for side in sides)
        ragged += spread > 4.0
    return ragged / max(1, grid.columns)


def _middle_spread(values: Sequence[float]) -> float:
    """How far the middle half of the values is spread, in points."""
    ordered = sorted(values)
    return ordered[3 * len(ordered) // 4] - ordered[len(ordered) // 4]


def _drawn(scene: TablePage, box: Edges) -> tuple[float, ...]:
    near, page = scene.lines.within(box), scene.page
    across = sum(box.y0 + 4 < s.at < box.y1 - 4 and s.length > 0.3 * box.width for s in near.across)
    down = sum(box.x0 + 4 < s.at < box.x1 - 4 and s.length > 0.2 * box.height for s in near.down)
    every = (*page.drawings, *page.pictures)
    art = [d for d in every if d.width > 4 and d.height > 4 and centre_in(d, box)]
    words = [((t.x0 + t.x1) / 2, t.middle) for t in inside(scene.tokens, box)] if art else []
    bare = [d for d in art[:400] if not any(d.x0 <= x <= d.x1 and d.y0 <= y <= d.y1 for x, y in words)]
    area = sum(d.width * d.height for d in bare) / max(1.0, box.width * box.height)
    return (across, down, len(near.across), len(art), len(bare), area)
