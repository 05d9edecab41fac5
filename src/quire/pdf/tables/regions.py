"""Where the tables of a page stand.

Candidates come from four signs, the surest first: lines that touch each other (a frame), horizontal lines of
one width above each other (as in most journals), a table's caption with aligned rows beside it, and aligned
rows alone. A candidate that overlaps a surer one is dropped; whoever reads it decides whether it is a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, takewhile

from quire.pdf.captions import Caption
from quire.pdf.geometry import CLOSE, LARGER, PROSE, around, centre_in, column_edges, overlap, runs
from quire.pdf.layout.profile import Profile
from quire.pdf.raw import Edges, RawPage
from quire.pdf.tables.rules import MARGIN, DrawnLines, Stroke, frames, lines_of
from quire.pdf.tables.tokens import Token, TokenRow, TokenRun, inside, prose_row, rows_of, tokens_of

BESIDE = 30.0  # points from a table to what goes on beside it, which is none then
REACH = 300.0  # points above and below its lines in which rows of a table may stand
EVEN = 6.0  # points by which lines of one table may differ in where they begin and end
SHORT = 40.0  # points: shorter lines do not begin a table


@dataclass(frozen=True)
class TablePage:
    """A page with its captions, the lines drawn on it, and its tokens outside of captions."""

    page: RawPage
    captions: Sequence[Caption]
    profile: Profile
    lines: DrawnLines
    tokens: Sequence[Token]


def table_page(page: RawPage, captions: Sequence[Caption], profile: Profile) -> TablePage:
    """What tables of a page are read from."""
    taken = {id(w) for c in captions for line in c.lines for w in line.words}
    tokens = [t for t in tokens_of(page) if id(t.words[0]) not in taken]
    return TablePage(page, captions, profile, lines_of(page), tokens)


def drawn_regions(scene: TablePage) -> list[Edges]:
    """Where lines tell that a table may stand: frames, stacks of horizontal lines."""
    lines = scene.lines
    boxes = [box for box, across, _ in frames(lines.across, lines.down) if across > 1]
    framed = [box for box in boxes if box.width > 60 and box.height > 14]
    free = [s for s in lines.across if s.length >= SHORT and not any(_holds(box, s) for box in framed)]
    stacked = [_around(stack) for stack in _stacks(free, scene, framed)]
    return _merged([_with_rows(box, scene) for box in (*framed, *lines.shaded, *stacked)])


def _with_rows(box: Edges, scene: TablePage) -> Edges:
    """The box with the rows above its first and below its last line that have cells like those within."""
    beside = [
        t
        for t in scene.tokens
        if box.y0 - REACH < t.baseline < box.y1 + REACH
        and box.x0 - BESIDE < t.x1
        and t.x0 < box.x1 + BESIDE
        and not any(_across(t, box, cut) for cut in scene.page.gutters)
    ]
    rows = rows_of(t for t in beside if box.x0 - MARGIN < (t.x0 + t.x1) / 2 < box.x1 + MARGIN)
    if not any(_of_cells(r, box, beside) for r in rows if box.y0 < r.baseline < box.y1):
        return box
    top, bottom = box.y0, box.y1
    for row in reversed([r for r in rows if r.baseline < box.y0 + 1]):
        if top - row.y1 > 0.7 * row.size or not _of_cells(row, box, beside):
            break
        top = row.y0
    for row in (r for r in rows if r.y0 > box.y1 - 1):
        if row.y0 - bottom > 0.7 * row.size or not _of_cells(row, box, beside):
            break
        bottom = row.y1
    return Edges(box.x0, top, box.x1, bottom)


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
        and (box.x0 - BESIDE < t.x1 < box.x0 - MARGIN or box.x1 + MARGIN < t.x0 < box.x1 + BESIDE)
        for t in tokens
    )


def framed_by_caption(scene: TablePage, caption: Caption) -> Edges | None:
    """What two lines of one width enclose right below or above a caption, whatever it is."""
    box = caption.box
    wide = [s for s in scene.lines.across if s.length >= SHORT and s.covered(box.x0, box.x1) > 0]
    for first, second in pairwise(wide):
        even = abs(first.low - second.low) < EVEN and abs(first.high - second.high) < EVEN
        near = min(abs(first.at - box.y1), abs(box.y0 - second.at)) < 24
        if even and near and second.at - first.at > 14:
            return Edges(first.low, first.at, first.high, second.at)
    return None


def _holds(box: Edges, stroke: Stroke) -> bool:
    level = box.y0 - MARGIN <= stroke.at <= box.y1 + MARGIN
    return level and stroke.covered(box.x0 - MARGIN, box.x1 + MARGIN) > 0


def _around(stack: Sequence[Stroke]) -> Edges:
    return Edges(min(s.low for s in stack), stack[0].at, max(s.high for s in stack), stack[-1].at)


def _merged(boxes: Sequence[Edges]) -> list[Edges]:
    """Overlapping candidates become one."""
    out: list[Edges] = []
    for box in sorted(boxes, key=lambda b: (b.y0, b.x0)):
        for k, other in enumerate(out):
            if overlap(box, other) > 0.3 * min(_area(box), _area(other)):
                out[k] = around((other, box))
                break
        else:
            out.append(box)
    return out


def _area(box: Edges) -> float:
    return max(1.0, box.width * box.height)


def _stacks(free: Sequence[Stroke], scene: TablePage, framed: Sequence[Edges]) -> list[list[Stroke]]:
    stacks: list[list[Stroke]] = []
    walls = [c.box for c in scene.captions] + list(framed)
    for stroke in free:
        home = next((s for s in reversed(stacks) if _belongs(s, stroke, scene.tokens, walls)), None)
        if home is None:
            stacks.append([stroke])
        else:
            home.append(stroke)
    return [s for s in stacks if len(s) >= 2 and s[-1].at - s[0].at > 10]


def _belongs(
    stack: Sequence[Stroke], stroke: Stroke, tokens: Sequence[Token], walls: Sequence[Edges]
) -> bool:
    box = _around(stack)
    if stroke.low < box.x0 - EVEN or stroke.high > box.x1 + EVEN:
        return False
    between = Edges(box.x0, box.y1, box.x1, stroke.at)
    if any(overlap(wall, between) > 0 for wall in walls):
        return False
    rows = rows_of(inside(tokens, between, slack=0))
    shorter = stroke.low > box.x0 + EVEN or stroke.high < box.x1 - EVEN
    if shorter and between.height > 60 and len(rows) > 4:
        return False
    if len(rows) >= 3 and _is_larger(rows, rows_of(inside(tokens, box))):
        return False
    prose = sum(prose_row(row, box.x0, box.x1) for row in rows)
    return prose < max(2.0, 0.5 * len(rows))


def _is_larger(rows: Sequence[TokenRow], above: Sequence[TokenRow]) -> bool:
    """The rows are set in larger type than those of the table above them: running text."""
    sizes = [sorted(row.size for row in part)[len(part) // 2] for part in (above, rows) if part]
    return len(sizes) == 2 and sizes[1] > LARGER * sizes[0]


HEAD = 3  # lines of a head
FIRST = 40.0  # points above the first row of a table
FAR = 3.2  # em between its rows
SHARE = 0.3  # of its rows, which have numbers
_FULL, _WORDS = 0.7, 4  # of the width of a page's column, which its text fills with so many words
_NUMBER = re.compile(r"^[(\[<>≤≥~±+\-−–$€£]*\d[\d.,:/%()\[\]±\-−–]*[a-z*†‡]{0,2}$")
_SIGNS = frozenset("$€£¥%*†‡")  # in columns of their own beside the numbers


def beside_captions(
    scene: TablePage, captions: Sequence[Caption], taken: Sequence[Edges]
) -> list[tuple[Caption, Edges]]:
    """For each caption the aligned rows below or above it, first on the side that serves most captions."""
    ways = (_on_sides(scene, captions, taken, below) for below in (True, False))
    return max(ways, key=lambda found: (len(found), sum(box.height for _, box in found)))


def _on_sides(
    scene: TablePage, captions: Sequence[Caption], taken: Sequence[Edges], first: bool
) -> list[tuple[Caption, Edges]]:
    """The rows of each caption, of all captions first those below (or above) them."""
    found: list[tuple[Caption, Edges]] = []
    for below in (first, not first):
        for caption in captions:
            if any(c is caption for c, _ in found):
                continue
            low, high = column_edges(caption.box, scene.page)
            walls = [c.box for c in scene.captions if c is not caption] + [*taken, *(box for _, box in found)]
            area = Edges(low, caption.box.y1, high, 1e6) if below else Edges(low, 0.0, high, caption.box.y0)
            rows = _aligned(_contiguous(scene.tokens, area, walls, below=below))
            if rows:
                found.append((caption, _box_of(rows)))
    return found


def grown(scene: TablePage, box: Edges, walls: Sequence[Edges]) -> Edges:
    """A box whose lines enclose the head alone, with the rows that stand below it; another as it is."""
    levels = [s.at for s in scene.lines.within(box).across if s.length > 0.8 * box.width]
    head = rows_of(t for t in inside(scene.tokens, box) if levels and t.baseline < levels[-1])
    if len(levels) > 2 or not 1 <= len(head) <= HEAD or max(len(row.cells) for row in head) < 2:
        return box
    below = _contiguous(scene.tokens, Edges(box.x0 - 6, levels[-1], box.x1 + 6, 1e6), walls)
    rows = _aligned([*takewhile(lambda row: not _fills_columns(row, scene.page), below)])
    return around((box, _box_of(rows))) if len(rows) >= HEAD else box


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


def _box_of(rows: Sequence[TokenRow]) -> Edges:
    return around([t for row in rows for t in row.tokens])


def loose_regions(scene: TablePage, taken: Sequence[Edges]) -> list[Edges]:
    """Tables without lines and captions: rows of which some have numbers; none overlaps `taken`."""
    free = [t for t in scene.tokens if not any(centre_in(t, box, 2) for box in taken)]
    found = []
    for low, high in pairwise((0.0, *scene.page.gutters, scene.page.width)):
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
                found += [_box_of(table)] if numeric >= SHARE * len(table) else []
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
