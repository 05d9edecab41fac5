"""Displayed equations: formulas that stand on lines of their own.

    find(page, floats)[0].number     # '(3)'

A line is a formula if it holds a relation or an operator and hardly any ordinary word, and if nothing but a
number in brackets shares its row. What stands between two lines of running text is one display; it is read
as rows of signs (`latex`), and each printed number takes the rows that it stands beside. Where the signs
cannot be read, lines that touch are one equation and its text is raw: reading order, scripts marked by a
caret.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quire.pdf.equations.atoms import Atom
from quire.pdf.equations.latex import latex_of, rows_of
from quire.pdf.equations.line import WITH_LIMITS
from quire.pdf.geometry import (
    SENTENCE,
    are_level,
    around,
    centre_in,
    column_edges,
    is_within,
    parted,
    rounded,
    runs,
    stands_on,
)
from quire.pdf.joining import tidy
from quire.pdf.prose import (
    MATH_FONT,
    MOST_UNSPACED,
    MOST_WORDS,
    RELATION,
    is_ordinary,
    is_prose,
    ordinary_words,
)
from quire.pdf.raw import Edges, Glyph, Line, RawPage
from quire.types import Equation

_TRAILING = re.compile(r"\((?:\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?|[A-Z]\.?\d{1,3}[a-z]?)\)$")
_OPERATOR = re.compile(r"[+−×÷·∑∏∫∂∇√∞±⊗⊕∗/|∥∧∨∪∩]|\^")
# In units of the type size.
_BEARING = 0.5  # how far a rule may stand out over the ink that it carries
_APART = 0.95  # of the usual leading: blank paper between two displays


def find(page: RawPage, floats: Sequence[Edges]) -> list[Equation]:
    """The displayed equations of a page, from top to bottom."""
    found = [equation for column in _columns(page, floats) for equation in _in_column(column)]
    return sorted(found, key=lambda e: (e.bbox.y0, e.bbox.x0))


def _in_column(column: _PageColumn) -> list[Equation]:
    found: list[Equation] = []
    parts = list(column.parts)
    for glyphs in _displays(column):
        box = around(glyphs)
        own = [p for p in parts if _is_level(p, box)]
        numbers = [n for n in column.numbers if box.y0 - 2 < (n.y0 + n.y1) / 2 < box.y1 + 2]
        if own and (read := _read(column, glyphs, box, own, numbers)):
            found += read
            parts = [p for p in parts if p not in own]
    plain = (_equation(column.page.number, group) for group in _touching(parts, column.numbers))
    return found + [equation for equation in plain if equation]


def _displays(column: _PageColumn) -> list[list[Glyph]]:
    """Runs of signs without a line of running text or much blank paper between."""
    out: list[list[Glyph]] = []
    foot = 0.0
    for glyph in sorted(column.glyphs, key=lambda g: g.y0):
        close = out and glyph.y0 - foot < _APART * column.leading
        if close and not any(foot - 1 < p.baseline < glyph.y1 for p in column.prose):
            out[-1].append(glyph)
            foot = max(foot, glyph.y1)
        else:
            out.append([glyph])
            foot = glyph.y1
    return out


def _is_level(line: Line, box: Edges) -> bool:
    return box.y0 - 1 < line.baseline < box.y1 + 1 or box.y0 < (line.y0 + line.y1) / 2 < box.y1


def _read(
    column: _PageColumn, glyphs: Sequence[Glyph], box: Edges, parts: Sequence[Line], numbers: Sequence[Line]
) -> list[Equation]:
    """The equations of a display in LaTeX; [] where it cannot be read or is none."""
    size = max(g.size for g in glyphs)
    rules = [r for r in column.page.rules if r.horizontal and is_within(r, box, _BEARING * size)]
    rows = rows_of(glyphs, rules)
    found: list[Equation] = []
    for group, number in _numbered(rows, numbers):
        level = around(a for row in group for a in row)
        beside = [number] if number else []
        plain = _equation(column.page.number, [*(p for p in parts if _is_level(p, level)), *beside])
        if plain is None:
            continue
        place = rounded(around([level, *beside])._replace(y0=level.y0, y1=level.y1))
        latex = latex_of(group)
        if plain.number and number is None:  # it was set in one piece with the formula
            latex = re.sub(r"(?:(?<! ) *\\quad *)?" + re.escape(plain.number) + r"$", "", latex)
        found.append(Equation(column.page.number, place, plain.text, plain.number, latex))
    return found


def _numbered(
    rows: Sequence[Sequence[Atom]], numbers: Sequence[Line]
) -> list[tuple[list[Sequence[Atom]], Line | None]]:
    """Rows by the number beside them; rows without one go with the next, the last with the last."""
    if not rows:
        return []
    if len(numbers) < 2:
        return [(list(rows), numbers[0] if numbers else None)]
    out: list[tuple[list[Sequence[Atom]], Line | None]] = []
    waiting: list[Sequence[Atom]] = []
    for row in rows:
        waiting.append(row)
        top, foot = min(a.y0 for a in row), max(a.y1 for a in row)
        number = next((n for n in numbers if top - 2 < n.baseline - 0.25 * n.size < foot + 2), None)
        if number is not None:
            out.append((waiting, number))
            waiting = []
    if waiting and out:
        out[-1][0].extend(waiting)
    return out


def _touching(parts: Sequence[Line], numbers: Sequence[Line]) -> list[list[Line]]:
    """Parts that overlap or nearly touch from line to line; a number closes what stands level with it."""
    groups: list[list[Line]] = []
    for part in sorted((*parts, *numbers), key=lambda p: (p.y0, p.x0)):
        for group in reversed(groups):
            near = part.y0 - max(p.y1 for p in group) < 0.45 * part.size
            if near and not any(p in numbers and part.y0 > p.y1 for p in group):
                group.append(part)
                break
        else:
            groups.append([part])
    return groups


def _equation(page: int, group: Sequence[Line]) -> Equation | None:
    numbers = [p for p in group if _NUMBER.match(p.text.strip())]
    parts = [p for p in group if p not in numbers]
    if not parts:
        return None
    text = _text(parts)
    number = numbers[0].text.strip().replace(" ", "") if numbers else ""
    if not number and (match := _TRAILING.search(text)) and RELATION.search(text[: match.start()]):
        number, text = match[0], text[: match.start()].rstrip()
    letters = sum(c.isalnum() for c in text)
    signs = len(RELATION.findall(text)) + len(_OPERATOR.findall(text))
    if letters < 2 or not (RELATION.search(text) or (number and signs)):
        return None
    words = not number and (letters < 3 or _looks_like_words(parts))
    return None if words else Equation(page, rounded(around(group)), text, number)


def _looks_like_words(parts: Sequence[Line]) -> bool:
    words = [w for p in parts for w in p.words]
    math = sum(1 for w in words if MATH_FONT.search(w.font) or w.script or (w.italic and len(w.text) <= 2))
    return math == 0 or sum(is_ordinary(w) for w in words) > 0.25 * len(words)


def _text(parts: Sequence[Line]) -> str:
    """Rows from top to bottom, each from left to right."""
    ordered = sorted(parts, key=lambda p: (p.baseline, p.x0))
    rows = runs(ordered, lambda row, part: part.baseline - row[0].baseline < 0.4 * part.size)
    return tidy(" ".join(p.text for row in rows for p in sorted(row, key=lambda p: p.x0)))


_NUMBER = re.compile(
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
class _PageColumn:
    """One column of a page: its lines by what they are, and the signs outside running text."""

    page: RawPage
    numbers: list[Line]
    prose: list[Line]
    parts: list[Line]
    glyphs: list[Glyph]
    leading: float  # from baseline to baseline within a paragraph, points


def _columns(page: RawPage, floats: Sequence[Edges]) -> list[_PageColumn]:
    """Those in which something looks like a formula; what stands in `floats` is left out."""
    lines = [p for p in page.upright if not any(centre_in(p, box, 1) for box in floats)]
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


def _column(page: RawPage, lines: Sequence[Line], glyphs: Sequence[Glyph]) -> _PageColumn | None:
    """One column; None if nothing in it looks like a formula."""
    numbers, rest = parted(lines, lambda p: bool(_NUMBER.match(p.text.strip())))
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
        if not any(are_level(p, q, 0.5) for q in prose)
        and (p.x0 > left + _INDENT * p.size or not ordinary_words(p))
    ]
    free = [g for g in _outside(glyphs, prose) if not any(stands_on(g, n) for n in numbers)]
    return _PageColumn(page, numbers, prose, parts, free, leading)


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
    return bool(RELATION.search(line.text)) and ordinary_words(line) <= max(1, MOST_WORDS * len(line.words))
