"""Heads of tables: texts that stand over several columns, and how many rows the head has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.documents.tables.columns import Separator
from quire.documents.tables.cuts import Cut, Extents, head_lines
from quire.documents.tables.grid import Grid
from quire.documents.tables.lines import TableLine, Text
from quire.documents.tables.rules import Stroke


def widened(
    lines: Sequence[TableLine],
    drawn: Sequence[Cut],
    across: Sequence[Stroke],
    bounds: Sequence[Separator],
    spread: Extents,
) -> list[TableLine]:
    """The lines with the texts stretched over the columns that they stand for."""
    columns = len(bounds) + 1
    head = head_lines(lines, drawn, columns)
    out = []
    for i, line in enumerate(lines):
        texts = list(line.texts)
        texts = _over_short_lines(texts, line, lines[i + 1 : i + 2], across, spread)
        if any(s.strokes for s in bounds):
            texts = _between_strokes(texts, line, lines, i, drawn, bounds)
        if i < max(head - 1, 1 if not head else 0) and i + 1 < len(lines):
            below = set().union(*(k.columns for k in lines[i + 1 : max(head, i + 2)]))
            texts = _centred(texts, below, spread)
        out.append(replace(line, texts=tuple(texts)))
    return out


def _over_short_lines(
    texts: list[Text],
    line: TableLine,
    following: Sequence[TableLine],
    across: Sequence[Stroke],
    spread: Extents,
) -> list[Text]:
    """A short line drawn under a text shows the columns for which the text stands."""
    if not following:
        return texts
    bottom = following[0].baseline - 0.3 * following[0].size
    under = [s for s in across if line.baseline - 0.3 * line.size < s.at < bottom]
    for stroke in under:
        covered = [
            c
            for c, (low, high) in enumerate(spread.written)
            if min(stroke.high, high) - max(stroke.low, low) > 0.5 * (high - low)
        ]
        over = [t for t in texts if stroke.low - 3 <= (t.x0 + t.x1) / 2 <= stroke.high + 3]
        if len(covered) < 2 or len(over) != 1 or len(covered) == len(spread.written):
            continue
        text = over[0]
        first, last = min(covered[0], text.first), max(covered[-1], text.last)
        if not any(t is not text and t.last >= first and t.first <= last for t in texts):
            texts = [replace(t, first=first, last=last) if t is text else t for t in texts]
    return texts


def _between_strokes(
    texts: list[Text],
    line: TableLine,
    lines: Sequence[TableLine],
    index: int,
    drawn: Sequence[Cut],
    bounds: Sequence[Separator],
) -> list[Text]:
    """A text goes up to the next vertical line beside it, over columns that are empty in its frame."""
    middle = line.baseline - 0.3 * line.size
    taken = _band_columns(lines, index, drawn)

    def closed(boundary: int) -> bool:
        strokes = bounds[boundary].strokes
        if not strokes:
            return True
        share = sum(1 for k in lines if _at(strokes, k)) / len(lines)
        return share < 0.4 or any(s.low - 1 <= middle <= s.high + 1 for s in strokes)

    out = []
    for text in texts:
        first, last = text.first, text.last
        while first > 0 and first - 1 not in taken and not closed(first - 1):
            first -= 1
        while last < len(bounds) and last + 1 not in taken and not closed(last):
            last += 1
        taken |= set(range(first, last + 1))
        out.append(replace(text, first=first, last=last))
    return out


def _at(strokes: Sequence[Stroke], line: TableLine) -> bool:
    return any(s.low - 1 <= line.baseline - 0.3 * line.size <= s.high + 1 for s in strokes)


def _band_columns(lines: Sequence[TableLine], index: int, drawn: Sequence[Cut]) -> set[int]:
    first = last = index
    while first > 0 and not drawn[first - 1].drawn:
        first -= 1
    while last < len(lines) - 1 and not drawn[last].drawn:
        last += 1
    return {c for line in lines[first : last + 1] for c in line.columns}


def _centred(texts: list[Text], below: set[int], spread: Extents) -> list[Text]:
    """A text over the middle of several columns that have heads of their own stands for all of them."""
    if len(below) <= len(texts):
        return texts
    out: list[Text] = []
    for k, text in enumerate(texts):
        low = out[-1].last + 1 if out else 0
        high = texts[k + 1].first - 1 if k + 1 < len(texts) else len(spread.written) - 1
        out.append(_best_range(text, low, high, below, spread))
    return out


def _best_range(text: Text, low: int, high: int, filled: set[int], spread: Extents) -> Text:
    middle = (text.x0 + text.x1) / 2
    size = text.tokens[0].size

    def miss(first: int, last: int) -> float:
        return abs(middle - (spread.written[first][0] + spread.written[last][1]) / 2)

    best, best_miss = (text.first, text.last), miss(text.first, text.last) - 0.8 * size
    for first in range(low, text.first + 1):
        for last in range(text.last, high + 1):
            wider = last - first > text.last - text.first
            if (
                wider
                and set(range(first, last + 1)) <= filled
                and miss(first, last) < min(best_miss, 1.5 * size)
            ):
                best, best_miss = (first, last), miss(first, last)
    return replace(text, first=best[0], last=best[1])


# --------------------------------------------------------------------------- how many rows


def head_rows(grid: Grid, drawn: Sequence[Cut], lines: Sequence[TableLine], row_of: Sequence[int]) -> int:
    """The number of head rows of a grid."""
    count = head_lines(lines, drawn, grid.columns)
    rows = row_of[count - 1] + 1 if count else 1
    if grid.rows < 2:
        return 0
    # Below a span, the row that names its columns belongs to the head.
    while rows < grid.rows - 1 and _spans(grid, rows - 1) and not _numbers(grid, rows):
        rows += 1
    if not count and rows == 1 and _numbers(grid, 0, share=0.7) and not _years(grid):
        return 0
    return min(rows, grid.rows - 1)


def _spans(grid: Grid, row: int) -> bool:
    """The row has a text over some but not all columns that goes on below it."""
    return any(
        c.col_end > c.col and c.col_end - c.col + 1 < grid.columns and c.row_end == row
        for c in grid.cells
        if c.row <= row
    )


def _numbers(grid: Grid, row: int, share: float = 0.34) -> bool:
    cells = [c for c in grid.row_cells(row) if c.col > 0]
    numeric = [c for c in cells if sum(ch.isdigit() for ch in c.text) > 0.5 * len(c.text.replace(" ", ""))]
    return bool(cells) and len(numeric) >= share * len(cells) and not all(_year(c.text) for c in numeric)


def _years(grid: Grid) -> bool:
    return any(_year(c.text) for c in grid.row_cells(0) if c.col > 0)


def _year(text: str) -> bool:
    return len(text) == 4 and text.isdecimal() and 1800 < int(text) < 2100
