r"""Labels that stand at the middle height of a group of rows, as LaTeX's `\multirow` sets them.

Such a label says nothing about where the rows beside it end; it is one cell over all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quire.documents.tables.lines import TextLine

_BLOCK = 1.45  # em between the lines of one label
_CENTRED = 1.3  # em by which a label may miss the middle of its rows


def group_labels(lines: Sequence[TextLine], drawn: Sequence[bool]) -> list[tuple[int, int]]:
    """The bands (first line, last line) whose first column holds one label for all their rows."""
    return [(a, b) for a, b in bands_of(drawn) if b - a >= 3 and _is_label(lines[a : b + 1])]


def bands_of(drawn: Sequence[bool]) -> list[tuple[int, int]]:
    """Runs of lines between drawn lines: (first, last) of each."""
    bands, start = [], 0
    for i, line in enumerate(drawn):
        if line:
            bands.append((start, i))
            start = i + 1
    return [*bands, (start, len(drawn))]


def _is_label(band: Sequence[TextLine]) -> bool:
    own = [line for line in band if line.at(0)]
    if not own or any(text.last > 0 for line in own if (text := line.at(0))):
        return False
    others = max(sum(1 for line in band if line.at(c)) for c in set().union(*(x.columns for x in band)))
    steps = [(b.baseline - a.baseline) / a.size for a, b in zip(own, own[1:], strict=False)]
    if others < 3 or len(own) > 0.6 * others or any(step > _BLOCK for step in steps):
        return False
    middle = (own[0].baseline + own[-1].baseline) / 2
    rest = [line for line in band if line.columns - {0}]
    centre = (rest[0].baseline + rest[-1].baseline) / 2
    size = own[0].size
    return abs(middle - centre) < _CENTRED * size and own[0].baseline > rest[0].baseline + 0.3 * size


def without_labels(
    lines: Sequence[TextLine], drawn: Sequence[bool], labelled: Sequence[tuple[int, int]]
) -> tuple[list[TextLine], list[bool], list[int]]:
    """Lines and drawn flags without the labels, and the index in the given lines of each that is left."""
    inside = {i for a, b in labelled for i in range(a, b + 1)}
    kept: list[TextLine] = []
    index: list[int] = []
    for i, line in enumerate(lines):
        texts = tuple(t for t in line.texts if t.first > 0) if i in inside else line.texts
        if texts:
            kept.append(replace(line, texts=texts))
            index.append(i)
    flags = [any(drawn[a:b]) for a, b in zip(index, index[1:], strict=False)]
    return kept, flags, index


def spread_breaks(breaks: Sequence[bool], index: Sequence[int], lines: Sequence[TextLine]) -> list[bool]:
    """Breaks between the kept lines as breaks between all lines; a label's line goes with the nearest."""
    out = [False] * (len(lines) - 1)
    for stop, a, b in zip(breaks, index, index[1:], strict=False):
        if stop:
            steps = [(lines[i + 1].baseline - lines[i].baseline, i) for i in range(a, b)]
            out[max(steps)[1]] = True
    return out
