"""Where one table row ends and the next begins, column by column.

A cut stands between two text lines and names the columns that it parts: all of them for most rows, only
those under a short line for a head with spans. No columns: both lines belong to one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from quire.documents.raw import Edges
from quire.documents.tables.columns import Separator
from quire.documents.tables.joins import row_breaks
from quire.documents.tables.labels import bands_of, labelled_rows
from quire.documents.tables.lines import TableLine
from quire.documents.tables.rules import Stroke

FAR = 1.6  # em between lines of a head that are rows of their own


@dataclass(frozen=True, slots=True)
class Cut:
    """The columns parted between a line and the next; `drawn` when a line is drawn there."""

    columns: frozenset[int]
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Extents:
    """Left and right edge of each column: as bounded, and as written."""

    bounded: tuple[tuple[float, float], ...]
    written: tuple[tuple[float, float], ...]


def extents(lines: Sequence[TableLine], bounds: Sequence[Separator], box: Edges) -> Extents:
    """Edges of the columns of a table."""
    xs = [box.x0, *(s.x for s in bounds), box.x1]
    bounded = tuple(zip(xs, xs[1:], strict=False))
    written = []
    for column, edges in enumerate(bounded):
        texts = [t for line in lines for t in line.texts if t.first == t.last == column]
        written.append((min(t.x0 for t in texts), max(t.x1 for t in texts)) if texts else edges)
    return Extents(bounded, tuple(written))


def drawn_cuts(lines: Sequence[TableLine], across: Sequence[Stroke], spread: Extents) -> list[Cut]:
    """The cuts that drawn lines make; one for each pair of neighbouring lines."""
    cuts = []
    for above, below in zip(lines, lines[1:], strict=False):
        top, bottom = above.baseline - 0.3 * above.size, below.baseline - 0.3 * below.size
        between = [s for s in across if top < s.at < bottom]
        columns = frozenset(
            c for c in range(len(spread.bounded)) if any(_covers(s, spread, c) for s in between)
        )
        cuts.append(Cut(columns, bool(columns)))
    return cuts


def _covers(stroke: Stroke, spread: Extents, column: int) -> bool:
    for low, high in (spread.written[column], spread.bounded[column]):
        if min(stroke.high, high) - max(stroke.low, low) > 0.5 * (high - low):
            return True
    return False


def head_lines(lines: Sequence[TableLine], drawn: Sequence[Cut], columns: int) -> int:
    """How many lines stand above the first line drawn through; 0 if that tells nothing."""
    for i, cut in enumerate(drawn):
        if len(cut.columns) >= max(2, 0.8 * columns) or len(cut.columns) == columns:
            if 0 not in cut.columns and any(0 in c.columns for c in drawn[i + 1 : i + 5]):
                continue  # lines under spans; the head goes on
            if i + 1 > max(3, min(8, 0.7 * len(lines))):
                return 0
            return 0 if sum(_has_values(line) for line in lines[1 : i + 1]) > 1 else i + 1
    return _head_over_values(lines)


def _head_over_values(lines: Sequence[TableLine]) -> int:
    """The lines above the first row of numbers, where most rows have numbers; group titles are no head."""
    values = [_has_values(line) and not _all_years(line) for line in lines]
    if sum(values) < max(3, 0.5 * sum(len(line.texts) > 1 for line in lines)):
        return 0
    first = values.index(True)
    while first > 0 and lines[first - 1].columns == {0}:
        first -= 1
    return first if 2 <= first <= 6 else 0


def _all_years(line: TableLine) -> bool:
    numbers = [t.text for t in line.texts[1:] if t.numeric]
    return all(n[:4].isdecimal() and 1800 < int(n[:4]) < 2100 and len(n) <= 7 for n in numbers)


def _has_values(line: TableLine) -> bool:
    """A row of the body: numbers beside a name."""
    numeric = sum(t.numeric for t in line.texts[1:])
    return numeric > 0 and numeric >= 0.5 * (len(line.texts) - 1) and not line.texts[0].numeric


def complete(
    lines: Sequence[TableLine], drawn: Sequence[Cut], bounds: Sequence[Separator], columns: int
) -> list[Cut]:
    """All cuts: the drawn ones, and those that distance and words make within the drawn bands."""
    every = frozenset(range(columns))
    head = head_lines(lines, drawn, columns)
    boxed = is_boxed(lines, drawn, bounds, columns)
    breaks, spans = _rows(lines[head:], [c.drawn for c in drawn][head:], boxed=boxed)
    breaks = [False] * (head - 1) + [True] * (head > 0) + breaks
    spans = [(a + head, b + head) for a, b in spans]
    cuts = []
    for i, cut in enumerate(drawn):
        if i + 1 < head:
            far = lines[i + 1].baseline - lines[i].baseline > FAR * lines[i].size
            cuts.append(replace(cut, columns=every) if far and not cut.drawn else cut)
        elif cut.drawn:
            cuts.append(replace(cut, columns=_body_cut(lines[i], lines[i + 1], cut, every, boxed)))
        else:
            beside = frozenset({0}) if any(a <= i < b for a, b in spans) else frozenset()
            cuts.append(Cut(every - beside if breaks[i] else frozenset()))
    return _under_spans(lines, cuts, max(head, 1 if len(cuts) and cuts[0].columns else 0))


def _rows(
    lines: Sequence[TableLine], drawn: Sequence[bool], *, boxed: bool
) -> tuple[list[bool], list[tuple[int, int]]]:
    """Where the rows of the body end, and the lines beside which one label stands for several rows."""
    breaks = row_breaks(lines, drawn, boxed=boxed)
    spans = []
    for first, last in bands_of(drawn):
        found = labelled_rows(lines[first : last + 1], partial(row_breaks, boxed=boxed))
        if found:
            breaks[first:last] = found.breaks
            spans += [(first + a, first + b) for a, b in found.groups]
    return breaks, spans


def is_boxed(
    lines: Sequence[TableLine], drawn: Sequence[Cut], bounds: Sequence[Separator], columns: int
) -> bool:
    """Whether every row has its frame, or lines above and below."""
    return (
        (any(s.strokes for s in bounds) and sum(c.drawn for c in drawn) >= 1)
        or sum(len(c.columns) == columns for c in drawn) >= max(3, 0.45 * len(drawn))
        or _ruled_rows(lines, drawn, columns)
    )


def _ruled_rows(lines: Sequence[TableLine], drawn: Sequence[Cut], columns: int) -> bool:
    """A line is drawn through between all rows: hardly any band holds two lines that fill most columns."""
    bands = bands_of([len(cut.columns) == columns for cut in drawn])
    if len(bands) < 5:
        return False
    single = 0
    for first, last in bands:
        filled = set().union(*(line.columns for line in lines[first : last + 1]))
        most = max(2.0, 0.75 * len(filled))
        single += sum(len(line.columns) >= most for line in lines[first : last + 1]) <= 1
    return single >= 0.8 * len(bands)


def _under_spans(lines: Sequence[TableLine], cuts: list[Cut], head: int) -> list[Cut]:
    """In a head, lines part under a text over several columns; beside it they go on."""
    for i in range(head - 1):
        for text in lines[i].texts:
            span = frozenset(range(text.first, text.last + 1))
            below = next((j for j in range(i + 1, head) if lines[j].columns & span), None)
            if len(span) < 2 or below is None or any(cuts[j].columns & span for j in range(i, below)):
                continue
            if sum(1 for t in lines[below].texts if {t.first, t.last} & span) > 1 or any(
                len(lines[j].columns & span) and lines[j].columns & span != span for j in range(below, head)
            ):
                cuts[below - 1] = replace(cuts[below - 1], columns=cuts[below - 1].columns | span)
    return cuts


def _body_cut(
    above: TableLine, below: TableLine, cut: Cut, every: frozenset[int], boxed: bool
) -> frozenset[int]:
    if boxed or len(cut.columns) == len(every):
        return cut.columns
    both = above.columns & below.columns
    return cut.columns if not (both - cut.columns) else every
