"""Rows whose cells are centred in height: a column of single-line cells shows where each row's middle is.

Cells of several lines stand evenly above and below the middle of their row, so their lines fall between the
lines of the other cells. The column whose texts can be such middles for all other columns gives the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from quire.documents.tables.lines import TextLine

_OFF = 0.4  # em by which a cell may miss the middle of its row
_EMPTY = 0.45  # em: what a row without a text in some column costs
_TALL = 14  # lines of one cell
_HALF = 0.8  # em: lines nearer than this are cells at different heights


def rows_by_anchor(band: Sequence[TextLine]) -> list[int] | None:
    """The row (counted from 0) of each line, or None if cells are not centred."""
    half = sum(b.baseline - a.baseline < _HALF * a.size for a, b in zip(band, band[1:], strict=False))
    if half < 2 or len(band) > 120:
        return None
    columns: dict[int, list[float]] = {}
    for line in band:
        for text in line.texts:
            if text.first == text.last:
                columns.setdefault(text.first, []).append(line.baseline)
    if len(columns) < 2:
        return None
    size = band[0].size
    for anchors in sorted({tuple(ys) for ys in columns.values() if len(ys) < len(band)}, key=len):
        rows = _rows(band, anchors, columns, size)
        if rows:
            return rows
    return None


def _rows(
    band: Sequence[TextLine], anchors: Sequence[float], columns: dict[int, list[float]], size: float
) -> list[int] | None:
    """The row of each line, if nearly all cells stand at the middle of their row."""
    of_baseline: dict[float, set[int]] = {}
    good = total = several = 0
    for lines in columns.values():
        groups = _centred_groups(lines, anchors, size)
        if groups is None:
            return None
        for row, group in enumerate(groups):
            for y in group:
                of_baseline.setdefault(y, set()).add(row)
            if group:
                total += 1
                several += len(group) > 1
                good += abs(sum(group) / len(group) - anchors[row]) <= _OFF * size
    if good < 0.95 * total or several < 2 or any(len(rows) > 1 for rows in of_baseline.values()):
        return None
    rows: list[int] = []
    for line in band:
        rows.append(min(of_baseline.get(line.baseline, {rows[-1] if rows else 0})))
    if rows != sorted(rows) or _holds_rows(band, rows):
        return None
    return rows


def _holds_rows(band: Sequence[TextLine], rows: Sequence[int]) -> bool:
    """What would be one row has several lines that fill the same two columns: a group of rows."""
    level: Counter[tuple[int, int]] = Counter()
    for line, row in zip(band, rows, strict=True):
        if len(line.columns) > 1:
            level.update((row, c) for c in line.columns)
    tall = Counter(row for (row, _), n in level.items() if n > 2)
    return sum(n > 1 for n in tall.values()) > 0.2 * len(set(rows))


def _centred_groups(
    lines: Sequence[float], anchors: Sequence[float], size: float
) -> list[Sequence[float]] | None:
    """The lines of a column as one (perhaps empty) run per row, each centred on it as well as possible."""
    count = len(lines)
    sums = [0.0]
    for y in lines:
        sums.append(sums[-1] + y)
    costs = [0.0] + [float("inf")] * count
    choices: list[list[int]] = []
    for anchor in anchors:
        new = [cost + _EMPTY * size for cost in costs]
        chosen = [0] * (count + 1)
        for end in range(1, count + 1):
            for length in range(1, min(_TALL, end) + 1):
                off = abs((sums[end] - sums[end - length]) / length - anchor)
                if off < 1.5 * size and costs[end - length] + off < new[end] - 1e-9:
                    new[end], chosen[end] = costs[end - length] + off, length
        choices.append(chosen)
        costs = new
    if costs[count] == float("inf"):
        return None
    groups: list[Sequence[float]] = []
    end = count
    for chosen in reversed(choices):
        groups.append(lines[end - chosen[end] : end])
        end -= chosen[end]
    return groups[::-1] if end == 0 else None
