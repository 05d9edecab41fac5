"""From the words and lines inside a table's box to its grid.

Text lines are cut into pieces at the column boundaries; between two lines each column is either cut (by a
drawn line, by the distance, by what the words say) or goes on. What is not cut is one cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from quire.pdf.geometry import Groups, around
from quire.pdf.joining import join_texts, tidy
from quire.pdf.raw import Edges, joined
from quire.pdf.tables.columns import Separator, beside, column_of, separators
from quire.pdf.tables.cuts import Cut, complete, drawn_cuts, extents, head_rows, widened
from quire.pdf.tables.grid import Cell, Grid, stacked, without_empty
from quire.pdf.tables.rules import Stroke
from quire.pdf.tables.tokens import TableLine, Text, Token, TokenRow, TokenRun, rows_of

MARK = re.compile(r"^\([b-h]\)(?:\s|$)")
LEAST = 3  # rows of a part


class Prepared(NamedTuple):
    """A table's text lines over its columns, with what is drawn between them."""

    lines: list[TableLine]
    drawn: list[Cut]
    bounds: list[Separator]


def prepared(
    rows: Sequence[TokenRow], across: Sequence[Stroke], down: Sequence[Stroke], box: Edges
) -> Prepared | None:
    """The lines of a table, or None where there is nothing to read."""
    if not rows:
        return None
    bounds = separators(rows, down)
    lines = text_lines(rows, bounds)
    spread = extents(lines, bounds, box)
    drawn = drawn_cuts(lines, across, spread)
    return Prepared(widened(lines, drawn, across, bounds, spread), drawn, bounds)


def read_grid(
    rows: Sequence[TokenRow], across: Sequence[Stroke], down: Sequence[Stroke], box: Edges
) -> Grid | None:
    """The grid of a table, or None where there is nothing to read."""
    made = prepared(rows, across, down, box)
    if made is None:
        return None
    columns = len(made.bounds) + 1
    cuts = complete(made.lines, made.drawn, made.bounds, columns)
    row_of = [*accumulate((bool(cut) for cut in cuts), initial=0)]
    cells = [_cell(parts, made.lines, cuts, row_of) for parts in _parts(made.lines, cuts)]
    cells.sort(key=lambda c: (c.row, c.col))
    grid = Grid(box, row_of[-1] + 1, columns, tuple(cells))
    head = head_rows(grid, made.drawn, made.lines, row_of)
    return without_empty(replace(grid, header_rows=head))


def text_lines(rows: Sequence[TokenRow], bounds: Sequence[Separator]) -> list[TableLine]:
    """Rows as lines of texts, each with the columns that it covers."""
    xs = [s.x for s in bounds]
    lines = []
    for row in rows:
        texts: list[Text] = []
        for piece in _parted(row.pieces(beside(bounds, row)), bounds):
            first, last = column_of(piece, xs, row.size)
            if texts and texts[-1].last >= first:
                before = texts[-1]
                texts[-1] = Text(before.tokens + piece.tokens, before.first, max(last, before.last))
            else:
                texts.append(Text(piece.tokens, first, last))
        lines.append(TableLine(tuple(texts), row.baseline, row.size))
    return lines


def _parted(pieces: Sequence[TokenRun], bounds: Sequence[Separator]) -> list[TokenRun]:
    """The pieces, those parted whose words leave the strip between two columns blank, however narrow."""
    out = []
    for piece in pieces:
        start = 0
        for k, (left, right) in enumerate(pairwise(piece.tokens), start=1):
            if any(b.blank and b.blank.parts(left, right) for b in bounds):
                out.append(TokenRun(piece.tokens[start:k]))
                start = k
        out.append(TokenRun(piece.tokens[start:]))
    return out


