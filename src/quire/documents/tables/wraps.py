"""Which text lines of a table belong to one row when no line is drawn between them.

A cell that is broken over lines sets them closer than rows stand. Where the distances tell nothing, the
words do: a line that fills only cells under filled cells and begins in lower case goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from quire.documents.tables.anchors import rows_by_anchor
from quire.documents.tables.labels import bands_of
from quire.documents.tables.lines import TextLine

_CLOSE = 1.45  # em: lines further apart are never one cell
_JUMP = 1.09  # ratio of row distance to line distance that tells them apart by itself
_LEAST = 0.016  # em: smaller differences of distances are chance


def row_breaks(lines: Sequence[TextLine], drawn: Sequence[bool], *, boxed: bool) -> list[bool]:
    """For each pair of neighbouring lines, whether a row ends there. `boxed`: every row has its frame."""
    breaks = list(drawn)
    bands = bands_of(drawn)
    limit = _line_distance(lines, bands)
    for first, last in bands:
        if first == last:
            continue
        if boxed and not _several(lines[first : last + 1]):
            continue
        rows = rows_by_anchor(lines[first : last + 1])
        if rows:
            for i in range(first, last):
                breaks[i] = rows[i - first] != rows[i - first + 1]
            continue
        joined: set[int] = set()
        for start, end in _groups(lines, first, last, limit) if limit else ():
            if not _stacked(lines[start : end + 1]):
                joined.update(range(start, end))
        start = first
        for i in range(first, last):
            breaks[i] = i not in joined and not _goes_on(lines, i) and not _lower_case(lines, start, i)
            start = i + 1 if breaks[i] else start
    return breaks


def _several(band: Sequence[TextLine]) -> bool:
    """A frame holds several rows: columns have numbers, or nearly all have texts, on the same lines."""
    numeric = [{t.first for t in line.texts if t.numeric} for line in band]
    rows = [columns for columns in numeric if len(columns) >= 2]
    if len(rows) >= 2 and len(rows) >= 0.6 * len(band):
        return True
    columns = len(set().union(*(line.columns for line in band)))
    full = [line for line in band if len(line.columns) >= max(min(2, columns), 0.75 * columns)]
    if len(full) < (0.6 if len(full) >= 4 else 0.75) * len(band):
        return False
    begins = [t.text[:1] for line in full[1:] for t in line.texts]
    upper = sum(not c.islower() for c in begins) >= 0.8 * len(begins)
    return (columns > 1 and len(full) >= 4) or (len(full) >= 2 and upper)


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
    best, most = 0.0, -1
    for low, high in zip(every, every[1:], strict=False):
        if low > _CLOSE:
            break
        if high - low > _LEAST:
            evidence = _evidence(lines, bands, (low + high) / 2)
            sure = high > low * _JUMP and high - low > 0.08
            if evidence > most and (sure or evidence >= 2):
                best, most = (low + high) / 2, evidence
    return best


def _evidence(lines: Sequence[TextLine], bands: Sequence[tuple[int, int]], limit: float) -> int:
    """How many rows have a cell between two lines of others if lines up to `limit` are joined.

    -1 if that makes no row or joins rows with each other; 0 if a quarter of the rows is not like that.
    """
    stacked = merged = between = 0
    for band in bands:
        for start, end in _groups(lines, *band, limit):
            group = lines[start : end + 1]
            merged += 1
            stacked += _stacked(group)
            between += _between(group)
    if not merged or stacked > 0.34 * merged:
        return -1
    return between if between >= 0.25 * merged else 0


def _groups(lines: Sequence[TextLine], first: int, last: int, limit: float) -> list[tuple[int, int]]:
    """Runs of several lines that stand no further apart than `limit`: (first, last) of each."""
    joined = _near(lines, first, last, limit)
    groups, start = [], first
    for i in range(first, last + 1):
        if i not in joined:
            if i > start:
                groups.append((start, i))
            start = i + 1
    return groups


def _stacked(group: Sequence[TextLine]) -> bool:
    """Several lines that fill nearly all columns, and no cell between them: rows, not one row."""
    columns = set().union(*(line.columns for line in group))
    full = sum(len(line.columns) >= max(2, 0.75 * len(columns)) for line in group)
    pairs = Counter(c for line in group if len(line.columns) > 1 for c in line.columns)
    if sum(n > 3 for n in pairs.values()) >= 2:
        return True
    return full >= 2 and (full > 3 or not _between(group))


def _between(group: Sequence[TextLine]) -> bool:
    """A cell stands at the height between two lines of its neighbours, as the middle of a tall row does."""
    return any(b.baseline - a.baseline < 0.8 * a.size for a, b in zip(group, group[1:], strict=False))


def _near(lines: Sequence[TextLine], first: int, last: int, limit: float) -> set[int]:
    """Lines of a band after which the row goes on."""
    joined: set[int] = set()
    for step, i, j in _steps(lines, first, last):
        if step <= limit:
            joined.update(range(i, j))
    return joined


# --------------------------------------------------------------------------- words


def _goes_on(lines: Sequence[TextLine], i: int) -> bool:
    """The line after `i` finishes cells that line `i` began."""
    above, below = lines[i], lines[i + 1]
    size = max(above.size, below.size)
    step = below.baseline - above.baseline
    if step < 0.75 * size:
        return not (above.columns & below.columns)  # one cell stands a little lower than the others
    if step > _CLOSE * size or len(above.columns) < 2:
        return False
    if not below.texts or not below.columns <= above.columns:
        return False
    if 0 in below.columns and 0 in above.columns and len(below.texts) > 1:
        # "Partec rapid | 93.8%" above "malaria test | (87.1-100)"
        return below.texts[0].text[:1].islower() and all(t.text[:1] in "([" for t in below.texts[1:])
    if any(t.numeric for t in below.texts) or len(below.texts) > max(1, len(above.texts) // 2):
        return False
    return all(_broken(lines, i, t.first) for t in below.texts)


def _lower_case(lines: Sequence[TextLine], start: int, i: int) -> bool:
    """All texts after line `i` begin in lower case, in cells of its row that begin in upper case."""
    row, below = lines[start : i + 1], lines[i + 1]
    size = max(row[-1].size, below.size)
    columns = set().union(*(line.columns for line in row))
    if below.baseline - row[-1].baseline > _CLOSE * size or not below.columns < columns:
        return False
    for text in below.texts:
        own = [t for line in row if (t := line.at(text.first))]
        goes_on = own and row[-1].at(text.first) is own[-1]
        if not goes_on or own[0].text[:1].islower() or not text.text[:1].islower():
            return False
    return bool(below.texts)


def _broken(lines: Sequence[TextLine], i: int, column: int) -> bool:
    above, below = lines[i].at(column), lines[i + 1].at(column)
    if above is None or below is None:
        return False
    ends = above.text.rstrip()[-1:]
    begins = below.text.lstrip()[:1]
    return ends in "-,/&(" or begins.islower() or begins in "(&"
