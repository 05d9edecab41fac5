"""Whether a grid without a caption is a table: not a chart, a program, a list of references, a form of prose.

Boosted trees judge features of its cells, its place and what is drawn in it; they are trained by
`training/table_regions.py`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from quire import trees
from quire.pdf.geometry import centre_in, edges_of
from quire.pdf.layout.profile import Profile
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables.grid import Grid
from quire.pdf.tables.regions import DrawnLines
from quire.pdf.tables.tokens import Token, inside, rows_of
from quire.trees import Floats

WEIGHTS = "table_regions.npz"
_COUNT = re.compile(r"^[(\[]?(?:\d{1,3}|[a-z]|[ivx]+)[)\].]?$|^[•▪■–—-]$")


def plausibility(
    grid: Grid, box: Edges, page: RawPage, tokens: Sequence[Token], lines: DrawnLines, profile: Profile
) -> float:
    """How surely the trees take it for a table, 0 to 1; from a half on it is one."""
    if grid.rows < 2 or grid.columns < 2:
        return 0.0
    features = describe(grid, box, page, tokens, lines, profile)
    odds = float(trees.load_trees("quire.pdf", f"data/{WEIGHTS}").scores(features)[0])
    return 1 / (1 + math.exp(-odds))


def describe(
    grid: Grid, box: Edges, page: RawPage, tokens: Sequence[Token], lines: DrawnLines, profile: Profile
) -> Floats:
    """The features of one candidate, as a matrix of one row."""
    values = (
        *_cells(grid),
        *_place(grid, box, page, tokens, profile),
        *_drawn(box, page, tokens, lines),
    )
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


def _place(
    grid: Grid, box: Edges, page: RawPage, tokens: Sequence[Token], profile: Profile
) -> tuple[float, ...]:
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


def _drawn(box: Edges, page: RawPage, tokens: Sequence[Token], lines: DrawnLines) -> tuple[float, ...]:
    near = lines.within(box)
    across = sum(box.y0 + 4 < s.at < box.y1 - 4 and s.length > 0.3 * box.width for s in near.across)
    down = sum(box.x0 + 4 < s.at < box.x1 - 4 and s.length > 0.2 * box.height for s in near.down)
    every = (*map(edges_of, page.drawings), *page.pictures)
    art = [d for d in every if d.width > 4 and d.height > 4 and centre_in(d, box)]
    words = [((t.x0 + t.x1) / 2, t.middle) for t in inside(tokens, box)] if art else []
    bare = [d for d in art[:400] if not any(d.x0 <= x <= d.x1 and d.y0 <= y <= d.y1 for x, y in words)]
    area = sum(d.width * d.height for d in bare) / max(1.0, box.width * box.height)
    return (across, down, len(near.across), len(art), len(bare), area)
