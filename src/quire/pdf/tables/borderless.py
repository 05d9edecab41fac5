"""Tables without lines: rows that align beside a caption."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from quire.pdf.captions import Caption
from quire.pdf.geometry import around, column_edges
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables.regions import DrawnLines, Region
from quire.pdf.tables.tokens import Token, TokenRow, TokenRun, inside, prose_row, rows_of

HEAD = 3  # lines of a head
FAR = 3.2  # em between rows of one table
FIRST = 4.5  # em between a caption and the first of them
_NUMBER = re.compile(r"^[(\[<>≤≥~±+\-−–$€£]*\d[\d.,:/%()\[\]±\-−–]*[a-z*†‡]{0,2}$")
_BLANK = re.compile(r"^(?:[-−–—.…*]+|\(?[A-Z]{1,3}\)?|n[./]?a\.?)$")
_DIGIT = re.compile(r"\d")
_SIGNS = frozenset("$€£¥%*†‡")  # in columns of their own beside the numbers
STEP = 1.4  # em between rows of one table
OUT = 3.0  # em by which a head may stand out of its table


def beside_captions(
    captions: Sequence[Caption],
    tokens: Sequence[Token],
    taken: Sequence[Edges],
    every: Sequence[Caption],
    page: RawPage,
) -> list[tuple[Caption, Region]]:
    """For each caption the aligned rows below or above it, first on the side that serves most captions."""
    best: list[tuple[Caption, Region]] = []
    most = (0, 0.0)
    for below in (True, False):
        found = _on_sides(captions, tokens, taken, every, page, (below, not below))
        score = (len(found), sum(region.box.height for _, region in found))
        if score > most:
            best, most = found, score
    return best


def _on_sides(
    captions: Sequence[Caption],
    tokens: Sequence[Token],
    taken: Sequence[Edges],
    every: Sequence[Caption],
    page: RawPage,
    sides: Sequence[bool],
) -> list[tuple[Caption, Region]]:
    found: list[tuple[Caption, Region]] = []
    for below in sides:
        for caption in captions:
            if any(c is caption for c, _ in found):
                continue
            low, high = column_edges(caption.box, page)
            others = [c.box for c in every if c is not caption] + list(taken) + [r.box for _, r in found]
            area = Edges(low, caption.box.y1, high, 1e6) if below else Edges(low, 0.0, high, caption.box.y0)
            rows = _contiguous(tokens, area, others, caption.size, below=below)
            chosen = _aligned(rows, below=below)
            if chosen:
                found.append((caption, Region(around([t for row in chosen for t in row.tokens]), False)))
    return found


def grown(region: Region, lines: DrawnLines, tokens: Sequence[Token], walls: Sequence[Edges]) -> Region:
    """A region whose lines enclose the head alone, with the rows that stand below it; another as it is."""
    box = region.box
    levels = [s.at for s in lines.within(box).across if s.length > 0.8 * box.width]
    head = rows_of(t for t in inside(tokens, box) if levels and t.baseline < levels[-1])
    if region.boxed or len(levels) > 2 or not 1 <= len(head) <= HEAD:
        return region
    if max(len(row.cells) for row in head) < 2:
        return region
    area = Edges(box.x0 - 6, levels[-1], box.x1 + 6, 1e6)
    rows = _contiguous(tokens, area, walls)
    beside = [t for t in tokens if -30 < t.x1 - box.x0 < -7 or 7 < t.x0 - box.x1 < 30]
    if any(abs(t.baseline - row.baseline) < 2 for row in rows[:HEAD] for t in beside):
        return region
    chosen = _aligned(rows, below=True)
    if len(chosen) < HEAD:
        return region
    return Region(box.union(around([t for row in chosen for t in row.tokens])), region.drawn)


def _contiguous(
    tokens: Sequence[Token], area: Edges, walls: Sequence[Edges], caption: float = 0.0, *, below: bool = True
) -> list[TokenRow]:
    """The rows of an area from its top (or bottom) on, up to a gap or to what stands in their way.

    The gap is wider between a caption, in type of that size, and the first row.
    """
    rows = rows_of(inside(tokens, area, slack=0))
    out: list[TokenRow] = []
    edge = area.y0 if below else area.y1
    for row in rows if below else reversed(rows):
        gap = row.y0 - edge if below else edge - row.y1
        if gap > (FAR * row.size if out or not caption else FIRST * max(row.size, caption)):
            break
        if any(b.x0 < area.x1 and b.x1 > area.x0 and b.y0 - 1 < row.baseline < b.y1 + 1 for b in walls):
            break
        out.append(row)
        edge = row.y1 if below else row.y0
    return out


def _aligned(rows: Sequence[TokenRow], *, below: bool) -> list[TokenRow]:
    """The rows up to where running text begins, if enough of them have several cells."""
    if not rows:
        return []
    left, right = min(r.x0 for r in rows), max(r.x1 for r in rows)
    chosen: list[TokenRow] = []
    for row in rows:
        if prose_row(row, left, right):
            break
        chosen.append(row)
    while chosen and len(chosen[-1].cells) < 2:
        chosen.pop()
    several = sum(len(row.cells) >= 2 for row in chosen)
    if several >= 2:
        return chosen if below else chosen[::-1]
    return []


class _Shape(NamedTuple):
    """The columns of a table as far as its numbers tell: the edges of its first column and of all."""

    left: float
    names: float  # right end of the first column
    values: float  # left end of the second
    right: float
    size: float


def loose_regions(tokens: Sequence[Token], taken: Sequence[Edges], page: RawPage) -> list[Region]:
    """Tables without lines and captions; none overlaps `taken`."""
    edges = (0.0, *page.gutters, page.width)
    free = [t for t in tokens if not any(_within(t, box) for box in taken)]
    found: list[Region] = []
    for low, high in zip(edges, edges[1:], strict=False):
        rows = rows_of(t for t in free if low <= (t.x0 + t.x1) / 2 <= high)
        found += [Region(around([t for row in run for t in row.tokens]), False) for run in _runs(rows)]
    return found


def _within(token: Token, box: Edges) -> bool:
    return box.x0 - 2 <= token.x0 and token.x1 <= box.x1 + 2 and box.y0 - 2 <= token.baseline <= box.y1 + 2


def _runs(rows: Sequence[TokenRow]) -> list[Sequence[TokenRow]]:
    """The rows of each table."""
    numeric = [has_numbers(row) for row in rows]
    runs: list[tuple[int, int]] = []
    last = -1
    for i in range(len(rows)):
        if not numeric[i] or i <= last:
            continue
        end = i
        while end + 1 < len(rows) and numeric[end + 1] and _next_to(rows[end], rows[end + 1]):
            end += 1
        shape = _shape(rows[i : end + 1])
        start = _edge(rows, i, -1, shape)
        last = _edge(rows, end, 1, shape)
        count = sum(numeric[start : last + 1])
        if count >= 3 and count >= 0.3 * (last + 1 - start):
            if runs and start <= runs[-1][1]:
                start = runs.pop()[0]
            runs.append((start, last))
    return [rows[start : end + 1] for start, end in runs]


def _two_numbers(text: str) -> bool:
    """Whether a blank stands between two digits."""
    digits = [found.start() for found in _DIGIT.finditer(text)]
    return bool(digits) and any(map(str.isspace, text[digits[0] : digits[-1]]))


def has_numbers(row: TokenRow) -> bool:
    """Numbers in at least two cells, and in half of all."""
    if not _two_numbers(" ".join([t.text for t in row.tokens])):
        return False
    texts = ["".join([t.text for t in p.tokens]) for p in row.cells]
    texts = [text for text in texts if text not in _SIGNS]
    numbers = sum(bool(_NUMBER.match(text)) for text in texts)
    blanks = sum(bool(_BLANK.match(text)) for text in texts)
    formula = any("=" in t.text for t in row.tokens)
    return len(texts) >= 3 and numbers >= 2 and numbers + blanks >= 0.5 * len(texts) and not formula


def _next_to(above: TokenRow, below: TokenRow) -> bool:
    """No gap stands between two rows."""
    return below.y0 - above.y1 <= STEP * max(above.size, below.size)


def _shape(seed: Sequence[TokenRow]) -> _Shape:
    first = [row.cells[:2] for row in seed]
    left, right = min(r.x0 for r in seed), max(r.x1 for r in seed)
    values = min(p[1].x0 for p in first)
    names = max((p[0].x1 for p in first if p[0].x1 < values), default=values)
    return _Shape(left, names, values, right, seed[0].size)


def _edge(rows: Sequence[TokenRow], start: int, step: int, shape: _Shape) -> int:
    """The last row up (`step` -1) or down (+1) that belongs to the table; its end is no lone label."""
    edge, i = start, start + step
    while 0 <= i < len(rows):
        upper, lower = sorted((i, i - step))
        if not _next_to(rows[upper], rows[lower]):
            break
        pieces = rows[i].cells
        if not _keeps_to(rows[i], shape):
            break
        if len(pieces) > 1 or (step < 0 and pieces[0].x0 > shape.names):
            edge = i
        elif not _in_a_column(pieces[0], shape):
            break
        elif step > 0 and rows[i].tokens[0].text[:1].islower() and i - edge == 1:
            edge = i
        i += step
    return edge


def _keeps_to(row: TokenRow, shape: _Shape) -> bool:
    """No running text, and no further out than a head may stand."""
    out = OUT * shape.size
    if (
        row.x0 < shape.left - out
        or row.x1 > shape.right + out
        or abs(row.size - shape.size) > 0.2 * shape.size
    ):
        return False
    return not prose_row(row, min(row.x0, shape.left), max(row.x1, shape.right))


def _in_a_column(piece: TokenRun, shape: _Shape) -> bool:
    """A label in the first column, or a broken text in another."""
    if piece.x0 < shape.names:
        return piece.x1 < shape.values + OUT * shape.size
    return piece.x1 - piece.x0 < 0.4 * (shape.right - shape.left)
