"""Numbers that count on tell headings from items of lists.

"3.3.1" behind "3.3" opens a section, however it is set. "9." between an "8." and a "10." of running text, a
few rows apart, is an item of their list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from quire.documents.labeller.lines import numbering
from quire.documents.labeller.model import Labelled
from quire.documents.layout.rows import Row

_OUTLINE = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){1,3})\.?\s+[“\"(]?[^\W\d_a-z]")
_NUMBER = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s")
_TEXT = ("para", "text", "runin")
_LOST = ("other", "title", "author", "affiliation", "abstract", "para", "text")
_CLOSE = 1.45  # em between the baselines of one block
_ROWS = 3  # over which a numbered heading may run
_NEAR = 6  # rows between two items of a list
_ITEM = 3  # the form of "9." in `numbering`


def counted(rows: list[Labelled]) -> None:
    """Give numbered rows the labels that the numbers around them tell."""
    _sections(rows)
    _items(rows)


def _sections(rows: list[Labelled]) -> None:
    """Rows of text with the next number of the headings before them."""
    known: set[tuple[int, ...]] = set()
    for at, item in enumerate(rows):
        if item.label == "heading":
            match = _NUMBER.match(item.row.text.strip())
            known |= {_parts(match.group(1))} if match else set()
            continue
        match = _OUTLINE.match(item.row.text.strip()) if item.label in _TEXT else None
        if match is None:
            continue
        number = _parts(match.group(1))
        if before(number) not in known or number in known or not _opens(rows, at):
            continue
        known.add(number)
        end = _block(rows, at)
        if not _closed(rows, at, end):
            rows[at] = replace(item, label="runin")
            continue
        for i in range(at, end):
            rows[i] = replace(rows[i], label="heading")


def restored(rows: list[Labelled]) -> None:
    """Rows set like headings, and with the number before or behind one of theirs, are headings too."""
    running = Counter(_type(item.row) for item in rows if item.label in _TEXT)
    heads = Counter(_type(item.row) for item in rows if item.label == "heading")
    known: dict[tuple[int, ...], tuple[float, str]] = {}
    for item in rows:
        number = _number(item)
        if item.label == "heading" and number and heads[_type(item.row)] > running[_type(item.row)]:
            known[number] = _type(item.row)
    waiting = [
        (at, number) for at, item in enumerate(rows) if item.label in _LOST and (number := _number(item))
    ]
    found = True
    while found:
        found = False
        for at, number in waiting:
            beside = (known.get(before(number)), known.get((*number[:-1], number[-1] + 1)))
            if number not in known and _type(rows[at].row) in beside:
                rows[at] = replace(rows[at], label="heading")
                known[number] = _type(rows[at].row)
                found = True


def _number(item: Labelled) -> tuple[int, ...]:
    match = _NUMBER.match(item.row.text.strip())
    return _parts(match.group(1)) if match else ()


def _type(row: Row) -> tuple[float, str]:
    return round(row.line.size, 1), row.line.words[-1].font


def _parts(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split("."))


def before(number: tuple[int, ...]) -> tuple[int, ...]:
    """The number that stands before another: 3.3 before 3.3.1, 3.3.1 before 3.3.2."""
    return (*number[:-1], number[-1] - 1) if number[-1] > 1 else number[:-1]


def _under(above: Row, row: Row) -> bool:
    step = row.line.baseline - above.line.baseline
    same = (above.page, above.column) == (row.page, row.column)
    return same and 0 < step < _CLOSE * row.line.size


def _opens(rows: Sequence[Labelled], at: int) -> bool:
    """Whether a row stands apart from what is above, or above it a paragraph or heading ends."""
    if not at or rows[at - 1].label == "heading":
        return True
    return not _under(rows[at - 1].row, rows[at].row) or rows[at - 1].row.text.rstrip()[-1:] in ".:?!)"


def _block(rows: Sequence[Labelled], at: int) -> int:
    """Where the rows end that stand close under each other from one on."""
    end = at + 1
    while end < len(rows) and _under(rows[end - 1].row, rows[end].row):
        end += 1
    return end


def _closed(rows: Sequence[Labelled], at: int, end: int) -> bool:
    """Whether a block of rows is short and set apart from what follows in its column."""
    last = rows[end - 1].row
    inside = end < len(rows) and (rows[end].row.page, rows[end].row.column) == (last.page, last.column)
    return inside and end - at <= _ROWS and last.text.rstrip()[-1:] not in ".,;"


def _items(rows: list[Labelled]) -> None:
    """Headings amid a numbered list of text."""
    at_number = [
        (at, number)
        for at, item in enumerate(rows)
        if item.label in ("heading", *_TEXT)
        for kind, number in [numbering(item.row.text.strip())]
        if kind == _ITEM
    ]
    loose: list[int] = []
    for k, (at, number) in enumerate(at_number):
        near = [
            rows[other].label
            for other, its in (*at_number[max(0, k - 1) : k], *at_number[k + 1 : k + 2])
            if abs(other - at) <= _NEAR and its - number == (1 if other > at else -1)
        ]
        if rows[at].label == "heading" and any(label != "heading" for label in near):
            loose.append(at)
    for at in loose:
        rows[at] = replace(rows[at], label="para")