def _parts(lines: Sequence[TableLine], cuts: Sequence[Cut]) -> list[list[tuple[int, Text]]]:
    """The texts (with their line) of each cell: those of neighbouring lines that no cut parts."""
    texts = [(i, text) for i, line in enumerate(lines) for text in line.texts]
    cells = Groups(len(texts))
    latest: dict[int, tuple[int, int]] = {}  # of each column: the number of a text, and its line
    for number, (i, text) in enumerate(texts):
        for column in range(text.first, text.last + 1):
            above, line = latest.get(column, (number, i))
            if not any(column in cuts[k] for k in range(line, i)):
                cells.join(above, number)
            latest[column] = (number, i)
    return [[texts[k] for k in members] for members in cells.members()]


def _cell(
    parts: list[tuple[int, Text]], lines: Sequence[TableLine], cuts: Sequence[Cut], row_of: Sequence[int]
) -> Cell:
    parts = sorted(parts, key=lambda p: (p[0], p[1].first))
    first, last = min(t.first for _, t in parts), max(t.last for _, t in parts)
    top, bottom = parts[0][0], parts[-1][0]
    # The cell reaches over the lines around it that no cut parts from it.
    while top > 0 and cuts[top - 1].isdisjoint(range(first, last + 1)):
        top -= 1
    while bottom < len(lines) - 1 and cuts[bottom].isdisjoint(range(first, last + 1)):
        bottom += 1
    tokens = [token for _, t in parts for token in t.tokens]
    words = [w for token in tokens for w in token.words]
    per_line: dict[int, list[str]] = {}
    for i, part in parts:
        per_line.setdefault(i, []).append(joined([w for token in part.tokens for w in token.words]))
    text = tidy(join_texts([" ".join(pieces) for pieces in per_line.values()]))
    bold = sum(w.bold for w in words) > len(words) / 2
    return Cell(row_of[top], first, row_of[bottom], last, text, bold, around(tokens))


def read_whole(
    tokens: Sequence[Token], across: Sequence[Stroke], down: Sequence[Stroke], box: Edges
) -> Grid | None:
    """The grid of a table; its parts are read one by one and stand in it below each other."""
    whole: Grid | None = None
    for mark, grid in read_parts(tokens, across, down, box):
        whole = stacked(_titled(whole, mark) if mark else whole, grid) if whole else grid
    return replace(whole, box=box) if whole else None


def read_parts(
    tokens: Sequence[Token], across: Sequence[Stroke], down: Sequence[Stroke], box: Edges
) -> list[tuple[TokenRow | None, Grid]]:
    """The parts (a), (b) of a table, each with the row of its mark; most are one without a mark."""
    rows = rows_of(tokens)
    marks = [k for k, row in enumerate(rows) if _is_mark(row, box)]
    edges = [-1, *marks, len(rows)]
    if any(b - a <= LEAST for a, b in pairwise(edges)):
        edges = [-1, len(rows)]
    found = []
    for start, end in pairwise(edges):
        top = rows[start].y1 if start >= 0 else box.y0
        bottom = rows[end].y0 if end < len(rows) else box.y1
        near = [s for s in across if len(edges) == 2 or top - 2 <= s.at <= bottom + 2]
        beside = [s for s in down if len(edges) == 2 or (s.low < bottom and s.high > top)]
        grid = read_grid(rows[start + 1 : end], near, beside, Edges(box.x0, top, box.x1, bottom))
        if grid:
            found.append((rows[start] if start >= 0 else None, grid))
    return found


def _is_mark(row: TokenRow, box: Edges) -> bool:
    """A mark alone in the middle of its row, not a label in the first column."""
    alone = len(row.cells) == 1 and row.x0 > box.x0 + 0.15 * box.width
    return alone and bool(MARK.match(text_of(row)))


def _titled(grid: Grid, row: TokenRow) -> Grid:
    title = Cell(grid.rows, 0, grid.rows, grid.columns - 1, text_of(row), box=around(row.tokens))
    return replace(grid, rows=grid.rows + 1, cells=(*grid.cells, title))


def text_of(row: TokenRow) -> str:
    """A row as readable text."""
    return joined([w for t in row.tokens for w in t.words])
