"""The words of a page as tokens, rows and pieces: what tables are read from.

A token is a word with everything that is glued to it (scripts, changes of style). A row holds tokens on one
baseline. A piece is a run of tokens in a row with ordinary spaces between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.documents.raw import Edges, Line, RawPage, Word, centre_in, typewriter

SPACE = 0.42  # em: the widest ordinary space between words
_HEAD = 0.6  # share of a table's height in which turned heads stand
_LOWER = 12.0  # em by which the foot of a shorter one may be higher, as they may be aligned at their tops
_TYPED_SPACE = 0.65  # em: the widest single blank in typewriter type
_LISTING = 0.5  # share of rows all in typewriter type from which on a table is what a program printed
LEVEL = 0.36  # em: baselines nearer than this are one row


class Token(NamedTuple):
    """A word and what is glued to it."""

    words: tuple[Word, ...]
    x0: float
    x1: float
    baseline: float
    size: float

    @property
    def y0(self) -> float:
        """Top of the type."""
        return self.baseline - 0.75 * self.size

    @property
    def y1(self) -> float:
        """Bottom of the type."""
        return self.baseline + 0.22 * self.size

    @property
    def text(self) -> str:
        """As printed."""
        return "".join(w.text for w in self.words)


class Piece(NamedTuple):
    """Tokens that follow each other with ordinary spaces."""

    tokens: tuple[Token, ...]
    x0: float
    x1: float


class OnBaseline:
    """Type of one size on one baseline."""

    __slots__ = ()
    baseline: float
    size: float

    @property
    def y0(self) -> float:
        """Top of the type."""
        return self.baseline - 0.75 * self.size

    @property
    def y1(self) -> float:
        """Bottom of the type."""
        return self.baseline + 0.22 * self.size


class OfTokens:
    """Tokens from left to right."""

    __slots__ = ()
    tokens: tuple[Token, ...]

    @property
    def x0(self) -> float:
        """Left end."""
        return self.tokens[0].x0

    @property
    def x1(self) -> float:
        """Right end."""
        return max(t.x1 for t in self.tokens)


@dataclass(frozen=True, slots=True)
class TokenRow(OnBaseline, OfTokens):
    """Tokens on one baseline, from left to right."""

    tokens: tuple[Token, ...]
    baseline: float
    size: float

    def pieces(self, cuts: Sequence[float] = (), space: float = SPACE) -> list[Piece]:
        """The row's pieces; no piece crosses one of the `cuts` (sorted x positions)."""
        out: list[list[Token]] = []
        right = 0.0
        for token in self.tokens:
            apart = not out or token.x0 - right > space * min(token.size, out[-1][-1].size)
            if not apart and any(right - 1.5 <= cut <= token.x0 + 1.5 for cut in cuts):
                apart = True
            if apart:
                out.append([token])
                right = token.x1
            else:
                out[-1].append(token)
                right = max(right, token.x1)
        return [piece_of(p) for p in out]


def piece_of(tokens: Sequence[Token]) -> Piece:
    """Tokens of one row as a piece."""
    return Piece(tuple(tokens), tokens[0].x0, max(t.x1 for t in tokens))


def tokens_of(page: RawPage) -> list[Token]:
    """The upright tokens of a page."""
    out: list[Token] = []
    for line in page.lines:
        if line.angle:
            continue
        run: list[Word] = []
        for word in line.words:
            if run and not (word.glued and abs(word.x0 - run[-1].x1) < 0.6 * max(word.size, run[-1].size)):
                out.append(_token(run, line.baseline, line.size))
                run = []
            run.append(word)
        if run:
            out.append(_token(run, line.baseline, line.size))
    return out


