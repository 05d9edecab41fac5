"""Where the tables of a page stand.

Candidates come from four signs, the surest first: lines that touch each other (a frame), horizontal lines of
one width above each other (as in most journals), a table's caption with aligned rows beside it, and aligned
rows alone. A candidate that overlaps a surer one is dropped; whoever reads it decides whether it is a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.pdf.captions import Caption
from quire.pdf.geometry import LARGER, overlap
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables.rules import RuledFrame, Stroke, frames, stripes, strokes
from quire.pdf.tables.tokens import (
    PROSE,
    Token,
    TokenRow,
    inside,
    is_prose,
    prose_row,
    rows_of,
)

MARGIN = 4.0  # points around a table in which its lines may stand
SHORT = 40.0  # points: shorter lines do not begin a table


@dataclass(frozen=True, slots=True)
class DrawnLines:
    """All lines drawn on a page."""

    across: tuple[Stroke, ...]
    down: tuple[Stroke, ...]
    shaded: tuple[Edges, ...] = ()  # boxes of rows told apart by shading

    def within(self, box: Edges, margin: float = MARGIN) -> DrawnLines:
        """Those that stand in the box or on its edge."""
        return DrawnLines(
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


def lines_of(page: RawPage) -> DrawnLines:
    """The lines of a page, made usable."""
    across, down = strokes(page)
    shaded = [(box, borders) for box, borders in stripes(page) if not _ruled(box, across)]
    edges = [s for _, borders in shaded for s in borders]
    return DrawnLines(tuple(sorted(across + edges)), tuple(down), tuple(box for box, _ in shaded))


def _ruled(box: Edges, across: Sequence[Stroke]) -> bool:
    """Lines are drawn within the box already."""
    inner = sum(1 for s in across if box.y0 + 2 < s.at < box.y1 - 2 and s.low < box.x1 and s.high > box.x0)
    return inner > 2


def drawn_regions(
    lines: DrawnLines, tokens: Sequence[Token], captions: Sequence[Caption], cuts: Sequence[float] = ()
) -> list[Region]:
    """Candidates from frames and from stacks of horizontal lines; `cuts` are the xs between columns."""
    found = []
    for frame in frames(lines.across, lines.down):
        region = _framed(frame)
        if region:
            found.append(_with_rows(region, tokens, cuts))
    used = [r.box for r in found]
    found += [_with_rows(Region(box, True), tokens, cuts) for box in lines.shaded]
    free = [s for s in lines.across if s.length >= SHORT and not any(_holds(box, s) for box in used)]
    for stack in _stacks(free, tokens, captions, used):
        found.append(_with_rows(_around(stack), tokens, cuts))
    return _merged(found)


def _with_rows(region: Region, tokens: Sequence[Token], cuts: Sequence[float]) -> Region:
    """The region with the rows above its first and below its last line that have cells like those within."""
    box = region.box
    tokens = [
        t
        for t in tokens
        if box.y0 - 90 < t.baseline < box.y1 + 230
        and box.x0 - 35 < t.x1
        and t.x0 < box.x1 + 35
        and not any(_across(t, box, cut) for cut in cuts)
    ]
    near = Edges(box.x0 - 3, box.y0 - 60, box.x1 + 3, box.y1 + 200)
    rows = rows_of(inside(tokens, near, slack=0))
    above = [r for r in reversed(rows) if r.baseline < box.y0 + 1]
    below = [r for r in rows if r.y0 > box.y1 - 1]
    top, bottom = box.y0, box.y1
    if not any(_of_cells(r, box, tokens) for r in rows if box.y0 < r.baseline < box.y1):
        return region
    for row in above[:3]:
        if top - row.y1 > 0.7 * row.size or not _of_cells(row, box, tokens):
            break
        top = row.y0
    for row in below:
        if row.y0 - bottom > 0.7 * row.size or not _of_cells(row, box, tokens):
            break
        bottom = row.y1
    return Region(Edges(box.x0, top, box.x1, bottom), region.drawn, region.boxed)


def _across(token: Token, box: Edges, cut: float) -> bool:
    """The token stands in the next column of the page."""
    return box.x1 - 8 < cut < token.x0 + 8 or token.x1 - 8 < cut < box.x0 + 8


def _of_cells(row: TokenRow, box: Edges, tokens: Sequence[Token]) -> bool:
    """Several pieces with wide gaps, and nothing that goes on beside the table."""
    pieces = row.cells
    if len(pieces) < 2 or prose_row(row, box.x0, box.x1) or row.x1 < box.x0 + 0.4 * box.width:
        return False
    if (
        len(pieces) == 2
        and len(pieces[1].tokens) >= 2 * PROSE
        and pieces[1].x1 - pieces[1].x0 > 0.6 * box.width
    ):
        return False  # a note behind its mark
    return not any(
        abs(t.baseline - row.baseline) < 2
        and (box.x0 - 30 < t.x1 < box.x0 - 3 or box.x1 + 3 < t.x0 < box.x1 + 30)
        for t in tokens
    )


def framed_by_caption(caption: Caption, lines: DrawnLines) -> Region | None:
    """What two lines of one width enclose right below or above a caption, whatever it is."""
    box = caption.box
    wide = [s for s in lines.across if s.length >= SHORT and s.low < box.x1 and s.high > box.x0]
    for first, second in zip(wide, wide[1:], strict=False):
        if abs(first.low - second.low) > 6 or abs(first.high - second.high) > 6 or second.at - first.at < 14:
            continue
        inner = Edges(first.low, first.at, first.high, second.at)
        gap = min(abs(first.at - box.y1), abs(box.y0 - second.at))
        if gap < 24:
            return Region(inner, True)
    return None


def _framed(frame: RuledFrame) -> Region | None:
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


# --------------------------------------------------------------------------- stacks


def _stacks(
    free: Sequence[Stroke], tokens: Sequence[Token], captions: Sequence[Caption], framed: Sequence[Edges]
) -> list[list[Stroke]]:
    stacks: list[list[Stroke]] = []
    walls = [c.box for c in captions] + list(framed)
    for stroke in free:
        home = next((s for s in reversed(stacks) if _belongs(s, stroke, tokens, walls)), None)
        if home is None:
            stacks.append([stroke])
        else:
            home.append(stroke)
    return [s for s in stacks if len(s) >= 2 and s[-1].at - s[0].at > 10]


def _belongs(
    stack: Sequence[Stroke], stroke: Stroke, tokens: Sequence[Token], walls: Sequence[Edges]
) -> bool:
    low, high = min(s.low for s in stack), max(s.high for s in stack)
    same = abs(stroke.low - low) < 6 and abs(stroke.high - high) < 6
    part = low - 6 <= stroke.low and stroke.high <= high + 6
    if not (same or part):
        return False
    between = Edges(low, stack[-1].at, high, stroke.at)
    if any(overlap(wall, between) > 0 for wall in walls):
        return False
    rows = rows_of(inside(tokens, between, slack=0))
    if not rows:
        return stroke.at - stack[-1].at < 30
    if part and not same and stroke.at - stack[-1].at > 60 and len(rows) > 4:
        return False
    if len(rows) >= 3 and _is_larger(
        rows, rows_of(inside(tokens, Edges(low, stack[0].at, high, stack[-1].at)))
    ):
        return False
    return not is_prose(rows, low, high)


def _is_larger(rows: Sequence[TokenRow], above: Sequence[TokenRow]) -> bool:
    """The rows are set in larger type than those of the table above them: running text."""
    sizes = [sorted(row.size for row in part)[len(part) // 2] for part in (above, rows) if part]
    return len(sizes) == 2 and sizes[1] > LARGER * sizes[0]
