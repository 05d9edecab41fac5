"""Tables without lines: rows that align beside a caption, or rows of numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import pairwise, takewhile

from quire.pdf.captions import Caption
from quire.pdf.geometry import CLOSE, around, centre_in, column_edges, runs
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables.regions import DrawnLines
from quire.pdf.tables.tokens import Token, TokenRow, TokenRun, inside, prose_row, rows_of

HEAD = 3  # lines of a head
FIRST = 40.0  # points above the first row of a table
FAR = 3.2  # em between its rows
SHARE = 0.3  # of its rows, which have numbers
_FULL, _WORDS = 0.7, 4  # of the width of a page's column, which its text fills with so many words
_NUMBER = re.compile(r"^[(\[<>≤≥~±+\-−–$€£]*\d[\d.,:/%()\[\]±\-−–]*[a-z*†‡]{0,2}$")
_SIGNS = frozenset("$€£¥%*†‡")  # in columns of their own beside the numbers


def beside_captions(
    captions: Sequence[Caption],
    tokens: Sequence[Token],
    taken: Sequence[Edges],
    every: Sequence[Caption],
    page: RawPage,
) -> list[tuple[Caption, Edges]]:
    """For each caption the aligned rows below or above it, first on the side that serves most captions."""
    ways = (_on_sides(captions, tokens, taken, every, page, below) for below in (True, False))
    return max(ways, key=lambda found: (len(found), sum(box.height for _, box in found)))


def _on_sides(
    captions: Sequence[Caption],
    tokens: Sequence[Token],
    taken: Sequence[Edges],
    every: Sequence[Caption],
    page: RawPage,
    first: bool,
) -> list[tuple[Caption, Edges]]:
    """The rows of each caption, of all captions first those below (or above) them."""
    found: list[tuple[Caption, Edges]] = []
    for below in (first, not first):
        for caption in captions:
            if any(c is caption for c, _ in found):
                continue
            low, high = column_edges(caption.box, page)
            walls = [c.box for c in every if c is not caption] + [*taken, *(box for _, box in found)]
            area = Edges(low, caption.box.y1, high, 1e6) if below else Edges(low, 0.0, high, caption.box.y0)
            rows = _aligned(_contiguous(tokens, area, walls, below=below))
            if rows:
                found.append((caption, _around(rows)))
    return found


def grown(
    box: Edges, lines: DrawnLines, tokens: Sequence[Token], walls: Sequence[Edges], page: RawPage
) -> Edges:
    """A box whose lines enclose the head alone, with the rows that stand below it; another as it is."""
    levels = [s.at for s in lines.within(box).across if s.length > 0.8 * box.width]
    head = rows_of(t for t in inside(tokens, box) if levels and t.baseline < levels[-1])
    if len(levels) > 2 or not 1 <= len(head) <= HEAD or max(len(row.cells) for row in head) < 2:
        return box
    below = _contiguous(tokens, Edges(box.x0 - 6, levels[-1], box.x1 + 6, 1e6), walls)
    rows = _aligned([*takewhile(lambda row: not _fills_columns(row, page), below)])
    return box.union(_around(rows)) if len(rows) >= HEAD else box


def _fills_columns(row: TokenRow, page: RawPage) -> bool:
    """Running text in columns of the page side by side, where a figure may stand in another."""
    long = [piece for piece in row.cells if len(piece.tokens) >= _WORDS]
    columns = pairwise((0.0, *page.gutters, page.width))
    return sum(any(_fills(piece, low, high) for piece in long) for low, high in columns) > 1


def _fills(piece: TokenRun, low: float, high: float) -> bool:
    return low < piece.x0 and piece.x1 < high and piece.x1 - piece.x0 > _FULL * (high - low)


def _contiguous(
    tokens: Sequence[Token], area: Edges, walls: Sequence[Edges], *, below: bool = True
) -> list[TokenRow]:
    """The rows of an area from its top (or bottom) on, up to a gap or to what stands in their way."""
    rows = rows_of(inside(tokens, area, slack=0))
    out: list[TokenRow] = []
    edge = area.y0 if below else area.y1
    for row in rows if below else reversed(rows):
        gap = row.y0 - edge if below else edge - row.y1
        if gap > (FAR * row.size if out else FIRST):
            break
        if any(b.x0 < area.x1 and b.x1 > area.x0 and b.y0 - 1 < row.baseline < b.y1 + 1 for b in walls):
            break
        out.append(row)
        edge = row.y1 if below else row.y0
    return out


def _aligned(rows: Sequence[TokenRow]) -> list[TokenRow]:
    """The rows up to where running text begins, if enough of them have several cells."""
    left, right = min((r.x0 for r in rows), default=0.0), max((r.x1 for r in rows), default=0.0)
    chosen = list(takewhile(lambda row: not prose_row(row, left, right), rows))
    while chosen and len(chosen[-1].cells) < 2:
        chosen.pop()
    return chosen if sum(len(row.cells) >= 2 for row in chosen) >= 2 else []


def _around(rows: Sequence[TokenRow]) -> Edges:
    return around([t for row in rows for t in row.tokens])


def loose_regions(tokens: Sequence[Token], taken: Sequence[Edges], page: RawPage) -> list[Edges]:
    """Tables without lines and captions: rows of which some have numbers; none overlaps `taken`."""
    free = [t for t in tokens if not any(centre_in(t, box, 2) for box in taken)]
    found = []
    for low, high in pairwise((0.0, *page.gutters, page.width)):
        rows = rows_of(t for t in free if low <= (t.x0 + t.x1) / 2 <= high)
        left, right = min((r.x0 for r in rows), default=0.0), max((r.x1 for r in rows), default=0.0)
        for run in runs(rows, partial(_goes_on, left, right)):
            numeric = sum(map(has_numbers, run)) if len(run) >= 3 else 0
            if numeric >= 3:
                several = [k for k, row in enumerate(run) if len(row.cells) > 1]
                top = several[0]
                while top and run[top - 1].x0 > run[several[0]].cells[0].x1:  # not in the first column
                    top -= 1
                table = run[top : several[-1] + 1]
                found += [_around(table)] if numeric >= SHARE * len(table) else []
    return found


def _goes_on(left: float, right: float, run: Sequence[TokenRow], row: TokenRow) -> bool:
    """Whether a row stands close below the others, in type of their size, and both are no running text."""
    above = run[-1]
    size = max(above.size, row.size)
    if row.y0 - above.y1 > CLOSE * size or min(above.size, row.size) < 0.8 * size:
        return False
    return not prose_row(above, left, right) and not prose_row(row, left, right)


def has_numbers(row: TokenRow) -> bool:
    """Numbers in at least two of three cells or more, and in half of all; no formula."""
    if len(row.tokens) < 3 or any("=" in t.text for t in row.tokens):
        return False
    texts = ["".join([t.text for t in p.tokens]) for p in row.cells]
    texts = [text for text in texts if text not in _SIGNS]
    numbers = sum(bool(_NUMBER.match(text)) for text in texts)
    return len(texts) >= 3 and numbers >= 2 and numbers >= 0.5 * len(texts)
