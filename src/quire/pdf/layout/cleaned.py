"""Pages without what is no text of theirs: numbers of lines in the margin, lines that are drawn twice.

    pages = [without_doubles(without_line_numbers(page)) for page in pages]

A column of whole numbers that count up by one (or by five) down the page, at one place left or right of
all other words, is taken away. Numbers that the reader put into the line itself, as its first or last
word, are found too. A page needs five of them. A file draws lines twice for a shadow, or under a second
layer of text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from quire.pdf.raw import Line, RawPage, Word, make_line

_FEWEST = 5
_NEAR = 3.0  # points between the edges of numbers that stand in one column
_ASIDE = 50.0  # points between numbers and their lines, at most
_NUMBERED = 0.6  # share of the lines beside them that they count

_Found = tuple[int, int, Word]  # index of the line, value, the word
_SHORTEST = 12  # characters; the cells of a table may be equal and near each other
_COPIED = 0.4  # em between the places of two copies


def without_line_numbers(page: RawPage) -> RawPage:
    """The page without a margin of line numbers; the page itself if it has none."""
    for right in (False, True):
        ends = [
            (i, int(word.text), word)
            for i, line in enumerate(page.lines)
            if line.angle == 0 and (word := line.words[-1 if right else 0]).text.isdecimal()
            and len(word.text) < 5
        ]  # fmt: skip
        chosen = _column(ends, page, right=right) if len(ends) >= _FEWEST else []
        if chosen:
            return _removed(page, {i: word for i, _, word in chosen})
    return page


def _column(ends: Sequence[_Found], page: RawPage, *, right: bool) -> list[_Found]:
    """Numbers that share an edge, count up, and have all other words on one side."""
    others = _margin(page, {id(word) for _, _, word in ends}, right=right)
    outside = [e for e in ends if (e[2].x0 > others if right else e[2].x1 < others)]
    best: list[_Found] = []
    for edge in {(round(e[2].x0), round(e[2].x1)) for e in outside}:
        own = [e for e in outside if min(abs(e[2].x0 - edge[0]), abs(e[2].x1 - edge[1])) < _NEAR]
        if len(own) > len(best):
            best = sorted(own, key=lambda e: e[2].baseline)
    steps = [b[1] - a[1] for a, b in pairwise(best)]
    counting = sum(step in (1, 5) for step in steps)
    if len(best) < _FEWEST or counting < 0.8 * len(steps):
        return []
    step = 1 if steps.count(1) >= steps.count(5) else 5
    return best if step * len(best) >= _NUMBERED * _rows_beside(best, page, right=right) else []


def _rows_beside(numbers: Sequence[_Found], page: RawPage, *, right: bool) -> int:
    """How many lines there are from the first to the last number: entries of a list have further ones."""
    top, bottom = numbers[0][2].baseline - 1, numbers[-1][2].baseline + 1
    edge = max(w.x1 for _, _, w in numbers) + _ASIDE if not right else numbers[0][2].x0 - _ASIDE
    own = [line for line in page.lines if line.angle == 0 and top < line.baseline < bottom]
    own = [line for line in own if (line.x1 > edge if right else line.x0 < edge)]
    return len({round(line.baseline) for line in own})


def _margin(page: RawPage, numbers: set[int], *, right: bool) -> float:
    """Where the words that are no candidates begin or end, but for one line in twenty."""
    edges = sorted(
        (max(w.x1 for w in words) if right else min(w.x0 for w in words))
        for line in page.lines
        if line.angle == 0 and (words := [w for w in line.words if id(w) not in numbers])
    )
    if not edges:
        return 0.0
    return edges[-1 - len(edges) // 20] if right else edges[len(edges) // 20]


def _removed(page: RawPage, numbers: dict[int, Word]) -> RawPage:
    lines: list[Line] = []
    for i, line in enumerate(page.lines):
        words = [w for w in line.words if w is not numbers.get(i)]
        if len(words) < len(line.words) and words:
            line = make_line(words, max(words, key=lambda w: len(w.text)).size, words[0].baseline)
        lines += [line] if words else []
    return replace(page, lines=tuple(lines))


def without_doubles(page: RawPage) -> RawPage:
    """The page with the first of the copies of every line; the page itself if it has none."""
    seen: dict[str, list[Line]] = {}
    kept: list[Line] = []
    for line in page.lines:
        copies = seen.setdefault(line.text, [])
        if len(line.text) < _SHORTEST or not any(_same_place(line, other) for other in copies):
            kept.append(line)
            copies.append(line)
    return page if len(kept) == len(page.lines) else replace(page, lines=tuple(kept))


def _same_place(one: Line, other: Line) -> bool:
    apart = max(abs(one.x0 - other.x0), abs(one.x1 - other.x1), abs(one.baseline - other.baseline))
    return apart < _COPIED * one.size and one.angle == other.angle
