"""Rows of running text, told from rows of cells."""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.raw import Edges
from quire.documents.tables.tokens import Token, TokenRow, rows_of

CELL_GAP = 1.1  # em between pieces of a row that are cells of their own
PROSE = 6  # words in a row that make it running text, if it is wide


def is_prose(rows: Sequence[TokenRow], low: float, high: float) -> bool:
    """Most rows are running text: from the left edge on, wide, of many words, in one or two columns."""
    prose = sum(prose_row(row, low, high) for row in rows)
    return prose >= 2 and prose >= 0.5 * len(rows)


def prose_row(row: TokenRow, low: float, high: float) -> bool:
    """One row of running text."""
    pieces = row.pieces(space=1.0)
    width = high - low
    wide = [p for p in pieces if p.x1 - p.x0 > (0.6 if len(pieces) == 1 else 0.36) * width]
    long = [
        p
        for p in wide
        if len(p.tokens) >= PROSE and sum(_is_word(t) for t in p.tokens) >= 0.6 * len(p.tokens)
    ]
    return len(pieces) <= 2 and len(long) == len(pieces) and pieces[0].x0 < low + 3 * row.size


def _is_word(token: Token) -> bool:
    return sum(c.isalpha() for c in token.text) > 0.5 * len(token.text)


def without_notes(tokens: Sequence[Token], box: Edges) -> Sequence[Token]:
    """The tokens of a table without those of running text that ends it, where rows of cells stand above."""
    rows = rows_of(tokens)
    prose = [prose_row(row, box.x0, box.x1) and len(row.pieces(space=CELL_GAP)) == 1 for row in rows]
    if not any(prose):
        return tokens
    first = prose.index(True)
    cells = sum(len(row.pieces(space=CELL_GAP)) > 1 for row in rows[:first])
    notes = rows[first:]
    alone = all(len(row.pieces(space=CELL_GAP)) == 1 for row in notes)
    if first < 3 or cells < 0.6 * first or not alone or sum(prose) < max(2.0, 0.6 * len(notes)):
        return tokens
    return [t for row in rows[:first] for t in row.tokens]
