"""Where the tables of a page stand.

Candidates come from four signs, the surest first: lines that touch each other (a frame), horizontal lines of
one width above each other (as in most journals), a table's caption with aligned rows beside it, and aligned
rows alone. A candidate that overlaps a surer one is dropped; whoever reads it decides whether it is a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.documents.captions import Caption
from quire.documents.raw import Edges, RawPage
from quire.documents.tables.rules import Frame, Stroke, frames, strokes
from quire.documents.tables.tokens import Row, Token, inside, rows_of

MARGIN = 4.0  # points around a table in which its lines may stand
SHORT = 40.0  # points: shorter lines do not begin a table
PROSE = 6  # words in a row that make it running text, if it is wide


@dataclass(frozen=True, slots=True)
class Lines:
    """All lines drawn on a page."""

    across: tuple[Stroke, ...]
    down: tuple[Stroke, ...]

    def within(self, box: Edges, margin: float = MARGIN) -> Lines:
        """Those that stand in the box or on its edge."""
        return Lines(
            tuple(
                s
                for s in self.across
                if box.y0 - margin <= s.at <= box.y1 + margin
                and min(s.high, box.x1 + margin) - max(s.low, box.x0 - margin) > 0.5 * s.length
            ),
            tuple(
                s
                for s in self.down
                if box.x0 - margin <= s.at <= box.x1 + margin
                and min(s.high, box.y1 + margin) - max(s.low, box.y0 - margin) > 0.5 * s.length
            ),
        )


@dataclass(frozen=True, slots=True)
class Region:
    """A place where a table may stand. `drawn`: its outline comes from lines."""

    box: Edges
    drawn: bool
    boxed: bool = False  # has lines in both directions


def lines_of(page: RawPage) -> Lines:
    """The lines of a page, made usable."""
    across, down = strokes(page)
    return Lines(tuple(across), tuple(down))


def drawn_regions(lines: Lines, tokens: Sequence[Token], captions: Sequence[Caption]) -> list[Region]:
    """Candidates from frames and from stacks of horizontal lines."""
    found = []
    for frame in frames(lines.across, lines.down):
        region = _framed(frame, lines)
        if region:
            found.append(region)
    used = [r.box for r in found]
    free = [s for s in lines.across if s.length >= SHORT and not any(_holds(box, s) for box in used)]
    for stack in _stacks(free, tokens, captions):
        found.append(_around(stack))
    return _merged(found)


def _framed(frame: Frame, lines: Lines) -> Region | None:
    if frame.box.width < 60 or frame.box.height < 14 or len(frame.across) < 2:
        return None
    return Region(frame.box, True, True)


def _holds(box: Edges, stroke: Stroke) -> bool:
    return (
        box.y0 - MARGIN <= stroke.at <= box.y1 + MARGIN
        and stroke.low < box.x1 + MARGIN
        and stroke.high > box.x0 - MARGIN
    )


def _around(stack: Sequence[Stroke]) -> Region:
    return Region(
        Edges(min(s.low for s in stack), stack[0].at, max(s.high for s in stack), stack[-1].at), True
    )


def _merged(regions: Sequence[Region]) -> list[Region]:
    """Overlapping candidates become one."""
    out: list[Region] = []
    for region in sorted(regions, key=lambda r: (r.box.y0, r.box.x0)):
        for k, other in enumerate(out):
            if overlap(region.box, other.box) > 0.3 * min(_area(region.box), _area(other.box)):
                out[k] = Region(other.box.union(region.box), True, other.boxed or region.boxed)
                break
        else:
            out.append(region)
    return out


def _area(box: Edges) -> float:
    return max(1.0, box.width * box.height)


def overlap(one: Edges, other: Edges) -> float:
    """The area that two boxes share."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    down = min(one.y1, other.y1) - max(one.y0, other.y0)
    return max(0.0, across) * max(0.0, down)


# --------------------------------------------------------------------------- stacks


def _stacks(
    free: Sequence[Stroke], tokens: Sequence[Token], captions: Sequence[Caption]
) -> list[list[Stroke]]:
    stacks: list[list[Stroke]] = []
    for stroke in free:
        home = next((s for s in reversed(stacks) if _belongs(s, stroke, tokens, captions)), None)
        if home is None:
            stacks.append([stroke])
        else:
            home.append(stroke)
    return [s for s in stacks if len(s) >= 2 and s[-1].at - s[0].at > 10]


def _belongs(
    stack: Sequence[Stroke], stroke: Stroke, tokens: Sequence[Token], captions: Sequence[Caption]
) -> bool:
    low, high = min(s.low for s in stack), max(s.high for s in stack)
    same = abs(stroke.low - low) < 6 and abs(stroke.high - high) < 6
    part = low - 6 <= stroke.low and stroke.high <= high + 6
    if not (same or part):
        return False
    between = Edges(low, stack[-1].at, high, stroke.at)
    if any(overlap(c.box, between) > 0 for c in captions):
        return False
    rows = rows_of(inside(tokens, between, slack=0))
    if not rows:
        return stroke.at - stack[-1].at < 30
    if part and not same and stroke.at - stack[-1].at > 60 and len(rows) > 4:
        return False
    return not is_prose(rows, low, high)


def is_prose(rows: Sequence[Row], low: float, high: float) -> bool:
    """Most rows are running text: from the left edge on, wide, of many words, in one or two columns."""
    prose = sum(prose_row(row, low, high) for row in rows)
    return prose >= 2 and prose >= 0.5 * len(rows)


def prose_row(row: Row, low: float, high: float) -> bool:
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
