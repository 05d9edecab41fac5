"""From the words and lines inside a table's box to its grid.

Text lines are cut into pieces at the column boundaries. A cut stands between two text lines and names the
columns that it parts (by a drawn line, by the distance, by what the words say): all of them for most rows,
only those under a short line for a head with spans. No columns: both lines belong to one row. What is not cut
is one cell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise, product
from typing import NamedTuple

from quire.pdf.geometry import Groups, around
from quire.pdf.joining import join_texts, tidy
from quire.pdf.raw import Edges, joined
from quire.pdf.tables.columns import Separator, beside, column_of, separators
from quire.pdf.tables.grid import Cell, Grid, stacked, without_empty
from quire.pdf.tables.joins import bands_of, labelled_rows, row_breaks
from quire.pdf.tables.rules import DrawnLines, Stroke
from quire.pdf.tables.tokens import TableLine, Text, Token, TokenRow, TokenRun, rows_of

MARK = re.compile(r"^\([b-h]\)(?:\s|$)")
LEAST = 3  # rows of a part
FAR = 1.6  # em between lines of a head that are rows of their own
_YEAR = re.compile(r"(?:1[89]|20)\d\d")

Cut = frozenset[int]
"""The columns parted between a line and the next; empty where nothing parts them."""


class Prepared(NamedTuple):
    """A table's text lines over its columns, with what is drawn between them."""

    lines: list[TableLine]
    drawn: list[Cut]
    bounds: list[Separator]

    @property
    def columns(self) -> int:
        """How many."""
        return len(self.bounds) + 1


def prepared(rows: Sequence[TokenRow], near: DrawnLines, box: Edges) -> Prepared | None:
    """The lines of a table, or None where there is nothing to read."""
    if not rows:
        return None
    bounds = separators(rows, near.down)
    lines = text_lines(rows, bounds)
    spread = extents(lines, bounds, box)
    made = Prepared(lines, drawn_cuts(lines, near.across, spread), bounds)
    return made._replace(lines=widened(made, near.across, spread))


def read_grid(rows: Sequence[TokenRow], near: DrawnLines, box: Edges) -> Grid | None:
    """The grid of a table, or None where there is nothing to read."""
    made = prepared(rows, near, box)
    if made is None:
        return None
    cuts = complete(made)
    row_of = [*accumulate((bool(cut) for cut in cuts), initial=0)]
    cells = [_cell(parts, made.lines, cuts, row_of) for parts in _parts(made.lines, cuts)]
    cells.sort(key=lambda c: (c.row, c.col))
    grid = Grid(box, row_of[-1] + 1, made.columns, tuple(cells))
    return without_empty(replace(grid, header_rows=head_rows(grid, made, row_of)))


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


def read_whole(tokens: Sequence[Token], drawn: DrawnLines, box: Edges) -> Grid | None:
    """The grid of a table; its parts are read one by one and stand in it below each other."""
    whole: Grid | None = None
    for mark, grid in read_parts(tokens, drawn, box):
        whole = stacked(_titled(whole, mark) if mark else whole, grid) if whole else grid
    return replace(whole, box=box) if whole else None


def read_parts(tokens: Sequence[Token], drawn: DrawnLines, box: Edges) -> list[tuple[TokenRow | None, Grid]]:
    """The parts (a), (b) of a table, each with the row of its mark; most are one without a mark."""
    near = drawn.within(box)
    rows = rows_of(tokens)
    marks = [k for k, row in enumerate(rows) if _is_mark(row, box)]
    edges = [-1, *marks, len(rows)]
    if any(b - a <= LEAST for a, b in pairwise(edges)):
        edges = [-1, len(rows)]
    found = []
    for start, end in pairwise(edges):
        top = rows[start].y1 if start >= 0 else box.y0
        bottom = rows[end].y0 if end < len(rows) else box.y1
        own = near if len(edges) == 2 else near.between(top, bottom)
        grid = read_grid(rows[start + 1 : end], own, Edges(box.x0, top, box.x1, bottom))
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


class Extents(NamedTuple):
    """Left and right edge of each column: as bounded, and as written."""

    bounded: list[tuple[float, float]]
    written: list[tuple[float, float]]


def extents(lines: Sequence[TableLine], bounds: Sequence[Separator], box: Edges) -> Extents:
    """Edges of the columns of a table."""
    bounded = list(pairwise((box.x0, *(s.x for s in bounds), box.x1)))
    written = []
    for column, edges in enumerate(bounded):
        texts = [t for line in lines for t in line.texts if t.first == t.last == column]
        written.append((min(t.x0 for t in texts), max(t.x1 for t in texts)) if texts else edges)
    return Extents(bounded, written)


