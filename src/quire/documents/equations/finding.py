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

from quire.documents.equations.atoms import Atom
from quire.documents.equations.latex import latex_of, rows_of
from quire.documents.equations.line import WITH_LIMITS
from quire.documents.equations.prose import (
    MATH_FONT,
    MOST_UNSPACED,
    MOST_WORDS,
    RELATION,
    count,
    is_ordinary,
    is_prose,
    unspaced,
)
from quire.documents.joining import tidy
from quire.documents.raw import Edges, Glyph, Line, RawPage
from quire.documents.tables.borderless import column_edges, gutters
from quire.types import Box, Equation

_NUMBER = re.compile(
    r"^[(\[]\s*(?:\d{1,3}(?:[.\-–]\d{1,3})*\s*+[a-z]?′?|[A-Z]{1,2}\.?\d{1,3}[a-z]?|\*{1,3})"
    r"\s*[)\]]$"
)
_TRAILING = re.compile(r"\((?:\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?|[A-Z]\.?\d{1,3}[a-z]?)\)$")
_OPERATOR = re.compile(r"[+−×÷·∑∏∫∂∇√∞±⊗⊕∗/|∥∧∨∪∩]|\^")
_FIGURES = re.compile(r"[\d\s.,;:%±×()\[\]–-]+")
_WORD = re.compile(r"[^\W\d_]{3}")
_COLUMN_LINES = 5  # of running text make a column
# In units of the type size.
_INDENT = 0.9  # displays stand further in than this, unless blank paper sets them off
_LEADING = 1.15  # of the usual leading: no further from baseline to baseline within a paragraph
_HANGING = 2.5  # how far the lines of an item stand in from its mark
_BEARING = 0.5  # how far a rule may stand out over the ink that it carries
_APART = 0.95  # of the usual leading: blank paper between two displays


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of a page: its lines by what they are, and the signs outside running text."""

    page: RawPage
    numbers: list[Line]
    prose: list[Line]
    parts: list[Line]
    glyphs: list[Glyph]
    leading: float  # from baseline to baseline within a paragraph, points


@dataclass(slots=True)
class _Display:
    """Signs with nothing between them but each other."""

    glyphs: list[Glyph]
    y0: float
    y1: float


def find(page: RawPage, floats: Sequence[Edges]) -> list[Equation]:
    """The displayed equations of a page, from top to bottom."""
    lines = [p for p in page.lines if p.angle == 0 and not any(_within(p, box) for box in floats)]
    if not any(RELATION.search(p.text) for p in lines):
        return []
    told = {id(p) for p in lines if is_prose(p)}
    cuts = gutters(page) or _halves(page, [p for p in lines if id(p) in told])
    columns: dict[tuple[float, float], list[Line]] = {}
    for line in lines:
        edges = column_edges(Edges(line.x0, line.y0, line.x1, line.y1), page, cuts)
        columns.setdefault(edges, []).append(line)
    glyphs = [g for g in page.glyphs if not any(_inked(g, box) for box in floats)]
    found: list[Equation] = []
    for edges, group in columns.items():
        own = [g for g in glyphs if edges[0] - 2 <= (g.x0 + g.x1) / 2 <= edges[1] + 2]
        column = _column(page, group, own, told)
        if column is not None:
            found += _in_column(column)
    return sorted(found, key=lambda e: (e.bbox.y0, e.bbox.x0))


def _halves(page: RawPage, prose: Sequence[Line]) -> list[float]:
    """The gutter of two columns, by running text alone: tables and figures may hide it."""
    middle = page.width / 2
    left = [p for p in prose if p.x1 < middle + p.size]
    right = [p for p in prose if p.x0 > middle - p.size]
    if min(len(left), len(right)) < _COLUMN_LINES or len(left) + len(right) < 0.7 * len(prose):
        return []
    edges = max(p.x1 for p in left), min(p.x0 for p in right)
    return [sum(edges) / 2] if edges[0] < edges[1] else []


def _within(line: Line, box: Edges) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1


def _inked(glyph: Glyph, box: Edges) -> bool:
    x, y = (glyph.x0 + glyph.x1) / 2, (glyph.y0 + glyph.y1) / 2
    return box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1


def _column(page: RawPage, lines: Sequence[Line], glyphs: Sequence[Glyph], told: set[int]) -> _Column | None:
    """One column; None if nothing in it looks like a formula. `told` are the ids of lines of running text."""
    if not any(id(p) not in told and (RELATION.search(p.text) or _NUMBER.match(p.text)) for p in lines):
        return None
    body = [p for p in lines if (len(p.words) >= 5 and not _formula(p)) or unspaced(p) > MOST_UNSPACED]
    if not body:
        return None
    left = sorted(p.x0 for p in body)[len(body) // 10]
    right = sorted(p.x1 for p in body)[-1 - len(body) // 10]
    numbers = [p for p in lines if _NUMBER.match(p.text.strip()) and _beside(p, left, right)]
    prose = [p for p in lines if id(p) in told and p not in numbers]
    leading = _leading(prose)
    others = [p for p in lines if p not in numbers and p not in prose]
    prose += [
        p for p in others if _ends(p, prose, leading) or (p.x0 < left + _INDENT * p.size and _worded(p))
    ]
    parts = [
        p
        for p in lines
        if p not in numbers
        and p not in prose
        and not any(_level(p, q) for q in prose)
        and (p.x0 > left + _INDENT * p.size or not count(p) or any(_level(p, n) for n in numbers))
    ]
    free = [g for g in _outside(glyphs, prose) if not any(_holds(n, g) for n in numbers)]
    return _Column(page, numbers, prose, parts, free, leading)


def _beside(line: Line, left: float, right: float) -> bool:
    """At the edge of the column, where numbers of equations stand."""
    return line.x1 > right - 4 * line.size or line.x0 < left + 2 * line.size


def _leading(prose: Sequence[Line]) -> float:
    """The usual distance of lines of running text, in points."""
    bases = sorted((p.baseline, p.size) for p in prose)
    steps = sorted(
        b - a for (a, size), (b, _) in zip(bases, bases[1:], strict=False) if 0.8 < (b - a) / size < 3
    )
    return steps[len(steps) // 2] if steps else 1.2 * max((p.size for p in prose), default=10.0)


def _ends(line: Line, prose: Sequence[Line], leading: float) -> bool:
    """The last line of a paragraph or item: too short to be told by its words, but close under running text.

    A display stands as close only where the line above it ends well before the display begins.
    """
    return any(
        0 < line.baseline - q.baseline < _LEADING * leading
        and line.size > 0.9 * q.size
        and q.x0 - 2 * q.size < line.x0 < q.x0 + _HANGING * q.size
        and q.x1 > line.x0 - 2 * q.size
        for q in prose
    )


def _worded(line: Line) -> bool:
    """A heading, or running text full of formulas: it begins with a word."""
    if _FIGURES.fullmatch(line.text):
        return True
    words = [w for w in line.words if _WORD.search(w.text) and not MATH_FONT.search(w.font)]
    if RELATION.search(line.text):
        return (
            bool(words) and words[0] is line.words[0] and words[0].text.strip(",").lower() not in WITH_LIMITS
        )
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


def _holds(line: Line, glyph: Glyph) -> bool:
    return line.x0 - 1 < glyph.x0 and glyph.x1 < line.x1 + 1 and abs(glyph.baseline - line.baseline) < 1


def _in_column(column: _Column) -> list[Equation]:
    found: list[Equation] = []
    parts = list(column.parts)
    for display in _displays(column):
        own = [p for p in parts if _shares(p, display)]
        if not own:
            continue
        numbers = [n for n in column.numbers if display.y0 - 2 < (n.y0 + n.y1) / 2 < display.y1 + 2]
        read = _read(column, display, own, numbers)
        if read:
            found += read
            parts = [p for p in parts if p not in own]
    return found + _plain(column.page.number, parts, column.numbers)


def _plain(page: int, parts: Sequence[Line], numbers: Sequence[Line]) -> list[Equation]:
    return [e for group in _touching(parts, numbers) if (e := _equation(page, group))]


def _displays(column: _Column) -> list[_Display]:
    """Runs of signs without a line of running text or much blank paper between."""
    out: list[_Display] = []
    walls = sorted(p.baseline for p in column.prose)
    for glyph in sorted(column.glyphs, key=lambda g: g.y0):
        last = out[-1] if out else None
        if (
            last is not None
            and glyph.y0 - last.y1 < _APART * column.leading
            and not any(last.y1 - 1 < w < glyph.y1 for w in walls)
        ):
            last.glyphs.append(glyph)
            last.y1 = max(last.y1, glyph.y1)
        else:
            out.append(_Display([glyph], glyph.y0, glyph.y1))
    return out


def _shares(line: Line, display: _Display) -> bool:
    return (
        display.y0 - 1 < line.baseline < display.y1 + 1 or display.y0 < (line.y0 + line.y1) / 2 < display.y1
    )


def _read(
    column: _Column, display: _Display, parts: Sequence[Line], numbers: Sequence[Line]
) -> list[Equation]:
    """The equations of a display in LaTeX; [] where it cannot be read or is none."""
    glyphs = display.glyphs
    x0, x1 = min(g.x0 for g in glyphs), max(g.x1 for g in glyphs)
    size = max(g.size for g in glyphs)
    rules = [
        r
        for r in column.page.rules
        if r.horizontal
        and x0 - _BEARING * size < r.x0
        and r.x1 < x1 + _BEARING * size
        and display.y0 - 0.4 * size < r.y0 < display.y1 + 1
    ]
    rows = rows_of(glyphs, rules)
    found: list[Equation] = []
    for group, number in _numbered(rows, numbers):
        top, foot = min(a.y0 for row in group for a in row), max(a.y1 for row in group for a in row)
        own = [p for p in parts if top - 1 < p.baseline < foot + 1 or top < (p.y0 + p.y1) / 2 < foot]
        plain = _equation(column.page.number, [*own, *([number] if number else [])])
        if plain is None:
            continue
        edges = [a for row in group for a in row]
        right = max(*(a.x1 for a in edges), number.x1 if number else 0.0)
        left = min(*(a.x0 for a in edges), number.x0 if number else 1e9)
        box = Box.from_edges(*(round(v, 2) for v in (left, top, right, foot)))
        latex = latex_of(group)
        if plain.number and number is None:  # it was set in one piece with the formula
            latex = re.sub(r"(?:(?<! ) *\\quad *)?" + re.escape(plain.number) + r"$", "", latex)
        found.append(Equation(column.page.number, box, plain.text, plain.number, latex))
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


def _formula(line: Line) -> bool:
    return bool(RELATION.search(line.text)) and count(line) <= max(1, MOST_WORDS * len(line.words))


def _level(one: Line, other: Line) -> bool:
    overlap = min(one.y1, other.y1) - max(one.y0, other.y0)
    return overlap > 0.5 * min(one.y1 - one.y0, other.y1 - other.y0)


def _touching(parts: Sequence[Line], numbers: Sequence[Line]) -> list[list[Line]]:
    """Parts that overlap or nearly touch from line to line; a number closes what stands level with it."""
    groups: list[list[Line]] = []
    for part in sorted((*parts, *numbers), key=lambda p: (p.y0, p.x0)):
        home = None
        for group in reversed(groups):
            gap = part.y0 - max(p.y1 for p in group)
            if gap < 0.45 * part.size and not _second_number(group, part, numbers):
                home = group
                break
        if home is None:
            groups.append([part])
        else:
            home.append(part)
    return groups


def _second_number(group: Sequence[Line], part: Line, numbers: Sequence[Line]) -> bool:
    """The group has its number already, and the part belongs to the next one."""
    own = [p for p in group if any(p is n for n in numbers)]
    if not own or part.y0 < own[-1].y1 - 0.3 * part.size:
        return False
    return any(_level(part, n) or part is n for n in numbers if n not in own) or part.y0 > own[-1].y1


def _equation(page: int, group: Sequence[Line]) -> Equation | None:
    numbers = [p for p in group if _NUMBER.match(p.text.strip())]
    parts = [p for p in group if p not in numbers]
    if not parts:
        return None
    text = _text(parts)
    number = numbers[0].text.strip().replace(" ", "") if numbers else ""
    if not number and (match := _TRAILING.search(text)) and RELATION.search(text[: match.start()]):
        number, text = match[0], text[: match.start()].rstrip()
    if "://" in text or "www." in text:
        return None
    letters = sum(c.isalnum() for c in text)
    signs = len(RELATION.findall(text)) + len(_OPERATOR.findall(text))
    if letters < 2 or not (RELATION.search(text) or (number and signs)):
        return None
    if not number and (letters < 3 or _looks_like_words(parts)):
        return None
    x0, x1 = min(p.x0 for p in group), max(p.x1 for p in group)
    y0, y1 = min(p.y0 for p in group), max(p.y1 for p in group)
    return Equation(
        page, Box.from_edges(round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2)), text, number
    )


def _looks_like_words(parts: Sequence[Line]) -> bool:
    words = [w for p in parts for w in p.words]
    math = sum(1 for w in words if MATH_FONT.search(w.font) or w.script or (w.italic and len(w.text) <= 2))
    return math == 0 or sum(is_ordinary(w) for w in words) > 0.25 * len(words)


def _text(parts: Sequence[Line]) -> str:
    """Rows from top to bottom, each from left to right."""
    rows: list[list[Line]] = []
    for part in sorted(parts, key=lambda p: (p.baseline, p.x0)):
        if rows and part.baseline - rows[-1][0].baseline < 0.4 * part.size:
            rows[-1].append(part)
        else:
            rows.append([part])
    return tidy(" ".join(p.text for row in rows for p in sorted(row, key=lambda p: p.x0)))
