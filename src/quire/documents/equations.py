"""Displayed equations: formulas that stand on lines of their own.

    find(page, floats, profile)[0].number     # '(3)'

A line is a formula if it holds a relation or an operator and hardly any ordinary word, and if nothing but a
number in brackets shares its row. Lines that touch (fractions, limits, rows of one array) are one equation;
each printed number begins one of its own. The text is raw: reading order, scripts marked by a caret.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.layout.profile import Profile
from quire.documents.raw import Edges, Line, RawPage, Word
from quire.documents.tables.loose import column_edges, gutters
from quire.documents.words import tidy
from quire.types import Box, Equation

_NUMBER = re.compile(
    r"^[(\[]\s*(?:\d{1,3}(?:[.\-–]\d{1,3})*\s*[a-z]?′?|[A-Z]{1,2}\.?\d{1,3}[a-z]?|\*{1,3})"
    r"\s*[)\]]$"
)
_TRAILING = re.compile(r"\((?:\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?|[A-Z]\.?\d{1,3}[a-z]?)\)$")
_RELATION = re.compile(r"[=<>≤≥≈≡∼≃≅≠∝∈⊂⊆→⇒⇔←↔↦≔≜⩽⩾≪≫]")
_OPERATOR = re.compile(r"[+−×÷·∑∏∫∂∇√∞±⊗⊕∗/|∥∧∨∪∩]|\^")
_MATH_FONT = re.compile(
    r"CMMI|CMSY|CMEX|MSBM|MSAM|Math|Symbol|MTMI|MTSY|RMTMI|EUFM|EURM|txmia|txsy|stix", re.IGNORECASE
)
_FUNCTIONS = frozenset(
    "sin cos tan log exp max min arg argmax argmin lim sup inf det dim ker mod softmax tanh relu sign var "
    "cov tr rank diag st if otherwise for all where with and or then such that subject to when else is of "
    "the".split()
)
MOST_WORDS = 0.34  # share of ordinary words in a formula


def find(page: RawPage, floats: Sequence[Edges], profile: Profile) -> list[Equation]:
    """The displayed equations of a page, from top to bottom."""
    lines = [p for p in page.lines if p.angle == 0 and not any(_within(p, box) for box in floats)]
    if not any(_RELATION.search(p.text) for p in lines):
        return []
    cuts = gutters(page)
    columns: dict[tuple[float, float], list[Line]] = {}
    for line in lines:
        edges = column_edges(Edges(line.x0, line.y0, line.x1, line.y1), page, cuts)
        columns.setdefault(edges, []).append(line)
    found = [e for group in columns.values() for e in _in_column(page.number, group, profile)]
    return sorted(found, key=lambda e: (e.bbox.y0, e.bbox.x0))


def _within(line: Line, box: Edges) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1


def _in_column(page: int, lines: Sequence[Line], profile: Profile) -> list[Equation]:
    body = [p for p in lines if len(p.words) >= 5 and not _formula(p)]
    if not body:
        return []
    left = sorted(p.x0 for p in body)[len(body) // 10]
    right = sorted(p.x1 for p in body)[-1 - len(body) // 10]
    numbers = [p for p in lines if _NUMBER.match(p.text.strip()) and p.x1 > right - 4 * p.size]
    prose = [p for p in lines if p not in numbers and _words(p) > max(2, MOST_WORDS * len(p.words))]
    parts = [
        p
        for p in lines
        if p not in numbers
        and p not in prose
        and not any(_level(p, q) for q in prose)
        and (p.x0 > left + 0.9 * p.size or not _words(p) or any(_level(p, n) for n in numbers))
    ]
    groups = _touching(parts, numbers)
    return [e for group in groups if (e := _equation(page, group, left, profile))]


def _formula(line: Line) -> bool:
    return bool(_RELATION.search(line.text)) and _words(line) <= max(1, MOST_WORDS * len(line.words))


def _words(line: Line) -> int:
    """Ordinary words of a line."""
    return sum(1 for w in line.words if _ordinary(w))


def _ordinary(word: Word) -> bool:
    bare = word.text.strip(".,;:()[]{}|")
    return (
        len(bare) >= 3
        and bare.isalpha()
        and bare.lower() not in _FUNCTIONS
        and not _MATH_FONT.search(word.font)
        and not word.script
    )


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


def _equation(page: int, group: Sequence[Line], left: float, profile: Profile) -> Equation | None:
    numbers = [p for p in group if _NUMBER.match(p.text.strip())]
    parts = [p for p in group if p not in numbers]
    if not parts:
        return None
    text = _text(parts)
    number = numbers[0].text.strip().replace(" ", "") if numbers else ""
    if not number and (match := _TRAILING.search(text)) and _RELATION.search(text[: match.start()]):
        number, text = match[0], text[: match.start()].rstrip()
    if "://" in text or "www." in text:
        return None
    letters = sum(c.isalnum() for c in text)
    signs = len(_RELATION.findall(text)) + len(_OPERATOR.findall(text))
    if letters < 2 or not (_RELATION.search(text) or (number and signs)):
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
    math = sum(1 for w in words if _MATH_FONT.search(w.font) or w.script or (w.italic and len(w.text) <= 2))
    return math == 0 or sum(_ordinary(w) for w in words) > 0.25 * len(words)


def _text(parts: Sequence[Line]) -> str:
    """Rows from top to bottom, each from left to right."""
    rows: list[list[Line]] = []
    for part in sorted(parts, key=lambda p: (p.baseline, p.x0)):
        if rows and part.baseline - rows[-1][0].baseline < 0.4 * part.size:
            rows[-1].append(part)
        else:
            rows.append([part])
    return tidy(" ".join(p.text for row in rows for p in sorted(row, key=lambda p: p.x0)))
