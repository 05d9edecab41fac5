r"""Labels that stand at the middle height of a group of rows, as LaTeX's `\multirow` sets them.

Such a label says nothing about where the rows beside it end; it is one cell over all of them. Labels are
taken for such where they tile the rows without a rest, each at the middle of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from quire.documents.tables.lines import TableLine

_OFF = 0.3  # rows by which a label may miss the middle of its group
_BLOCK = 1.45  # em between the lines of one label

Breaks = Callable[[Sequence[TableLine], Sequence[bool]], list[bool]]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows of a band whose labels stand over several: breaks after each line, and the lines of each label."""

    breaks: list[bool]
    groups: list[tuple[int, int]]


def bands_of(drawn: Sequence[bool]) -> list[tuple[int, int]]:
    """Runs of lines between drawn lines: (first, last) of each."""
    bands, start = [], 0
    for i, line in enumerate(drawn):
        if line:
            bands.append((start, i))
            start = i + 1
    return [*bands, (start, len(drawn))]


def labelled_rows(band: Sequence[TableLine], row_breaks: Breaks) -> Labelled | None:
    """The rows of lines between two drawn lines, if their labels in the first column stand over several."""
    rest, index = _without_labels(band)
    labels = _blocks(band)
    if len(rest) < 2 or not labels or len(labels) >= len(rest):
        return None
    breaks = row_breaks(rest, [False] * (len(rest) - 1))
    rows = bands_of(breaks)
    middles = [(rest[a].baseline + rest[b].baseline) / 2 for a, b in rows]
    tiles = _tiled([(a.baseline + b.baseline) / 2 for a, b in labels], middles)
    if tiles is None:
        return None
    every = _spread(breaks, index, band)
    groups = []
    for first, last in tiles:
        if last > first:
            top, bottom = index[rows[first][0]], index[rows[last][1]]
            groups.append((top, bottom))
    return Labelled(every, groups)


def _without_labels(band: Sequence[TableLine]) -> tuple[list[TableLine], list[int]]:
    """The lines without the first column, and where each stands in the band."""
    rest, index = [], []
    for i, line in enumerate(band):
        texts = tuple(t for t in line.texts if t.first > 0)
        if texts:
            rest.append(replace(line, texts=texts))
            index.append(i)
    return rest, index


def _blocks(band: Sequence[TableLine]) -> list[tuple[TableLine, TableLine]]:
    """The labels of the first column, each from its first to its last line; none if one goes beyond it."""
    blocks: list[tuple[TableLine, TableLine]] = []
    capital = False  # names in lower case throughout do not show where one goes on
    for line in band:
        text = line.at(0)
        if text is None:
            continue
        if text.last > 0:
            return []
        last = blocks[-1][1] if blocks else None
        if (
            last
            and capital
            and line.baseline - last.baseline < _BLOCK * line.size
            and text.text[:1].islower()
        ):
            blocks[-1] = (blocks[-1][0], line)
        else:
            blocks.append((line, line))
            capital = text.text[:1].isupper()
    return blocks


def _tiled(labels: Sequence[float], rows: Sequence[float]) -> list[tuple[int, int]] | None:
    """The rows (first, last) of each label, if every row has exactly one and most labels have several."""
    if len(rows) < 2:
        return None
    pitch = sorted(b - a for a, b in zip(rows, rows[1:], strict=False))[(len(rows) - 1) // 2]
    tiles = []
    low = 0
    for label in labels:
        if low == len(rows):
            return None
        off, high = min((abs((rows[low] + rows[h]) / 2 - label), h) for h in range(low, len(rows)))
        if off > _OFF * pitch:
            return None
        tiles.append((low, high))
        low = high + 1
    several = sum(last > first for first, last in tiles)
    return tiles if low == len(rows) and several >= max(1.0, 0.5 * len(tiles)) else None


def _spread(breaks: Sequence[bool], index: Sequence[int], lines: Sequence[TableLine]) -> list[bool]:
    """Breaks between the rest as breaks between all lines; a label's line goes with the nearest."""
    out = [False] * (len(lines) - 1)
    for stop, a, b in zip(breaks, index, index[1:], strict=False):
        if stop:
            steps = [(lines[i + 1].baseline - lines[i].baseline, i) for i in range(a, b)]
            out[max(steps)[1]] = True
    return out
