r"""Train the trees that tell which strips of a table part columns (`quire.pdf.tables.columns`).

    python -m training.table_columns --renders DIR \
        [--facts FACTS.jsonl=PDFS] [--icdar DIR] --cache FILE [--write]

DIR holds what `training/table_renders.py` wrote: there every word's cell is known. In articles and files of
the ICDAR-2013 competition the strips are taken from tables that are read without a fault. Needs what
`training/table_joins.py` needs.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables import read
from quire.pdf.tables.columns import WEIGHTS, Band, Strip, band, features, sides, strips_of
from quire.pdf.tables.rules import levels, lines_of
from quire.pdf.tables.tokens import Token, TokenRow, inside, rows_of, tokens_of
from training.table_joins import RENDERED, Sample, Told, bare, rendered, report, run, told

WELL = 0.95  # F1 of the cells of a table whose reading tells where its columns are
Known = Callable[[Token], tuple[int, int] | None]  # the columns of a word's cell, first and last


def bands(page: RawPage, box: Edges) -> list[tuple[Band, float, float]]:
    """The parts of a table between drawn lines, as `columns.separators` reads them."""
    near = lines_of(page).within(box)
    rows: list[TokenRow] = rows_of(inside(tokens_of(page), box))
    if not rows:
        return []
    left, right = min(r.x0 for r in rows), max(r.x1 for r in rows)
    drawn = [x for x in levels(near.down) if left + 1 < x < right - 1]
    edges = [left - 5, *drawn, right + 5]
    made = [(band(rows, a, b, framed=bool(drawn)), a, b) for a, b in zip(edges, edges[1:], strict=False)]
    return [(own, a, b) for own, a, b in made if own]


def sample(page: RawPage, box: Edges, known: Known, group: str) -> Sample | None:
    """The strips of a table, each beside the right ones among those that come before it."""
    rows: list[list[float]] = []
    labels: list[bool] = []
    for own, low, high in bands(page, box):
        found: list[float] = []
        for strip in strips_of(own):
            left = max((x for x in found if x < strip.middle), default=low - 1)
            right = min((x for x in found if x > strip.middle), default=high + 1)
            label = _label(own, strip, left, right, known)
            if label is None:
                continue
            rows.append(features(own, strip, left, right))
            labels.append(label)
            if label:
                found.append(strip.middle)
    if not rows:
        return None
    return Sample(group, np.asarray(rows, np.float32), np.asarray(labels, np.float32))


def _label(own: Band, strip: Strip, low: float, high: float, known: Known) -> bool | None:
    """Whether a strip parts columns: most rows have different cells at its sides."""
    near = sides(own, strip, low, high)
    apart = together = 0
    for a, b in near.both:
        one, other = known(a), known(b)
        if one and other:
            apart += one[1] < other[0]
            together += one == other and one[0] == one[1]
    for word in near.across:
        cell = known(word)
        together += cell is not None and cell[0] == cell[1]
    if apart or together:
        return apart > together
    left = [c for t in near.left if (c := known(t)) and c[0] == c[1]]
    right = [c for t in near.right if (c := known(t)) and c[0] == c[1]]
    if left and right:
        return max(c[1] for c in left) < min(c[0] for c in right)
    return None


def within(cells: Sequence[tuple[Edges, tuple[int, int]]]) -> Known:
    """The columns of words by the boxes of the cells."""

    def known(token: Token) -> tuple[int, int] | None:
        x, y = (token.x0 + token.x1) / 2, token.baseline - 0.27 * token.size
        return next((c for b, c in cells if b.x0 - 1 < x < b.x1 + 1 and b.y0 - 1 < y < b.y1 + 1), None)

    return known


def read_well(table: Told) -> Known | None:
    """The columns of words as this version reads them, if that gives the cells that are known."""
    grid = read(table.page, table.box)
    if grid is None:
        return None
    own = Counter(b for c in grid.cells if (b := bare(c.text)))
    gold = Counter(b for c in table.cells if (b := bare(c)))
    counted = sum(min(n, max(own[text], 1)) for text, n in gold.items())  # spans are repeated in facts
    if 2 * (own & gold).total() < WELL * (own.total() + counted):
        return None
    return within([(c.box, (c.col, c.col_end)) for c in grid.cells if c.box])


def collect(options: argparse.Namespace) -> list[Sample]:
    """All samples of the named files."""
    samples: list[Sample | None] = []
    for page, facts in rendered(options.renders):
        known = within([(Edges(*c["box"]), (c["col"], c["col_end"])) for c in facts["cells"]])
        if own := sample(page, Edges(*facts["box"]), known, facts["class"]):
            samples.append(replace(own, weight=RENDERED))
    for table in told(options):
        if known_words := read_well(table):
            samples.append(sample(table.page, table.box, known_words, table.group))
    return [s for s in samples if s is not None]


if __name__ == "__main__":
    run(__doc__, collect, report, WEIGHTS)
