"""The words of a page as tokens, rows and pieces: what tables are read from.

A token is a word with everything that is glued to it (scripts, changes of style). A row holds tokens on one
baseline. A piece is a run of tokens in a row with ordinary spaces between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from quire.pdf.geometry import LEVEL, PROSE, centre_in, runs
from quire.pdf.raw import ASCENT, DESCENT, MIDDLE, Edges, Line, RawPage, Word

SPACE = 0.42  # em: the widest ordinary space between words
_HEAD = 0.6  # share of a table's height in which turned heads stand
CELL_GAP = 1.1  # em between pieces of a row that are cells of their own
_NUMBER = re.compile(r"^[\s(\[<>≤≥≈~±+\-−–—*$€£%.,\d/:;^)\]†‡§a-d]*$")


class OnBaseline:
    """Type of one size on one baseline."""

    __slots__ = ()
    baseline: float
    size: float

    @property
    def y0(self) -> float:
        """Top of the type."""
        return self.baseline - ASCENT * self.size

    @property
    def y1(self) -> float:
        """Bottom of the type."""
        return self.baseline + DESCENT * self.size

    @property
    def middle(self) -> float:
        """Middle of its small letters: the height at which a line beside it is drawn."""
        return self.baseline - MIDDLE * self.size


class _Token(NamedTuple):
    words: tuple[Word, ...]
    x0: float
    x1: float
    baseline: float
    size: float
    text: str


class Token(_Token, OnBaseline):
    """A word and what is glued to it; `text` is as printed."""

    __slots__ = ()


@dataclass(frozen=True)
class TokenRun:
    """Tokens from left to right."""

    tokens: tuple[Token, ...]

    @property
    def x0(self) -> float:
        """Left end."""
        return self.tokens[0].x0

    @cached_property
    def x1(self) -> float:
        """Right end."""
        return max([t.x1 for t in self.tokens])


@dataclass(frozen=True)
class TokenRow(TokenRun, OnBaseline):
    """Tokens on one baseline."""

    baseline: float
    size: float

    @cached_property
    def cells(self) -> list[TokenRun]:
        """Its pieces between gaps as wide as those between cells."""
        return self.pieces(space=CELL_GAP)

    def pieces(self, cuts: Sequence[float] = (), space: float = SPACE) -> list[TokenRun]:
        """The row's pieces; no piece crosses one of the `cuts` (sorted x positions)."""
        out: list[TokenRun] = []
        start, right = 0, self.tokens[0].x1
        tokens = self.tokens
        for k in range(1, len(tokens)):
            token = tokens[k]
            gap = token.x0 - right
            if (gap > 0 and gap > space * min(token.size, tokens[k - 1].size)) or (
                cuts and any(right - 1.5 <= cut <= token.x0 + 1.5 for cut in cuts)
            ):
                out.append(TokenRun(tokens[start:k]))
                start, right = k, token.x1
            elif token.x1 > right:
                right = token.x1
        out.append(TokenRun(tokens[start:]))
        return out


def tokens_of(page: RawPage) -> list[Token]:
    """The upright tokens of a page."""
    return [_token(run, o.baseline, o.size) for o in page.upright for run in runs(o.words, _glued)]


def _glued(run: Sequence[Word], word: Word) -> bool:
    last = run[-1]
    return word.glued and abs(word.x0 - last.x1) < 0.6 * max(word.size, last.size)


def with_turned_heads(tokens: Sequence[Token], page: RawPage, box: Edges) -> list[Token]:
    """The tokens of the table in `box` and, as such, heads of columns that run upwards or downwards.

    They stand side by side in its upper part; anything else that is turned is none. They are put on the
    baseline of the upright head to their left, else on one at their feet.
    """
    low = box.y0 + _HEAD * box.height
    turned = [p for p in page.lines if p.angle in (90, 270) and centre_in(p, box) and p.y1 < low]
    foot = max((p.y1 for p in turned), default=0.0)
    heads = [p for p in turned if p.y0 < foot - p.size]
    if len(heads) < 2:
        return list(tokens)
    size, left = max(p.size for p in heads), min(p.x0 for p in heads)
    beside = [t.baseline for t in tokens if t.baseline < foot and t.x1 < left]
    baseline = max(beside, default=foot - DESCENT * size)
    return [*tokens, *(_upright(p, baseline, size) for p in sorted(heads, key=lambda p: p.x0))]


