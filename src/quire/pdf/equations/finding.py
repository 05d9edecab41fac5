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
from collections.abc import Sequence
from dataclasses import dataclass

from quire.pdf.equations.atoms import Atom
from quire.pdf.equations.columns import NUMBER, PageColumn, columns
from quire.pdf.equations.latex import latex_of, rows_of
from quire.pdf.equations.prose import (
    MATH_FONT,
    RELATION,
    is_ordinary,
)
from quire.pdf.geometry import around, is_within, rounded, runs
from quire.pdf.joining import tidy
from quire.pdf.raw import Edges, Glyph, Line, RawPage
from quire.types import Equation

_TRAILING = re.compile(r"\((?:\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?|[A-Z]\.?\d{1,3}[a-z]?)\)$")
_OPERATOR = re.compile(r"[+−×÷·∑∏∫∂∇√∞±⊗⊕∗/|∥∧∨∪∩]|\^")
# In units of the type size.
_BEARING = 0.5  # how far a rule may stand out over the ink that it carries
_APART = 0.95  # of the usual leading: blank paper between two displays


@dataclass(slots=True)
class _Display:
    """Signs with nothing between them but each other."""

    glyphs: list[Glyph]
    y0: float
    y1: float


def find(page: RawPage, floats: Sequence[Edges]) -> list[Equation]:
    """The displayed equations of a page, from top to bottom."""
    found = [equation for column in columns(page, floats) for equation in _in_column(column)]
    return sorted(found, key=lambda e: (e.bbox.y0, e.bbox.x0))


def _in_column(column: PageColumn) -> list[Equation]:
    found: list[Equation] = []
    parts = list(column.parts)
    for display in _displays(column):
        own = [p for p in parts if _is_level(p, display.y0, display.y1)]
        numbers = [n for n in column.numbers if display.y0 - 2 < (n.y0 + n.y1) / 2 < display.y1 + 2]
        read = _read(column, display, own, numbers) if own else []
        if read:
            found += read
            parts = [p for p in parts if p not in own]
    plain = (_equation(column.page.number, group) for group in _touching(parts, column.numbers))
    return found + [equation for equation in plain if equation]


def _displays(column: PageColumn) -> list[_Display]:
    """Runs of signs without a line of running text or much blank paper between."""
    out: list[_Display] = []
    walls = sorted(p.baseline for p in column.prose)
    for glyph in sorted(column.glyphs, key=lambda g: g.y0):
        last = out[-1] if out else None
        close = last and glyph.y0 - last.y1 < _APART * column.leading
        if last and close and not any(last.y1 - 1 < w < glyph.y1 for w in walls):
            last.glyphs.append(glyph)
            last.y1 = max(last.y1, glyph.y1)
        else:
            out.append(_Display([glyph], glyph.y0, glyph.y1))
    return out


def _is_level(line: Line, top: float, foot: float) -> bool:
    return top - 1 < line.baseline < foot + 1 or top < (line.y0 + line.y1) / 2 < foot


def _read(
    column: PageColumn, display: _Display, parts: Sequence[Line], numbers: Sequence[Line]
) -> list[Equation]:
    """The equations of a display in LaTeX; [] where it cannot be read or is none."""
    glyphs = display.glyphs
    x0, x1 = min(g.x0 for g in glyphs), max(g.x1 for g in glyphs)
    size = max(g.size for g in glyphs)
    box = Edges(x0, display.y0, x1, display.y1)
    rules = [r for r in column.page.rules if r.horizontal and is_within(r, box, _BEARING * size)]
    rows = rows_of(glyphs, rules)
    found: list[Equation] = []
    for group, number in _numbered(rows, numbers):
        top, foot = min(a.y0 for row in group for a in row), max(a.y1 for row in group for a in row)
        own = [p for p in parts if _is_level(p, top, foot)]
        plain = _equation(column.page.number, [*own, *([number] if number else [])])
        if plain is None:
            continue
        atoms = [a for row in group for a in row]
        place = rounded(around([*atoms, *([number] if number else [])])._replace(y0=top, y1=foot))
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
    numbers = [p for p in group if NUMBER.match(p.text.strip())]
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
