"""The words of a page as tokens, rows and pieces: what tables are read from.

A token is a word with everything that is glued to it (scripts, changes of style). A row holds tokens on one
baseline. A piece is a run of tokens in a row with ordinary spaces between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.documents.raw import Edges, RawPage, Word

SPACE = 0.42  # em: the widest ordinary space between words
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