def _upright(line: Line, baseline: float, size: float) -> Token:
    word = line.words[0]._replace(text=line.text, x0=line.x0, y0=line.y0, x1=line.x1, y1=line.y1, angle=0)
    return Token((word._replace(baseline=baseline),), line.x0, line.x1, baseline, size, word.text)


def _token(run: Sequence[Word], baseline: float, size: float) -> Token:
    if len(run) == 1:
        word = run[0]
        if not word.script:
            baseline, size = word.baseline, word.size
        # three times as fast as Token(...)
        return tuple.__new__(Token, ((word,), word.x0, word.x1, baseline, size, word.text))
    main = next((w for w in run if w.script == 0), None)
    return Token(
        tuple(run), min(w.x0 for w in run), max(w.x1 for w in run),
        main.baseline if main else baseline, main.size if main else size,
        "".join([w.text for w in run]),
    )  # fmt: skip


def inside(tokens: Iterable[Token], box: Edges, slack: float = 1.0) -> list[Token]:
    """Tokens whose middle stands in the box."""
    x0, y0, x1, y1 = box.x0 - slack, box.y0 - slack, box.x1 + slack, box.y1 + slack
    return [t for t in tokens if x0 <= (t.x0 + t.x1) / 2 <= x1 and y0 <= t.baseline - MIDDLE * t.size <= y1]


_left, _base = attrgetter("x0"), attrgetter("baseline")


def _level(row: Sequence[Token], token: Token) -> bool:
    return token.baseline - row[0].baseline <= LEVEL * min(token.size, row[0].size)


def rows_of(tokens: Iterable[Token]) -> list[TokenRow]:
    """Tokens as rows from top to bottom."""
    rows = []
    for group in runs(sorted(sorted(tokens, key=_left), key=_base), _level):
        middle = group[len(group) // 2].baseline
        group.sort(key=_left)
        rows.append(TokenRow(tuple(group), middle, sorted([t.size for t in group])[len(group) // 2]))
    return rows


def prose_row(row: TokenRow, low: float, high: float) -> bool:
    """A row of running text: from the left edge on, wide, of many words, in one or two columns."""
    pieces = row.cells
    width = high - low
    wide = [p for p in pieces if p.x1 - p.x0 > (0.6 if len(pieces) == 1 else 0.36) * width]
    long = [
        p
        for p in wide
        if len(p.tokens) >= PROSE and sum([_is_word(t) for t in p.tokens]) >= 0.6 * len(p.tokens)
    ]
    return len(pieces) <= 2 and len(long) == len(pieces) and pieces[0].x0 < low + 3 * row.size


def _is_word(token: Token) -> bool:
    text = token.text
    return text.isalpha() or sum(map(str.isalpha, text)) > 0.5 * len(text)


def without_notes(tokens: Sequence[Token], box: Edges) -> Sequence[Token]:
    """The tokens of a table without those of running text that ends it, where rows of cells stand above."""
    rows = rows_of(tokens)
    prose = [prose_row(row, box.x0, box.x1) and len(row.cells) == 1 for row in rows]
    if not any(prose):
        return tokens
    first = prose.index(True)
    cells = sum(len(row.cells) > 1 for row in rows[:first])
    notes = rows[first:]
    alone = all(len(row.cells) == 1 for row in notes)
    if first < 3 or cells < 0.6 * first or not alone or sum(prose) < max(2.0, 0.6 * len(notes)):
        return tokens
    return [t for row in rows[:first] for t in row.tokens]


@dataclass(frozen=True)
class Text(TokenRun):
    """Tokens and the columns (first, last) that they cover."""

    first: int
    last: int

    @cached_property
    def text(self) -> str:
        """As printed, with single spaces."""
        return " ".join([t.text for t in self.tokens])

    @cached_property
    def numeric(self) -> bool:
        """Digits and signs, no words."""
        text = self.text
        return bool(_NUMBER.match(text)) and any(c.isdigit() for c in text)


@dataclass(frozen=True)
class TableLine(OnBaseline):
    """The texts on one baseline."""

    texts: tuple[Text, ...]
    baseline: float
    size: float

    @cached_property
    def columns(self) -> frozenset[int]:
        """All columns that hold text."""
        return frozenset({c for t in self.texts for c in range(t.first, t.last + 1)})