def with_typed_words(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens of a table with words of programs that a single blank parts as one token.

    Such a blank is wider than others. Where most rows are all in that type, a single blank may part columns.
    """
    typed = {id(t) for t in tokens if typewriter(t.words[0].font)}
    rows = rows_of(tokens)
    listing = sum(all(id(t) in typed for t in row.tokens) for row in rows)
    if not typed or listing > _LISTING * len(rows):
        return tokens
    out: list[Token] = []
    for row in rows:
        for token in row.tokens:
            last = out[-1] if out else None
            if (
                last is not None
                and last.baseline == token.baseline
                and typewriter(last.words[-1].font)
                and id(token) in typed
                and 0 < token.x0 - last.x1 < _TYPED_SPACE * token.size
            ):
                out[-1] = last._replace(words=(*last.words, *token.words), x1=token.x1)
            else:
                out.append(token)
    return out


def with_turned_heads(tokens: Sequence[Token], page: RawPage, box: Edges) -> list[Token]:
    """The tokens of the table in `box` and, as such, heads of columns that run upwards or downwards.

    They stand side by side in its upper part; anything else that is turned is none. They are put on the
    baseline of the upright head to their left, else on one at their feet.
    """
    low = box.y0 + _HEAD * box.height
    turned = [p for p in page.lines if p.angle in (90, 270) and centre_in(p, box) and p.y1 < low]
    foot = max((p.y1 for p in turned), default=0.0)
    heads = [p for p in turned if p.y0 < foot - p.size and foot - p.y1 < _LOWER * p.size]
    if len(heads) < 2:
        return list(tokens)
    size, left = max(p.size for p in heads), min(p.x0 for p in heads)
    beside = [t.baseline for t in tokens if t.baseline < foot and t.x1 < left]
    baseline = max(beside, default=foot - 0.22 * size)
    return [*tokens, *(_upright(p, baseline, size) for p in sorted(heads, key=lambda p: p.x0))]


def _upright(line: Line, baseline: float, size: float) -> Token:
    word = line.words[0]._replace(text=line.text, x0=line.x0, y0=line.y0, x1=line.x1, y1=line.y1, angle=0)
    return Token((word._replace(baseline=baseline),), line.x0, line.x1, baseline, size)


def _token(run: Sequence[Word], baseline: float, size: float) -> Token:
    if len(run) == 1:
        word = run[0]
        at = (baseline, size) if word.script else (word.baseline, word.size)
        return Token((word,), word.x0, word.x1, *at)
    main = next((w for w in run if w.script == 0), None)
    return Token(
        tuple(run), min(w.x0 for w in run), max(w.x1 for w in run),
        main.baseline if main else baseline, main.size if main else size,
    )  # fmt: skip


def inside(tokens: Iterable[Token], box: Edges, slack: float = 1.0) -> list[Token]:
    """Tokens whose middle stands in the box."""
    x0, y0, x1, y1 = box.x0 - slack, box.y0 - slack, box.x1 + slack, box.y1 + slack
    return [t for t in tokens if x0 <= (t.x0 + t.x1) / 2 <= x1 and y0 <= t.baseline - 0.27 * t.size <= y1]


def rows_of(tokens: Iterable[Token]) -> list[TokenRow]:
    """Tokens as rows from top to bottom."""
    groups: list[list[Token]] = []
    for token in sorted(tokens, key=lambda t: (t.baseline, t.x0)):
        last = groups[-1] if groups else None
        if last and token.baseline - last[0].baseline <= LEVEL * min(token.size, last[0].size):
            last.append(token)
        else:
            groups.append([token])
    rows = []
    for group in groups:
        group.sort(key=lambda t: t.x0)
        middle = sorted(t.baseline for t in group)[len(group) // 2]
        rows.append(TokenRow(tuple(group), middle, sorted(t.size for t in group)[len(group) // 2]))
    return rows


def box_of(tokens: Sequence[Token]) -> Edges:
    """The box around tokens."""
    return Edges(
        min(t.x0 for t in tokens), min(t.y0 for t in tokens),
        max(t.x1 for t in tokens), max(t.y1 for t in tokens),
    )  # fmt: skip
