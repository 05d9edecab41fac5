"""Tables without lines: rows that align beside a caption."""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.captions import Caption
from quire.documents.raw import Edges, Line, RawPage, word_count
from quire.documents.tables.prose import prose_row
from quire.documents.tables.regions import Lines, Region
from quire.documents.tables.tokens import Token, TokenRow, box_of, inside, rows_of

GAP = 1.1  # em between pieces of a row that are cells of their own
HEAD = 3  # lines of a head
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
    limits = gutters(page)
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


def grown(region: Region, lines: Lines, tokens: Sequence[Token], walls: Sequence[Edges]) -> Region:
    """A region whose lines enclose the head alone, with the rows that stand below it; another as it is."""
    box = region.box
    levels = [s.at for s in lines.within(box).across if s.length > 0.8 * box.width]
    head = rows_of(t for t in inside(tokens, box) if levels and t.baseline < levels[-1])
    if region.boxed or len(levels) > 2 or not 1 <= len(head) <= HEAD:
        return region
    if max(len(row.pieces(space=GAP)) for row in head) < 2:
        return region
    area = Edges(box.x0 - 6, levels[-1], box.x1 + 6, 1e6)
    rows = _contiguous(rows_of(inside(tokens, area, slack=0)), area, walls)
    beside = [t for t in tokens if -30 < t.x1 - box.x0 < -7 or 7 < t.x0 - box.x1 < 30]
    if any(abs(t.baseline - row.baseline) < 2 for row in rows[:HEAD] for t in beside):
        return region
    chosen = _aligned(rows, below=True)
    if len(chosen) < HEAD:
        return region
    return Region(box.union(box_of([t for row in chosen for t in row.tokens])), region.drawn)


def _contiguous(rows: Sequence[TokenRow], area: Edges, walls: Sequence[Edges]) -> list[TokenRow]:
    """The rows up to a gap or to what stands in their way."""
    out: list[TokenRow] = []
    edge = area.y0
    for row in rows:
        if row.y0 - edge > FAR * row.size:
            break
        if any(b.x0 < area.x1 and b.x1 > area.x0 and b.y0 - 1 < row.baseline < b.y1 + 1 for b in walls):
            break
        out.append(row)
        edge = row.y1
    return out


def gutters(page: RawPage) -> tuple[float, ...]:
    """The xs between the columns of a page: two, one or none."""
    lines = [line for line in page.lines if line.angle == 0 and word_count(line) >= 3]
    if len(lines) >= 18:
        low = sorted(line.x0 for line in lines)[len(lines) // 20]
        high = sorted(line.x1 for line in lines)[-1 - len(lines) // 20]
        thirds = (low + (high - low) / 3, low + 2 * (high - low) / 3)
        if _parted(lines, thirds, 6, 0.35):
            return thirds
    middle = page.width / 2
    long = [line for line in lines if word_count(line) >= 5]
    return (middle,) if _parted(long, (middle,), 4, 0.7) else ()


def _parted(lines: Sequence[Line], cuts: Sequence[float], least: int, crossing: float) -> bool:
    """Whether few lines cross the cuts, and each column has some."""
    counts = [0] * (len(cuts) + 1)
    crossed = 0
    edges = (-1e6, *cuts, 1e6)
    for line in lines:
        column = next(
            (k for k in range(len(counts)) if edges[k] - 8 < line.x0 and line.x1 < edges[k + 1] + 8), None
        )
        if column is None:
            crossed += 1
        else:
            counts[column] += 1
    return min(counts) >= least and crossed < crossing * sum(counts)


def column_edges(box: Edges, page: RawPage, cuts: Sequence[float]) -> tuple[float, float]:
    """Left and right limit of the columns in which a box stands."""
    edges = (0.0, *cuts, page.width)
    low = max((e for e in edges if e < box.x0 + 8), default=0.0)
    high = min((e for e in edges if e > box.x1 - 8), default=page.width)
    return low, high


def _rows_from(
    caption: Caption,
    tokens: Sequence[Token],
    low: float,
    high: float,
    others: Sequence[Edges],
    *,
    below: bool,
) -> list[TokenRow]:
    area = Edges(low, caption.box.y1, high, 1e6) if below else Edges(low, 0.0, high, caption.box.y0)
    rows = rows_of(inside(tokens, area, slack=0))
    if not below:
        rows.reverse()
    out: list[TokenRow] = []
    edge = caption.box.y1 if below else caption.box.y0
    for row in rows:
        gap = row.y0 - edge if below else edge - row.y1
        if gap > (FAR * row.size if out else 4.5 * max(row.size, caption.size)):
            break
        if any(b.x0 < high and b.x1 > low and b.y0 - 1 < row.baseline < b.y1 + 1 for b in others):
            break
        out.append(row)
        edge = row.y1 if below else row.y0
    return out


def _aligned(rows: Sequence[TokenRow], *, below: bool) -> list[TokenRow]:
    """The rows up to where running text begins, if enough of them have several cells."""
    if not rows:
        return []
    left, right = min(r.x0 for r in rows), max(r.x1 for r in rows)
    chosen: list[TokenRow] = []
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


def _goes_on(rows: Sequence[TokenRow]) -> bool:
    """The last rows finish a text of a row above: close lines that begin in lower case."""
    first = next((k for k in range(len(rows), 0, -1) if len(rows[k - 1].pieces(space=GAP)) > 1), 0)
    starts = [p.x0 for p in rows[first - 1].pieces(space=GAP)] if first else []
    return all(
        row.tokens[0].text[:1].islower()
        and row.baseline - above.baseline < 1.35 * row.size
        and any(abs(row.x0 - x) < 2 for x in starts)
        for above, row in zip(rows[first - 1 :], rows[first:], strict=False)
    )
