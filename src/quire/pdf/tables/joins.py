"""Which lines of a table are one row: learned scores of pairs of texts, and the best division of the lines.

A pair are two texts that follow each other in one column. Boosted trees say how likely the lower one goes on
with the cell of the upper one, from their words, their places and what stands beside them. Rows are the
division of the lines into runs with the highest sum of scores over the pairs that stay together.
The trees are trained by `training/table_joins.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from quire import trees
from quire.pdf.geometry import CLOSE
from quire.pdf.tables.tokens import TableLine, Text
from quire.trees import Floats

WEIGHTS = "table_joins.npz"
TALL = 40  # lines of one row
LEVEL = 0.9  # em: texts of different columns whose lines stand nearer are of one row, unless a pair says no
TOGETHER = 1.5  # log-odds for that
LIMIT = 1500  # lines of a table that are divided at once
_OFF = 0.3  # rows by which a label may miss the middle of its group

Breaks = Callable[[Sequence[TableLine], Sequence[bool]], list[bool]]


class Pair(NamedTuple):
    """The texts of one column in lines `i` and `k`, with no text of that column in between."""

    column: int
    i: int
    k: int
    above: Text
    below: Text


def pairs_of(lines: Sequence[TableLine]) -> list[Pair]:
    """All pairs, in the order of their lower lines."""
    latest: dict[int, tuple[int, Text]] = {}
    found = []
    for k, line in enumerate(lines):
        for text in line.texts:
            for column in range(text.first, text.last + 1):
                if column in latest and text.first == text.last and latest[column][1].first == column:
                    i, above = latest[column]
                    if above.first == above.last:
                        found.append(Pair(column, i, k, above, text))
                latest[column] = (k, text)
    return found


def describe(
    lines: Sequence[TableLine], drawn: Sequence[bool], pairs: Sequence[Pair], *, boxed: bool
) -> Floats:
    """The features of pairs; `drawn` tells where a line is drawn between neighbouring lines."""
    steps = sorted((lines[p.k].baseline - lines[p.i].baseline) / _size(lines, p) for p in pairs)
    least, middle = (steps[len(steps) // 20], steps[len(steps) // 2]) if steps else (1.0, 1.0)
    columns = 1 + max((t.last for line in lines for t in line.texts), default=0)
    edges = _edges(lines, columns)
    texts = [t for line in lines for t in line.texts]
    whole = (
        least,
        middle,
        steps[-1 - len(steps) // 10] if steps else 1.0,
        columns,
        len(lines),
        sum(t.numeric for t in texts) / max(1, len(texts)),
        len(texts) / max(1, len(lines) * columns),
        sum(drawn) / max(1, len(drawn)),
        float(boxed),
    )
    crossed = np.concatenate([[0], np.cumsum(drawn)])
    beside: dict[tuple[int, int], list[Pair]] = {}
    for pair in pairs:
        beside.setdefault((pair.i, pair.k), []).append(pair)
    rows = [
        (
            *_places(lines, p, least, middle, edges[p.column]),
            *_words(p),
            *_neighbours(lines, p, columns, beside[p.i, p.k]),
            float(crossed[p.k] - crossed[p.i] > 0),
            *whole,
        )
        for p in pairs
    ]
    return np.asarray(rows, dtype=np.float32).reshape(len(pairs), -1)


def _size(lines: Sequence[TableLine], pair: Pair) -> float:
    return max(lines[pair.i].size, lines[pair.k].size, 1.0)


def _edges(lines: Sequence[TableLine], columns: int) -> list[tuple[float, float]]:
    """Left and right end of what is written in each column alone."""
    lows, highs = [1e6] * columns, [-1e6] * columns
    for line in lines:
        for text in line.texts:
            if text.first == text.last:
                lows[text.first] = min(lows[text.first], text.x0)
                highs[text.first] = max(highs[text.first], text.x1)
    return list(zip(lows, highs, strict=True))


def _places(
    lines: Sequence[TableLine], pair: Pair, least: float, middle: float, edges: tuple[float, float]
) -> tuple[float, ...]:
    size = _size(lines, pair)
    step = (lines[pair.k].baseline - lines[pair.i].baseline) / size
    above, below = pair.above, pair.below
    first = below.tokens[0]
    room = (edges[1] - above.x1 - (first.x1 - first.x0)) / size  # is there room for the next word?
    return (
        step,
        step / max(least, 0.1),
        step / max(middle, 0.1),
        pair.k - pair.i,
        room,
        (above.x1 - above.x0) / max(1.0, edges[1] - edges[0]),
        (below.x0 - above.x0) / size,
        (below.x0 + below.x1 - above.x0 - above.x1) / 2 / size,
        (below.x1 - above.x1) / size,
        (edges[1] - edges[0]) / size,
        first.size / max(above.tokens[-1].size, 1.0),
    )


def _words(pair: Pair) -> tuple[float, ...]:
    above, below = pair.above.text, pair.below.text
    last, begin = above.rstrip()[-1:], below.lstrip()[:1]
    return (
        float(pair.above.numeric),
        float(pair.below.numeric),
        float(last in "-\u2010\u00ad/&(,+=\u00b1\u2013"),
        float(last in ".;:!?"),
        float(last.isdigit()),
        float(begin.islower()),
        float(begin.isupper()),
        float(begin in "([&+\u00b1/<>=%"),
        float(above.count("(") - above.count(")")),
        float(below.count("(") - below.count(")")),
        float(above[:1].islower()),
        len(pair.above.tokens),
        len(pair.below.tokens),
        len(below),
        float(above == below),
    )


def _neighbours(
    lines: Sequence[TableLine], pair: Pair, columns: int, beside: Sequence[Pair]
) -> tuple[float, ...]:
    above, below = lines[pair.i], lines[pair.k]
    others = [p for p in beside if p.column != pair.column]
    return (
        pair.column,
        float(pair.column == columns - 1),
        len(above.texts) / columns,
        len(below.texts) / columns,
        float(0 in below.columns),
        float(below.columns <= above.columns),
        len(below.texts) / max(1, len(above.texts)),
        len(others),
        sum(p.above.numeric and p.below.numeric for p in others) / max(1, len(others)),
        sum(p.below.text[:1].islower() for p in others) / max(1, len(others)),
        sum(p.below.text[:1].isupper() for p in others) / max(1, len(others)),
        sum(t.numeric for t in below.texts),
        sum(t.numeric for t in above.texts),
        (below.baseline - lines[pair.k - 1].baseline) / max(below.size, 1.0),
    )


def row_breaks(lines: Sequence[TableLine], drawn: Sequence[bool], *, boxed: bool) -> list[bool]:
    """For each pair of neighbouring lines, whether a row ends there. A drawn line always ends one."""
    if len(lines) > LIMIT:
        return [True] * (len(lines) - 1)
    pairs = pairs_of(lines)
    links: list[tuple[int, int, float]] = []
    if pairs:
        scores = trees.load_trees("quire.pdf", f"data/{WEIGHTS}").scores(
            describe(lines, drawn, pairs, boxed=boxed)
        )
        links = [(p.i, p.k, float(s)) for p, s in zip(pairs, scores, strict=True)]
    for i, (above, below) in enumerate(zip(lines, lines[1:], strict=False)):
        if below.baseline - above.baseline < LEVEL * max(above.size, below.size):
            if not above.columns & below.columns:
                links.append((i, i + 1, TOGETHER))
    return best_division(len(lines), links, drawn)


def best_division(count: int, links: Sequence[tuple[int, int, float]], drawn: Sequence[bool]) -> list[bool]:
    """Breaks between lines: the runs with the highest sum of the links (i, k, score) within them."""
    starting: dict[int, list[tuple[int, float]]] = {}
    for i, k, score in links:
        starting.setdefault(i, []).append((k, score))
    best = [0.0] * (count + 1)  # of the lines from here on
    ends = list(range(1, count + 1))
    for start in range(count - 1, -1, -1):
        total, within = 0.0, [0.0] * (min(TALL, count - start) + 1)
        best[start] = float("-inf")
        for end in range(start + 1, start + len(within)):
            # `within[n]` collects what the links that end at line start + n - 1 add.
            total += within[end - start]
            if total + best[end] > best[start] + 1e-9:
                best[start], ends[start] = total + best[end], end
            if end - 1 < len(drawn) and drawn[end - 1]:
                break
            for k, score in starting.get(end - 1, ()):
                if k - start + 1 < len(within):
                    within[k - start + 1] += score
    breaks = [False] * max(0, count - 1)
    at = 0
    while at < count:
        at = ends[at]
        if at < count:
            breaks[at - 1] = True
    return breaks


def bands_of(drawn: Sequence[bool]) -> list[tuple[int, int]]:
    """Runs of lines between drawn lines: (first, last) of each."""
    bands, start = [], 0
    for i, line in enumerate(drawn):
        if line:
            bands.append((start, i))
            start = i + 1
    return [*bands, (start, len(drawn))]


def labelled_rows(
    band: Sequence[TableLine], row_breaks: Breaks
) -> tuple[list[bool], list[tuple[int, int]]] | None:
    """The rows of lines between two drawn lines, if their labels in the first column stand over several.

    Told are the breaks after each line, and the first and last line of each label.
    """
    named = [(i, tuple(t for t in line.texts if t.first > 0)) for i, line in enumerate(band)]
    index = [i for i, texts in named if texts]
    rest = [replace(band[i], texts=texts) for i, texts in named if texts]  # without the first column
    labels = _blocks(band)
    if len(rest) < 2 or not labels or len(labels) >= len(rest):
        return None
    breaks = row_breaks(rest, [False] * (len(rest) - 1))
    rows = bands_of(breaks)
    middles = [(rest[a].baseline + rest[b].baseline) / 2 for a, b in rows]
    tiles = _tiled([(a.baseline + b.baseline) / 2 for a, b in labels], middles)
    if tiles is None:
        return None
    groups = [(index[rows[first][0]], index[rows[last][1]]) for first, last in tiles if last > first]
    return _spread(breaks, index, band), groups


def _blocks(band: Sequence[TableLine]) -> list[tuple[TableLine, TableLine]]:
    """The labels of the first column, each from its first to its last line; none if one goes beyond it."""
    blocks: list[tuple[TableLine, TableLine]] = []
    capital = False  # names in lower case throughout do not show where one goes on
    for line in band:
        text = line.texts[0]
        if text.first > 0:
            continue
        if text.last > 0:
            return []
        last = blocks[-1][1] if blocks else None
        if last and capital and line.baseline - last.baseline < CLOSE * line.size and text.text[:1].islower():
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
