"""Where the columns of a table part: drawn vertical lines, and strips that hardly any row writes across."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from quire import trees
from quire.pdf.tables.rules import Stroke, levels
from quire.pdf.tables.tokens import OnBaseline, Token, TokenRow, TokenRun

WEIGHTS = "table_columns.npz"
CROSSED = 0.4  # share of the rows that may write across a strip
NEAR = 4.0  # em: a word further off says nothing about a strip
HEAD = 3  # rows in which texts over several columns are most likely
EVEN = 0.12  # em by which aligned words may miss each other
MOST = 0.8  # share of the rows whose words tell how wide a boundary is blank
HALF = 0.5  # share of the rows that make an alignment
MANY = 400  # rows of a table that are looked at; longer ones are thinned out
MOST_STRIPS = 200  # candidates that are looked at, the emptiest: no table has as many columns
_MARKS = re.compile(r"^(?:(?:\d{1,2}[.)]|[•●▪■◦–—-])(?=[\d•●▪■◦–—-]|$))+$")  # of lists in cells
_BEFORE = re.compile(r"^(?:US|A|C)?[$€£¥]$")
_AFTER = re.compile(r"^(?:%|±.*|[*†‡§¶#]+|\)[*†‡§¶]*)$")


class Strip(NamedTuple):
    """A candidate: how many rows write across it, and from where to where it is blank in the others."""

    crossed: int
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Where a boundary would stand."""
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class Band:
    """The words of a table between two drawn lines, row by row, and what is typical of them."""

    rows: list[list[Token]]
    size: float
    space: float
    framed: bool

    @property
    def shape(self) -> tuple[float, ...]:
        """Features that all strips of the band share."""
        counts = sorted(len(row) for row in self.rows)
        return (len(self.rows), counts[len(counts) // 2], self.space, float(self.framed))


def band(rows: Sequence[TokenRow], low: float, high: float, *, framed: bool) -> Band | None:
    """The words of the rows between two xs."""
    chosen = rows if len(rows) <= MANY else rows[:: len(rows) // MANY + 1]
    inside = [[t for t in row.tokens if low - 1 <= t.x0 and t.x1 <= high + 1] for row in chosen]
    kept = [(words, row.size) for words, row in zip(inside, chosen, strict=True) if words]
    if not kept:
        return None
    size = max(sorted(s for _, s in kept)[len(kept) // 2], 1.0)
    gaps = sorted((b.x0 - a.x1) / size for words, _ in kept for a, b in pairwise(words))
    spaces = [gap for gap in gaps if 0.1 < gap < 0.6]
    return Band([words for words, _ in kept], size, spaces[len(spaces) // 2] if spaces else 0.3, framed)


def strips_of(own: Band) -> list[Strip]:
    """The candidates, the emptiest first."""
    steps: dict[float, int] = {}
    for words in own.rows:
        for word in words:
            steps[word.x0] = steps.get(word.x0, 0) + 1
            steps[word.x1] = steps.get(word.x1, 0) - 1
    xs = sorted(steps)
    depths = np.cumsum([steps[x] for x in xs])
    allowed = CROSSED * len(own.rows)
    found = [
        Strip(int(depths[k]), xs[k], xs[k + 1])
        for k in range(1, len(xs) - 1)
        if depths[k - 1] > depths[k] < depths[k + 1] and depths[k] <= allowed
    ]
    return sorted(found, key=lambda s: (s.crossed, s.low - s.high))[:MOST_STRIPS]


class Blank(NamedTuple):
    """Between which xs most rows leave a boundary blank, and where the words beside it are aligned, if so."""

    low: float
    high: float
    end: float | None
    start: float | None
    slack: float

    def parts(self, left: Token, right: Token) -> bool:
        """Whether two words that follow each other stand in the columns beside the boundary."""
        if left.x1 <= self.low + self.slack and right.x0 >= self.high - self.slack:
            return True
        middle = (self.low + self.high) / 2
        if not left.x1 - self.slack < middle < right.x0 + self.slack:
            return False
        ended = self.end is not None and abs(left.x1 - self.end) < self.slack
        return ended or (self.start is not None and abs(right.x0 - self.start) < self.slack)


class Sides(NamedTuple):
    """What stands beside a strip: rows that cross it, and the nearest words of the others.

    `top` is the gap of the first row that has words on both sides, `over` counts the crossing rows below the
    first few, `lead` has for each row by how much the gap is wider than those between the words beside it,
    `body` is the narrowest gap below the first few rows.
    """

    across: list[Token]
    both: list[tuple[Token, Token]]
    left: list[Token]
    right: list[Token]
    top: float
    over: int
    lead: list[float]
    body: float


def sides(own: Band, strip: Strip, low: float, high: float) -> Sides:
    """The words beside a strip, between the boundaries beside it."""
    x, slack = strip.middle, 0.05 * own.size
    across, both, left, right = [], [], [], []
    top, over, body = -1.0, 0, NEAR
    lead: list[float] = []
    for k, words in enumerate(own.rows):
        at = next((i for i, word in enumerate(words) if word.x1 > x + slack), len(words))
        if at < len(words) and words[at].x0 < x - slack:
            across.append(words[at])
            over += k >= HEAD
            continue
        before = words[at - 1] if at and words[at - 1].x0 > low - slack else None
        after = words[at] if at < len(words) and words[at].x1 < high + slack else None
        if before and after:
            both.append((before, after))
            gap = after.x0 - before.x1
            top = gap / own.size if top < 0 else top
            body = min(body, gap / own.size) if k >= HEAD else body
            lead.append((gap - _beside(words, at, low, high)) / own.size)
        elif before:
            left.append(before)
        elif after:
            right.append(after)
    return Sides(across, both, left, right, top, over, lead, body)


def _beside(words: Sequence[Token], i: int, low: float, high: float) -> float:
    """The wider of the gaps before and after the words on both sides of the one before word `i`."""
    gaps = [0.0]
    if i > 1 and words[i - 2].x0 > low:
        gaps.append(words[i - 1].x0 - words[i - 2].x1)
    if i + 1 < len(words) and words[i + 1].x1 < high:
        gaps.append(words[i + 1].x0 - words[i].x1)
    return max(gaps)


def features(own: Band, strip: Strip, low: float, high: float) -> list[float]:
    """The features of one strip; `low` and `high` are the boundaries beside it."""
    near = sides(own, strip, low, high)
    size, both = own.size, near.both
    gaps = sorted((b.x0 - a.x1) / size for a, b in both) or [NEAR]
    ends = [a.x1 for a, _ in both] + [t.x1 for t in near.left]
    starts = [b.x0 for _, b in both] + [t.x0 for t in near.right]
    begins = [a.x0 for a, _ in both] + [t.x0 for t in near.left]
    width = (min(starts) - max(ends)) / size if starts and ends else NEAR
    count = len(both) + len(near.left) + len(near.right) + len(near.across)
    share = 1 / max(1, len(both))
    return [
        len(near.across) / max(1, count),
        len(near.across) / max(1, len(both)),
        len(both),
        len(both) / max(1, count),
        count / len(own.rows),
        len(near.left) / max(1, count),
        len(near.right) / max(1, count),
        width,
        (strip.high - strip.low) / size,
        *(gaps[int(q * (len(gaps) - 1))] for q in (0, 0.1, 0.5, 1)),
        gaps[0] / own.space,
        gaps[len(gaps) // 2] / own.space,
        sum(g > 1.5 * own.space for g in gaps) / len(gaps),
        near.top,
        near.over / max(1, count),
        near.body,
        sum(g > 0.05 for g in near.lead) * share,
        sum(near.lead) * share,
        _even(starts, EVEN * size),
        _even(ends, EVEN * size),
        _even(begins, EVEN * size),
        (strip.middle - low) / size,
        (high - strip.middle) / size,
        share * sum(_numeric(a) for a, _ in both),
        share * sum(_numeric(b) for _, b in both),
        share * sum(_numeric(a) and _numeric(b) for a, b in both),
        share * sum(b.text[:1].islower() for _, b in both),
        share * sum(b.text[:1].isupper() for _, b in both),
        share * sum(b.text[:1] in "(±[" for _, b in both),
        share * sum(a.text[-1:] in ",;:(±=<>&/" for a, _ in both),
        share * sum(a.text[-1:] in "-\u2010\u00ad" for a, _ in both),
        share * sum(len(a.text) <= 2 for a, _ in both),
        share * sum(len(b.text) <= 2 for _, b in both),
        len({a.text for a, _ in both}) * share,
        len({b.text for _, b in both}) * share,
        *own.shape,
    ]  # fmt: skip


def blank_at(own: Band, x: float, low: float, high: float) -> Blank | None:
    """What the rows leave blank at a boundary between two others."""
    near = sides(own, Strip(0, x, x), low, high)
    ends = sorted([a.x1 for a, _ in near.both] + [t.x1 for t in near.left])
    starts = sorted([b.x0 for _, b in near.both] + [t.x0 for t in near.right])
    if not ends or not starts:
        return None
    slack = EVEN * own.size
    return Blank(
        ends[int(MOST * (len(ends) - 1))],
        starts[int((1 - MOST) * (len(starts) - 1))],
        _aligned(ends, slack),
        _aligned(starts, slack),
        slack,
    )


def _aligned(xs: Sequence[float], slack: float) -> float | None:
    """Where most of the xs agree, if they do."""
    middle = xs[len(xs) // 2]
    return middle if _even(xs, slack) >= HALF and len(xs) > 2 else None


def _even(xs: Sequence[float], slack: float) -> float:
    """The largest share of the xs that agree."""
    if not xs:
        return 0.0
    ordered = sorted(xs)
    best = first = 0
    for last, x in enumerate(ordered):
        while x - ordered[first] > 2 * slack:
            first += 1
        best = max(best, last - first + 1)
    return best / len(ordered)


def _numeric(word: Token) -> bool:
    return any(c.isdigit() for c in word.text) and not any(c.isalpha() for c in word.text)


def chosen(own: Band, low: float, high: float) -> list[Strip]:
    """The strips that part columns, from left to right."""
    weights = trees.load_trees("quire.pdf", f"data/{WEIGHTS}")
    found: list[Strip] = []
    for strip in strips_of(own):
        left = max((f.middle for f in found if f.middle < strip.middle), default=low - 1)
        right = min((f.middle for f in found if f.middle > strip.middle), default=high + 1)
        row = np.asarray([features(own, strip, left, right)], dtype=np.float32)
        if weights.scores(row)[0] > 0:
            found.append(strip)
    return sorted(found, key=lambda s: s.middle)


class Separator(NamedTuple):
    """A column boundary; `strokes` are the lines drawn there (none: the strip `blank` was found)."""

    x: float
    strokes: tuple[Stroke, ...] = ()
    blank: Blank | None = None

    def is_beside(self, row: OnBaseline) -> bool:
        """Whether its line is drawn beside a row."""
        return any(s.low - 2 <= row.middle <= s.high + 2 for s in self.strokes)


def beside(bounds: Sequence[Separator], row: TokenRow) -> list[float]:
    """The xs of the boundaries that are drawn beside a row."""
    return [b.x for b in bounds if b.is_beside(row)]


def separators(rows: Sequence[TokenRow], down: Sequence[Stroke]) -> list[Separator]:
    """The inner column boundaries of a table, from left to right."""
    if not rows:
        return []
    left, right = min(r.x0 for r in rows), max(r.x1 for r in rows)
    drawn = [
        Separator(x, tuple(s for s in down if abs(s.at - x) < 4))
        for x in levels(down)
        if left + 1 < x < right - 1
    ]
    found = list(drawn)
    edges = [left - 5, *(s.x for s in drawn), right + 5]
    for low, high in pairwise(edges):
        found += _gaps(rows, low, high, drawn)
    return _without_signs(rows, sorted(found))


def _without_signs(rows: Sequence[TokenRow], found: list[Separator]) -> list[Separator]:
    """The boundaries without those that part signs from numbers ("$", "± 2.1"), or marks from a list."""
    texts: list[list[str]] = [[] for _ in range(len(found) + 1)]
    xs = [s.x for s in found]
    for row in rows:
        for piece in row.pieces(xs):
            first, last = column_of(piece, xs, row.size)
            if first == last:
                texts[first].append("".join(t.text for t in piece.tokens))
    kept = []
    for k, separator in enumerate(found):
        before = texts[k] and all(_BEFORE.match(t) for t in texts[k])
        after = texts[k + 1] and all(_AFTER.match(t) for t in texts[k + 1])
        listed = 0 < k and len(texts[k]) > 1 and all(_MARKS.match(t) for t in texts[k])
        if separator.strokes or not (before or after or listed):
            kept.append(separator)
    return kept


def _gaps(rows: Sequence[TokenRow], low: float, high: float, drawn: Sequence[Separator]) -> list[Separator]:
    """The boundaries between two drawn lines, told by the strips that are blank there."""
    own = band(rows, low, high, framed=bool(drawn))
    if own is None:
        return []
    pieces = [
        [p for p in row.pieces(beside(drawn, row)) if low - 1 <= p.x0 and p.x1 <= high + 1] for row in rows
    ]
    middles = [strip.middle for strip in chosen(own, low, high)]
    kept = _without_titles([row for row in pieces if row], middles, low, high)
    xs = [low - 1, *kept, high + 1]
    return [Separator(x, blank=blank_at(own, x, a, b)) for a, x, b in zip(xs, kept, xs[2:], strict=False)]


def _without_titles(
    rows: Sequence[Sequence[TokenRun]], found: list[float], low: float, high: float
) -> list[float]:
    """The boundaries without those around a head's text that stands between the columns that it names."""
    k = 1
    while k < len(found):
        left, right = found[k - 1], found[k]
        mine = [(i, p) for i, row in enumerate(rows) for p in row if left < p.x0 and p.x1 < right]
        before = found[k - 2] if k > 1 else low - 1
        after = found[k + 1] if k + 1 < len(found) else high + 1
        heads = mine and len(rows) >= 3 and mine[-1][0] <= max(1, len(rows) // 4)
        alone = all(not any(before < p.x0 < left or right < p.x0 < after for p in rows[i]) for i, _ in mine)
        if heads and alone:
            ends = [p.x1 for row in rows for p in row if before < p.x0 and p.x1 <= left]
            starts = [p.x0 for row in rows for p in row if right <= p.x0 and p.x1 < after]
            found[k - 1 : k + 1] = [(max(ends, default=left) + min(starts, default=right)) / 2]
        else:
            k += 1
    return found


def column_of(piece: TokenRun, bounds: Sequence[float], size: float) -> tuple[int, int]:
    """First and last column that a piece covers; `bounds` are the inner boundaries."""
    reach = min(0.6 * size, 0.3 * (piece.x1 - piece.x0))
    first = sum(1 for x in bounds if x <= piece.x0 + reach)
    last = sum(1 for x in bounds if x < piece.x1 - reach)
    return first, max(first, last)