def drawn_cuts(lines: Sequence[TableLine], across: Sequence[Stroke], spread: Extents) -> list[Cut]:
    """The cuts that drawn lines make; one for each pair of neighbouring lines."""
    cuts = []
    for above, below in pairwise(lines):
        between = [s for s in across if above.middle < s.at < below.middle]
        covered = [{*_covered(s, spread.written), *_covered(s, spread.bounded)} for s in between]
        cuts.append(frozenset[int]().union(*covered))
    return cuts


def _covered(stroke: Stroke, edges: Sequence[tuple[float, float]]) -> list[int]:
    """The columns along most of which a line is drawn."""
    return [c for c, (low, high) in enumerate(edges) if stroke.covered(low, high) > 0.5 * (high - low)]


def head_lines(made: Prepared) -> int:
    """How many lines stand above the first line drawn through; 0 if that tells nothing."""
    lines, drawn, columns = made.lines, made.drawn, made.columns
    for i, cut in enumerate(drawn):
        if len(cut) >= min(columns, max(2, 0.8 * columns)):
            if 0 not in cut and any(0 in c for c in drawn[i + 1 : i + 5]):
                continue  # lines under spans; the head goes on
            if i + 1 > max(3, min(8, 0.7 * len(lines))):
                return 0
            return 0 if sum(map(_has_values, lines[1 : i + 1])) > 1 else i + 1
    return 0


def _has_values(line: TableLine) -> bool:
    """A row of the body: numbers beside a name."""
    name, *others = line.texts
    numeric = sum(text.numeric for text in others)
    return numeric > 0 and numeric >= 0.5 * len(others) and not name.numeric


def complete(made: Prepared) -> list[Cut]:
    """All cuts: the drawn ones, and those that distance and words make within the drawn bands."""
    lines, drawn = made.lines, made.drawn
    every = frozenset(range(made.columns))
    head, boxed = head_lines(made), is_boxed(made)
    breaks, spans = _rows(lines[head:], [bool(c) for c in drawn][head:], boxed=boxed)
    breaks = [False] * (head - 1) + [True] * (head > 0) + breaks
    spans = [(a + head, b + head) for a, b in spans]
    cuts = []
    for i, cut in enumerate(drawn):
        if i + 1 < head:
            far = lines[i + 1].baseline - lines[i].baseline > FAR * lines[i].size
            cuts.append(cut or every if far else cut)
        elif cut:
            inside = boxed or lines[i].columns & lines[i + 1].columns <= cut
            cuts.append(cut if inside else every)
        else:
            beside = frozenset({0}) if any(a <= i < b for a, b in spans) else frozenset()
            cuts.append(every - beside if breaks[i] else frozenset())
    return _under_spans(lines, cuts, max(head, int(bool(cuts and cuts[0]))))


def _rows(
    lines: Sequence[TableLine], drawn: Sequence[bool], *, boxed: bool
) -> tuple[list[bool], list[tuple[int, int]]]:
    """Where the rows of the body end, and the lines beside which one label stands for several rows."""
    breaks = row_breaks(lines, drawn, boxed=boxed)
    spans = []
    for first, last in bands_of(drawn):
        found = labelled_rows(lines[first : last + 1], partial(row_breaks, boxed=boxed))
        if found:
            breaks[first:last], labels = found
            spans += [(first + a, first + b) for a, b in labels]
    return breaks, spans


def is_boxed(made: Prepared) -> bool:
    """Whether every row has its frame, or lines above and below."""
    drawn = made.drawn
    framed = any(s.strokes for s in made.bounds) and any(drawn)
    return framed or sum(len(c) == made.columns for c in drawn) >= max(3, 0.5 * len(drawn))


def _under_spans(lines: Sequence[TableLine], cuts: list[Cut], head: int) -> list[Cut]:
    """In a head, lines part under a text over several columns; beside it they go on."""
    for i in range(head - 1):
        for text in lines[i].texts:
            span = frozenset(range(text.first, text.last + 1))
            below = next((j for j in range(i + 1, head) if lines[j].columns & span), None)
            if len(span) < 2 or below is None or any(cuts[j] & span for j in range(i, below)):
                continue
            if sum(1 for t in lines[below].texts if {t.first, t.last} & span) > 1 or any(
                len(lines[j].columns & span) and lines[j].columns & span != span for j in range(below, head)
            ):
                cuts[below - 1] |= span
    return cuts


