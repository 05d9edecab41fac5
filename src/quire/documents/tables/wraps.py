"""Which text lines of a table belong to one row when no line is drawn between them.

A cell that is broken over lines sets them closer than rows stand. Where the distances tell nothing, the
words do: a line that fills only cells under filled cells and begins in lower case goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from quire.documents.tables.lines import TextLine

_CLOSE = 1.45  # em: lines further apart are never one cell
_JUMP = 1.09  # ratio of row distance to line distance that tells them apart


def row_breaks(lines: Sequence[TextLine], drawn: Sequence[bool], *, boxed: bool) -> list[bool]:
    """For each pair of neighbouring lines, whether a row ends there. `boxed`: every row has its frame."""
    breaks = list(drawn)
    bands = _bands(drawn)
    limit = _line_distance(lines, bands)
    for first, last in bands:
        if first == last:
            continue
        if boxed and not _several(lines[first : last + 1]):
            continue
        joined = _near(lines, first, last, limit) if limit else set()
        for i in range(first, last):
            breaks[i] = i not in joined and not _goes_on(lines, i, first)
    return breaks


def _bands(drawn: Sequence[bool]) -> list[tuple[int, int]]:
    bands, start = [], 0
    for i, line in enumerate(drawn):
        if line:
            bands.append((start, i))
            start = i + 1
    return [*bands, (start, len(drawn))]


def _several(band: Sequence[TextLine]) -> bool:
    """A frame holds several rows: two or more columns have numbers on the same two or more lines."""
    numeric = [{t.first for t in line.texts if t.numeric} for line in band]
    rows = [columns for columns in numeric if len(columns) >= 2]
    return len(rows) >= 2 and len(rows) >= 0.6 * len(band)


# --------------------------------------------------------------------------- distances


def _steps(lines: Sequence[TextLine], first: int, last: int) -> list[tuple[float, int, int]]:
    """Distances (em) between lines that follow each other in one column: (distance, line, next line)."""
    steps = []
    latest: dict[int, int] = {}
    for i in range(first, last + 1):
        for text in lines[i].texts:
            if text.first == text.last:
                if text.first in latest:
                    j = latest[text.first]
                    step = (lines[i].baseline - lines[j].baseline) / max(lines[i].size, lines[j].size, 1.0)
                    steps.append((step, j, i))
                latest[text.first] = i
    return steps


def _line_distance(lines: Sequence[TextLine], bands: Sequence[tuple[int, int]]) -> float:
    """The distance (em) up to which lines are one cell; 0 if rows stand no further apart than lines."""
    every = sorted(step for band in bands for step, _, _ in _steps(lines, *band))
    for low, high in zip(every, every[1:], strict=False):
        if low > _CLOSE:
            return 0.0
        if high > low * _JUMP and high - low > 0.08:
            limit = (low + high) / 2
            if _plausible(lines, bands, limit):
                return limit
    return 0.0


def _plausible(lines: Sequence[TextLine], bands: Sequence[tuple[int, int]], limit: float) -> bool:
    """Joining lines up to `limit` leaves rows whose cells have different numbers of lines."""
    stacked = merged = 0
    for first, last in bands:
        joined = _near(lines, first, last, limit)
        start = first
        for i in range(first, last + 1):
            if i in joined:
                continue
            if i > start:
                merged += 1
                stacked += _stacked(lines[start : i + 1])
            start = i + 1
    return merged > 0 and stacked <= 0.34 * merged


def _stacked(group: Sequence[TextLine]) -> bool:
    """Several lines that fill nearly all columns: rows, not one row."""
    columns = set().union(*(line.columns for line in group))
    full = sum(len(line.columns) >= max(2, 0.75 * len(columns)) for line in group)
    return full >= 2


def _near(lines: Sequence[TextLine], first: int, last: int, limit: float) -> set[int]:
    """Lines of a band after which the row goes on."""
    joined: set[int] = set()
    for step, i, j in _steps(lines, first, last):
        if step <= limit:
            joined.update(range(i, j))
    return joined


# --------------------------------------------------------------------------- words


def _goes_on(lines: Sequence[TextLine], i: int, first: int) -> bool:
    """The line after `i` finishes cells that line `i` began."""
    above, below = lines[i], lines[i + 1]
    if below.baseline - above.baseline > _CLOSE * max(above.size, below.size):
        return False
    if below.baseline - above.baseline < 0.75 * max(above.size, below.size):
        return not (above.columns & below.columns)  # one cell stands a little lower than the others
    if not below.texts or any(t.numeric for t in below.texts):
        return False
    if not below.columns <= above.columns or len(below.texts) > max(1, len(above.texts) // 2):
        return False
    if len(above.columns) < 2:
        return False
    return all(_broken(lines, i, t.first) for t in below.texts)


def _broken(lines: Sequence[TextLine], i: int, column: int) -> bool:
    above, below = lines[i].at(column), lines[i + 1].at(column)
    if above is None or below is None:
        return False
    ends = above.text.rstrip()[-1:]
    begins = below.text.lstrip()[:1]
    return ends in "-,/&(" or begins.islower() or begins in "(&"
