"""What numbers, names and the file's own outline tell of headings.

"3.3.1" behind "3.3" opens a section, however it is set. What a publisher prints about a paper behind it
("Author details", "Open Access") is no section of it. A bookmark of the outline that names rows of its page
word for word makes these a heading; titles, names and abstracts stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.pdf.geometry import CLOSE
from quire.pdf.layout.rows import Row
from quire.pdf.raw import OutlineEntry
from quire.pdf.vocabulary import named, opening
from quire.text import bare

_OUTLINE = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){1,3})\.?\s+[“\"(]?[^\W\d_a-z]")
_NUMBER = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s")
_TEXT = ("para", "text", "runin")
_ROWS = 3  # over which a numbered heading may run
_BEHIND = ("para", "text", "runin", "affiliation", "other")
_KIND = "imprints"
_LONGEST = 80  # rows of one such part
_MARKED = 6  # over which a heading may run
_SHORTEST = 3  # letters of a bookmark that can be told from others
_FRONT = ("title", "author", "affiliation", "abstract")
_ANY_NUMBER = re.compile(r"^(?:[\dIVX]{1,4}(?:\.\d{1,2})*[.):]?\s+)?")


def counted(rows: list[Row]) -> None:
    """Make rows of text with the next number of the headings before them headings."""
    known: set[tuple[int, ...]] = set()
    for at, item in enumerate(rows):
        if item.label == "heading":
            match = _NUMBER.match(item.text.strip())
            known |= {_parts(match.group(1))} if match else set()
            continue
        match = _OUTLINE.match(item.text.strip()) if item.label in _TEXT else None
        if match is None:
            continue
        number = _parts(match.group(1))
        if before(number) not in known:
            continue
        known.add(number)
        end = at + 1
        while end < len(rows) and rows[end].is_under(rows[end - 1], CLOSE):
            end += 1
        last = rows[end - 1]
        inside = end < len(rows) and (rows[end].page, rows[end].column) == (last.page, last.column)
        if inside and end - at <= _ROWS and last.text.rstrip()[-1:] not in ".,;":
            rows[at:end] = [replace(row, label="heading") for row in rows[at:end]]
        else:
            rows[at] = replace(item, label="runin")


def _parts(number: str) -> tuple[int, ...]:
    return tuple(int(part) for part in number.split("."))


def before(number: tuple[int, ...]) -> tuple[int, ...]:
    """The number that stands before another: 3.3 before 3.3.1, 3.3.1 before 3.3.2."""
    return (*number[:-1], number[-1] - 1) if number[-1] > 1 else number[:-1]


def imprints(rows: list[Row]) -> None:
    """Take headings with such names out of the body, and what stands behind them."""
    for at, item in enumerate(rows):
        words = item.line.words
        begins = words[0].bold and not words[-1].bold and _KIND in opening(item.text)
        if item.label == "heading" and _KIND in named(item.text):
            behind: tuple[str, ...] = _BEHIND
        elif item.label in _TEXT and begins:
            behind = ("text",)
        else:
            continue
        end = at + 1
        while end < min(len(rows), at + _LONGEST) and rows[end].label in behind:
            end += 1
        rows[at:end] = [replace(row, label="other") for row in rows[at:end]]


def bookmarked(labelled: Sequence[Row], outline: Sequence[OutlineEntry]) -> list[Row]:
    """The rows, with the headings that the outline names."""
    out = list(labelled)
    pages: dict[int, list[int]] = {}
    for i, item in enumerate(out):
        pages.setdefault(item.page, []).append(i)
    wanted = [entry for entry in outline if entry.page in pages and len(_bare(entry.title)) >= _SHORTEST]
    texts = {i: _bare(out[i].text) for page in {e.page for e in wanted} for i in pages[page]}
    for entry in wanted:
        _mark(out, pages[entry.page], texts, entry.title)
    return out


def _mark(rows: list[Row], at: Sequence[int], texts: dict[int, str], title: str) -> None:
    """Give the rows of a page that a bookmark names their label."""
    letters = _bare(title)
    found = [(i, end) for i in at if (end := _named(rows, texts, i, letters)) and _begins_so(rows[i], title)]
    if _KIND in named(title) or any(rows[i].label in ("heading", "title") for i, _ in found):
        return
    spans = [span for span in found if rows[span[0]].label not in _FRONT]
    start, end = max(spans, key=lambda span: rows[span[0]].score("heading"), default=(0, 0))
    rows[start:end] = [replace(row, label="heading") for row in rows[start:end]]


def _named(rows: Sequence[Row], texts: dict[int, str], start: int, letters: str) -> int:
    """The end of the rows from one on that spell a bookmark; 0 if they do not."""
    spelt = ""
    for i in range(start, min(len(rows), start + _MARKED)):
        spelt += texts.get(i, "\0")
        if spelt == letters:
            return i + 1
        if not letters.startswith(spelt) or not spelt:
            return 0
    return 0


def _begins_so(item: Row, title: str) -> bool:
    """Whether a row begins as a heading does, or as the bookmark: no last word of a paragraph."""
    first = _ANY_NUMBER.sub("", item.text.strip())[:1]
    return not first.islower() or _ANY_NUMBER.sub("", title.strip())[:1].islower()


def _bare(text: str) -> str:
    return bare(_ANY_NUMBER.sub("", text.strip()))