def widened(made: Prepared, across: Sequence[Stroke], spread: Extents) -> list[TableLine]:
    """The lines with the texts stretched over the columns that they stand for."""
    lines, bounds = made.lines, made.bounds
    head = head_lines(made)
    through = [k for k, b in enumerate(bounds) if sum(map(b.is_beside, lines)) >= 0.4 * len(lines)]
    out = []
    for first, last in bands_of([bool(cut) for cut in made.drawn]):
        held = {c for line in lines[first : last + 1] for c in line.columns}
        for i, line in enumerate(lines[first : last + 1], start=first):
            following = lines[i + 1 : max(head, i + 2)]
            texts = list(line.texts)
            if following:
                between = [s for s in across if line.middle < s.at < following[0].middle]
                texts = _over_short_lines(texts, between, spread)
            texts = _between_strokes(texts, set(held), {k for k in through if not bounds[k].is_beside(line)})
            if following and i < max(head - 1, int(not head)):
                texts = _centred(texts, {c for k in following for c in k.columns}, spread)
            out.append(replace(line, texts=tuple(texts)))
    return out


def _over_short_lines(texts: list[Text], strokes: Sequence[Stroke], spread: Extents) -> list[Text]:
    """A short line drawn under a text shows the columns for which the text stands."""
    for stroke in strokes:
        covered = _covered(stroke, spread.written)
        over = [t for t in texts if stroke.low - 3 <= (t.x0 + t.x1) / 2 <= stroke.high + 3]
        if len(covered) < 2 or len(over) != 1 or len(covered) == len(spread.written):
            continue
        text = over[0]
        first, last = min(covered[0], text.first), max(covered[-1], text.last)
        if not any(t is not text and t.last >= first and t.first <= last for t in texts):
            texts = [replace(t, first=first, last=last) if t is text else t for t in texts]
    return texts


def _between_strokes(texts: Sequence[Text], taken: set[int], free: set[int]) -> list[Text]:
    """A text goes over the boundaries beside it that are `free` of a line, up to columns that are `taken`."""
    out = []
    for text in texts:
        first, last = text.first, text.last
        while first - 1 in free and first - 1 not in taken:
            first -= 1
        while last in free and last + 1 not in taken:
            last += 1
        taken |= set(range(first, last + 1))
        out.append(replace(text, first=first, last=last))
    return out


def _centred(texts: list[Text], below: set[int], spread: Extents) -> list[Text]:
    """A text over the middle of several columns that have heads of their own stands for all of them."""
    if len(below) <= len(texts):
        return texts
    out: list[Text] = []
    for k, text in enumerate(texts):
        low = out[-1].last + 1 if out else 0
        high = texts[k + 1].first - 1 if k + 1 < len(texts) else len(spread.written) - 1
        out.append(_best_range(text, low, high, below, spread))
    return out


def _best_range(text: Text, low: int, high: int, filled: set[int], spread: Extents) -> Text:
    middle = (text.x0 + text.x1) / 2
    size = text.tokens[0].size

    def miss(first: int, last: int) -> float:
        return abs(middle - (spread.written[first][0] + spread.written[last][1]) / 2)

    wider = product(range(low, text.first + 1), range(text.last, high + 1))
    offered = [(miss(a, b), a, b) for a, b in wider if set(range(a, b + 1)) <= filled]
    best, first, last = min(offered, default=(1e9, 0, 0))
    if best < min(miss(text.first, text.last) - 0.8 * size, 1.5 * size):
        return replace(text, first=first, last=last)
    return text


def head_rows(grid: Grid, made: Prepared, row_of: Sequence[int]) -> int:
    """The number of head rows of a grid."""
    count = head_lines(made)
    rows = row_of[count - 1] + 1 if count else 1
    # Below a span, the row that names its columns belongs to the head.
    while rows < grid.rows - 1 and _spans(grid, rows - 1) and not _numbers(grid, rows):
        rows += 1
    return 0 if not count and rows == 1 and _numbers(grid, 0, share=0.7) else min(rows, grid.rows - 1)


def _spans(grid: Grid, row: int) -> bool:
    """The row has a text over some but not all columns that goes on below it."""
    return any(0 < c.col_end - c.col < grid.columns - 1 and c.row_end == row for c in grid.cells)


def _numbers(grid: Grid, row: int, share: float = 0.34) -> bool:
    cells = [c for c in grid.row_cells(row) if c.col > 0]
    plain = [c for c in cells if not c.text[:1].isalpha()]  # "C12" names a column
    numeric = [c for c in plain if sum(ch.isdigit() for ch in c.text) > 0.5 * len(c.text.replace(" ", ""))]
    enough = bool(cells) and len(numeric) >= share * len(cells)
    return enough and not all(_YEAR.fullmatch(c.text) for c in numeric)
