"""The columns of a page as formulas are looked for in them: running text, numbers at the edge, all else."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.pdf.equations.line import WITH_LIMITS
from quire.pdf.equations.prose import (
    MATH_FONT,
    MOST_UNSPACED,
    MOST_WORDS,
    RELATION,
    count,
    is_prose,
)
from quire.pdf.geometry import SENTENCE, are_level, centre_in, column_edges, parted, runs, stands_on
from quire.pdf.raw import Edges, Glyph, Line, RawPage

NUMBER = re.compile(
    r"^[(\[]\s*(?:\d{1,3}(?:[.\-–]\d{1,3})*\s*+[a-z]?′?|[A-Z]{1,2}\.?\d{1,3}[a-z]?|\*{1,3})"
    r"\s*[)\]]$"
)
_FIGURES = re.compile(r"[\d\s.,;:%±×()\[\]–-]+")
_WORD = re.compile(r"[^\W\d_]{3}")
# In units of the type size.
_INDENT = 0.9  # displays stand further in than this, unless blank paper sets them off
_BLOCK = 3  # full lines below each other that are running text
_EVEN = 0.6  # how far from its column's edges a full line may begin and end
_LEADING = 1.15  # of the usual leading: no further from baseline to baseline within a paragraph
_HANGING = 2.5  # how far the lines of an item stand in from its mark


@dataclass(frozen=True, slots=True)
class PageColumn:
    """One column of a page: its lines by what they are, and the signs outside running text."""

    page: RawPage
    numbers: list[Line]
    prose: list[Line]
    parts: list[Line]
    glyphs: list[Glyph]
    leading: float  # from baseline to baseline within a paragraph, points


def columns(page: RawPage, floats: Sequence[Edges]) -> list[PageColumn]:
    """Those in which something looks like a formula; what stands in `floats` is left out."""
    lines = [p for p in page.lines if p.angle == 0 and not any(centre_in(p, box, 1) for box in floats)]
    if not any(RELATION.search(p.text) for p in lines):
        return []
    groups: dict[tuple[float, float], list[Line]] = {}
    for line in lines:
        groups.setdefault(column_edges(line, page), []).append(line)
    glyphs = [g for g in page.glyphs if not any(centre_in(g, box, 1) for box in floats)]
    found = []
    for (low, high), group in groups.items():
        own = [g for g in glyphs if low - 2 <= (g.x0 + g.x1) / 2 <= high + 2]
        found.append(_column(page, group, own))
    return [column for column in found if column is not None]


def _column(page: RawPage, lines: Sequence[Line], glyphs: Sequence[Glyph]) -> PageColumn | None:
    """One column; None if nothing in it looks like a formula."""
    numbers, rest = parted(lines, lambda p: bool(NUMBER.match(p.text.strip())))
    prose, rest = parted(rest, is_prose)
    body = [p for p in lines if (len(p.words) >= SENTENCE and not _formula(p)) or p.unspaced > MOST_UNSPACED]
    if not body or not (numbers or any(RELATION.search(p.text) for p in rest)):
        return None
    left = sorted(p.x0 for p in body)[len(body) // 10]
    right = sorted(p.x1 for p in body)[-1 - len(body) // 10]
    leading = _leading(prose)
    full = _full(lines, prose, left, right, leading)
    more, rest = parted(rest, lambda p: id(p) in full)
    prose += more
    more, rest = parted(
        rest, lambda p: _ends(p, prose, leading) or (p.x0 < left + _INDENT * p.size and _worded(p))
    )
    prose += more
    parts = [
        p
        for p in rest
        if not any(are_level(p, q, 0.5) for q in prose) and (p.x0 > left + _INDENT * p.size or not count(p))
    ]
    free = [g for g in _outside(glyphs, prose) if not any(stands_on(g, n) for n in numbers)]
    return PageColumn(page, numbers, prose, parts, free, leading)


def _leading(prose: Sequence[Line]) -> float:
    """The usual distance of lines of running text, in points."""
    bases = sorted((p.baseline, p.size) for p in prose)
    steps = sorted(b - a for (a, size), (b, _) in pairwise(bases) if 0.8 < (b - a) / size < 3)
    return steps[len(steps) // 2] if steps else 1.2 * max((p.size for p in prose), default=10.0)


def _full(
    lines: Sequence[Line], prose: Sequence[Line], left: float, right: float, leading: float
) -> set[int]:
    """Lines that fill the column one below the other, as justified text does, by their ids."""
    full = [p for p in lines if p.x0 < left + _EVEN * p.size and p.x1 > right - _EVEN * p.size]
    full.sort(key=lambda p: p.baseline)
    blocks = runs(full, lambda block, p: p.baseline - block[-1].baseline < _LEADING * leading)
    text = [block for block in blocks if len(block) >= _BLOCK or any(p in prose for p in block)]
    return {id(p) for block in text for p in block}


def _ends(line: Line, prose: Sequence[Line], leading: float) -> bool:
    """The last line of a paragraph or item: too short to be told by its words, but close under running text.

    A display stands as close only where the line above it ends well before the display begins.
    """
    return any(
        0 < line.baseline - q.baseline < _LEADING * leading
        and line.size > 0.9 * q.size
        and q.x0 - 2 * q.size < line.x0 < q.x0 + _HANGING * q.size
        for q in prose
    )


def _worded(line: Line) -> bool:
    """A heading, or running text full of formulas: it begins with a word."""
    if _FIGURES.fullmatch(line.text):
        return True
    words = [w for w in line.words if _WORD.search(w.text) and not MATH_FONT.search(w.font)]
    first = line.words[0]
    if RELATION.search(line.text):
        return first in words and first.text.strip(",").lower() not in WITH_LIMITS
    return len(words) > 1 or (len(words) == 1 and not any(MATH_FONT.search(w.font) for w in line.words))


def _outside(glyphs: Sequence[Glyph], prose: Sequence[Line]) -> list[Glyph]:
    """The signs that stand on none of the lines."""
    ordered = sorted(prose, key=lambda p: p.baseline)
    bases = [p.baseline for p in ordered]
    out = []
    for glyph in glyphs:
        first = bisect(bases, glyph.y0 - glyph.size)
        last = bisect(bases, max(glyph.y1, glyph.baseline) + 1.5 * glyph.size)
        if not any(_on(glyph, p) for p in ordered[first:last]):
            out.append(glyph)
    return out


def _on(glyph: Glyph, line: Line) -> bool:
    """Most of the ink stands level with the line."""
    overlap = min(glyph.y1, line.y1) - max(glyph.y0, line.y0)
    level = overlap > 0.5 * max(0.2, glyph.y1 - glyph.y0) or abs(glyph.baseline - line.baseline) < 0.5
    return level and glyph.x1 > line.x0 - 2 * line.size and glyph.x0 < line.x1 + 2 * line.size


def _formula(line: Line) -> bool:
    return bool(RELATION.search(line.text)) and count(line) <= max(1, MOST_WORDS * len(line.words))
