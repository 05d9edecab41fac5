"""Tables that only their numbers show: no lines, no caption.

Rows with several numbers side by side are the seed. From it the table grows up and down over heads, group
titles and broken labels: rows whose texts keep to the columns of the seed, up to running text or a gap.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from quire.documents.captions import Caption
from quire.documents.raw import Edges, RawPage
from quire.documents.tables.borderless import GAP, gutters
from quire.documents.tables.prose import prose_row
from quire.documents.tables.regions import Region
from quire.documents.tables.tokens import Piece, Token, TokenRow, box_of, rows_of

_NUMBER = re.compile(r"^[(\[<>≤≥~±+\-−–$€£]*\d[\d.,:/%()\[\]±\-−–]*[a-z*†‡]{0,2}$")
_BLANK = re.compile(r"^(?:[-−–—.…*]+|\(?[A-Z]{1,3}\)?|n[./]?a\.?)$")
_SIGNS = frozenset("$€£¥%*†‡")  # in columns of their own beside the numbers
STEP = 1.4  # em between rows of one table
OUT = 3.0  # em by which a head may stand out of its table


class _Shape(NamedTuple):
    """The columns of a table as far as its numbers tell: the edges of its first column and of all."""

    left: float
    names: float  # right end of the first column
    values: float  # left end of the second
    right: float
    size: float


def loose_regions(
    tokens: Sequence[Token], taken: Sequence[Edges], captions: Sequence[Caption], page: RawPage
) -> list[Region]:
    """Tables without lines and captions; none overlaps `taken` or a caption."""
    edges = (0.0, *gutters(page), page.width)
    free = [t for t in tokens if not any(_within(t, box) for box in taken)]
    walls = [*taken, *(c.box for c in captions)]
    found = []
    for low, high in zip(edges, edges[1:], strict=False):
        rows = rows_of(t for t in free if low <= (t.x0 + t.x1) / 2 <= high)
        near = [w for w in walls if w.x0 < high and w.x1 > low]
        found += [_around(run) for run in _runs(rows, near)]
    return found


def _within(token: Token, box: Edges) -> bool:
    return box.x0 - 2 <= token.x0 and token.x1 <= box.x1 + 2 and box.y0 - 2 <= token.baseline <= box.y1 + 2


def _around(run: Sequence[TokenRow]) -> Region:
    return Region(box_of([t for row in run for t in row.tokens]), False)


def _runs(rows: Sequence[TokenRow], walls: Sequence[Edges]) -> list[Sequence[TokenRow]]:
    """The rows of each table."""
    numeric = [has_numbers(row) for row in rows]
    runs: list[tuple[int, int]] = []
    last = -1
    for i in range(len(rows)):
        if not numeric[i] or i <= last:
            continue
        end = i
        while end + 1 < len(rows) and numeric[end + 1] and _next_to(rows[end], rows[end + 1], walls):
            end += 1
        shape = _shape(rows[i : end + 1])
        start = _edge(rows, i, -1, shape, walls)
        last = _edge(rows, end, 1, shape, walls)
        count = sum(numeric[start : last + 1])
        if count >= 3 and count >= 0.3 * (last + 1 - start):
            if runs and start <= runs[-1][1]:
                start = runs.pop()[0]
            runs.append((start, last))
    return [rows[start : end + 1] for start, end in runs]


def has_numbers(row: TokenRow) -> bool:
    """Numbers in at least two cells, and in half of all."""
    texts = ["".join(t.text for t in p.tokens) for p in row.pieces(space=GAP)]
    texts = [text for text in texts if text not in _SIGNS]
    numbers = sum(bool(_NUMBER.match(text)) for text in texts)
    blanks = sum(bool(_BLANK.match(text)) for text in texts)
    formula = any("=" in t.text for t in row.tokens)
    return len(texts) >= 3 and numbers >= 2 and numbers + blanks >= 0.5 * len(texts) and not formula


def _next_to(above: TokenRow, below: TokenRow, walls: Sequence[Edges]) -> bool:
    """No gap and nothing else stands between two rows."""
    if below.y0 - above.y1 > STEP * max(above.size, below.size):
        return False
    low, high = min(above.x0, below.x0), max(above.x1, below.x1)
    return not any(
        above.baseline < (w.y0 + w.y1) / 2 < below.baseline and w.x0 < high and w.x1 > low for w in walls
    )


def _shape(seed: Sequence[TokenRow]) -> _Shape:
    first = [row.pieces(space=GAP)[:2] for row in seed]
    left, right = min(r.x0 for r in seed), max(r.x1 for r in seed)
    values = min(p[1].x0 for p in first)
    names = max((p[0].x1 for p in first if p[0].x1 < values), default=values)
    return _Shape(left, names, values, right, seed[0].size)


def _edge(rows: Sequence[TokenRow], start: int, step: int, shape: _Shape, walls: Sequence[Edges]) -> int:
    """The last row up (`step` -1) or down (+1) that belongs to the table; its end is no lone label."""
    edge, i = start, start + step
    while 0 <= i < len(rows):
        upper, lower = sorted((i, i - step))
        if not _next_to(rows[upper], rows[lower], walls):
            break
        pieces = rows[i].pieces(space=GAP)
        if not _keeps_to(rows[i], pieces, shape):
            break
        if len(pieces) > 1 or (step < 0 and pieces[0].x0 > shape.names):
            edge = i
        elif not _in_a_column(pieces[0], shape):
            break
        elif step > 0 and rows[i].tokens[0].text[:1].islower() and i - edge == 1:
            edge = i
        i += step
    return edge


def _keeps_to(row: TokenRow, pieces: Sequence[Piece], shape: _Shape) -> bool:
    """No running text, and no further out than a head may stand."""
    out = OUT * shape.size
    if (
        row.x0 < shape.left - out
        or row.x1 > shape.right + out
        or abs(row.size - shape.size) > 0.2 * shape.size
    ):
        return False
    return not prose_row(row, min(row.x0, shape.left), max(row.x1, shape.right)) and not any(
        p.x0 < shape.names - out and p.x1 > shape.values + out and len(p.tokens) > 3 for p in pieces
    )


def _in_a_column(piece: Piece, shape: _Shape) -> bool:
    """A label in the first column, or a broken text in another."""
    if piece.x0 < shape.names:
        return piece.x1 < shape.values + OUT * shape.size
    return piece.x1 - piece.x0 < 0.4 * (shape.right - shape.left)
