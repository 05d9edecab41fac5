"""Tables without lines: rows that align beside a caption."""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.captions import Caption
from quire.documents.raw import Edges, RawPage
from quire.documents.tables.regions import Region, prose_row
from quire.documents.tables.tokens import Row, Token, box_of, inside, rows_of

GAP = 1.1  # em between pieces of a row that are cells of their own
FAR = 3.2  # em between rows of one table


def beside_captions(
    captions: Sequence[Caption],
    tokens: Sequence[Token],
    taken: Sequence[Edges],
    every: Sequence[Caption],
    page: RawPage,
) -> list[tuple[Caption, Region]]:
    """For each caption the aligned rows below or above it, first on the side that serves most captions."""
    best: list[tuple[Caption, Region]] = []
    most = (0, 0.0)
    for below in (True, False):
        found = _on_sides(captions, tokens, taken, every, page, (below, not below))
        score = (len(found), sum(region.box.height for _, region in found))
        if score > most:
            best, most = found, score
    return best


def _on_sides(
    captions: Sequence[Caption],
    tokens: Sequence[Token],
    taken: Sequence[Edges],
    every: Sequence[Caption],
    page: RawPage,
    sides: Sequence[bool],
) -> list[tuple[Caption, Region]]:
    limits = gutter(page)
    found: list[tuple[Caption, Region]] = []
    for below in sides:
        for caption in captions:
            if any(c is caption for c, _ in found):
                continue
            low, high = column_edges(caption.box, page, limits)
            others = [c.box for c in every if c is not caption] + list(taken) + [r.box for _, r in found]
            rows = _rows_from(caption, tokens, low, high, others, below=below)
            chosen = _aligned(rows, below=below)
            if chosen:
                found.append((caption, Region(box_of([t for row in chosen for t in row.tokens]), False)))
    return found


def gutter(page: RawPage) -> float | None:
    """The x between the two columns of a page, or None."""
    middle = page.width / 2
    left = right = crossing = 0
    for line in page.lines:
        if line.angle == 0 and len(line.words) >= 5:
            if line.x1 < middle + 8:
                left += 1
            elif line.x0 > middle - 8:
                right += 1
            else:
                crossing += 1
    return middle if left >= 4 and right >= 4 and crossing < 0.7 * (left + right) else None


def column_edges(box: Edges, page: RawPage, middle: float | None) -> tuple[float, float]:
    """Left and right limit of the column in which a box stands."""
    if middle is not None and box.x1 < middle + 8:
        return 0.0, middle
    if middle is not None and box.x0 > middle - 8:
        return middle, page.width
    return 0.0, page.width


def _rows_from(
    caption: Caption,
    tokens: Sequence[Token],
    low: float,
    high: float,
    others: Sequence[Edges],
    *,
    below: bool,
) -> list[Row]:
    area = Edges(low, caption.box.y1, high, 1e6) if below else Edges(low, 0.0, high, caption.box.y0)
    rows = rows_of(inside(tokens, area, slack=0))
    if not below:
        rows.reverse()
    out: list[Row] = []
    edge = caption.box.y1 if below else caption.box.y0
    for row in rows:
        gap = row.y0 - edge if below else edge - row.y1
        if gap > (FAR if out else 4.5) * row.size:
            break
        if any(b.x0 < high and b.x1 > low and b.y0 - 1 < row.baseline < b.y1 + 1 for b in others):
            break
        out.append(row)
        edge = row.y1 if below else row.y0
    return out


def _aligned(rows: Sequence[Row], *, below: bool) -> list[Row]:
    """The rows up to where running text begins, if enough of them have several cells."""
    if not rows:
        return []
    left, right = min(r.x0 for r in rows), max(r.x1 for r in rows)
    chosen: list[Row] = []
    for row in rows:
        if prose_row(row, left, right):
            break
        chosen.append(row)
    while chosen and len(chosen[-1].pieces(space=GAP)) < 2 and not (below and _goes_on(chosen)):
        chosen.pop()
    several = sum(len(row.pieces(space=GAP)) >= 2 for row in chosen)
    if several >= 2 and several >= 0.4 * len(chosen):
        return chosen if below else chosen[::-1]
    return []


def _goes_on(rows: Sequence[Row]) -> bool:
    """The last rows finish a text of a row above: close lines that begin in lower case."""
    first = next((k for k in range(len(rows), 0, -1) if len(rows[k - 1].pieces(space=GAP)) > 1), 0)
    starts = [p.x0 for p in rows[first - 1].pieces(space=GAP)] if first else []
    return all(
        row.tokens[0].text[:1].islower()
        and row.baseline - above.baseline < 1.35 * row.size
        and any(abs(row.x0 - x) < 2 for x in starts)
        for above, row in zip(rows[first - 1 :], rows[first:], strict=False)
    )
