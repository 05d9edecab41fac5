"""What a heading is: its text, number, and the look by which headings of one level are known."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from quire.documents.labeller.lexicon import named
from quire.documents.layout.blocks import Block
from quire.documents.layout.rows import Row
from quire.documents.raw import make_line

_NUMBER = re.compile(
    r"^(?P<number>(?:appendix\s+)?"
    r"(?:\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,3}|[IVX]{1,5}|[A-Z]|[ivx]{1,4}(?=\))))"
    r"(?P<dot>[.):]?)\s+(?:[|∣]\s+)?(?P<title>\S.*)$",
    re.DOTALL,
)
_APPENDIX = re.compile(
    r"^(?P<number>appendix(?:\s+(?:[A-Z]|\d+))?)\s*[.:—–-]*\s*(?P<title>.*)$", re.IGNORECASE
)


class Numbered(NamedTuple):
    """A heading's printed number and what follows it."""

    number: str
    title: str
    depth: int  # 1 for the top; 0 when the number alone does not tell


def split_number(text: str) -> Numbered:
    """Part the printed number from a heading; number "" and depth 0 where there is none."""
    appendix = _APPENDIX.match(text)
    if appendix and (appendix["title"][:1].isupper() or not appendix["title"]):
        lettered = appendix["title"] or " " in appendix["number"]
        return Numbered(appendix["number"] if lettered else "", appendix["title"].strip() or text.strip(), 1)
    match = _NUMBER.match(text)
    if not match:
        return Numbered("", text, 0)
    number, title = match["number"], match["title"].strip()
    if not title[0].isalnum() and title[0] not in "“\"‘'([":
        return Numbered("", text, 0)
    if number[0].isdigit():
        if int(number.split(".")[0]) > 30:
            return Numbered("", text, 0)
        return Numbered(number, title, number.count(".") + 1)
    if re.fullmatch(r"[A-Z](?:\.\d+)+", number):
        return Numbered(number, title, number.count(".") + 1)
    if match["dot"] or re.fullmatch(r"[A-Z]", number) is None:
        return Numbered(number, title, 0)
    if re.fullmatch(r"[A-Z]", number) and number != "A" or title[:1].isupper():
        return Numbered(number, title, 0)
    return Numbered("", text, 0)


def is_known(title: str) -> bool:
    """Whether the text is a usual name of a section."""
    return bool(named(title))


def is_back(title: str) -> bool:
    """Whether the text is a usual name of what stands behind the body: funding, references ..."""
    return bool(named(title) & {"back", "references", "keywords"})


class Look(NamedTuple):
    """The type of a heading, by which headings of one level are known."""

    size: float
    bold: bool
    italic: bool
    capitals: bool
    run_in: bool


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading found: its printed text, number, and look. `depth` is 0 where the number does not tell."""

    text: str
    number: str
    title: str
    depth: int
    look: Look
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A block of the body, as a heading or as a paragraph."""

    heading: Heading | None
    block: Block | None


def look_of(block: Block, *, run_in: bool = False) -> Look:
    """The type of a block."""
    letters = [c for c in block.text if c.isalpha()]
    capitals = len(letters) >= 4 and sum(c.isupper() for c in letters) > 0.9 * len(letters)
    return Look(round(block.size * 2) / 2, block.bold > 0.6, block.italic > 0.6, capitals, run_in)


def first_words(block: Block, count: int) -> tuple[Row, ...]:
    """The rows that the first `count` words of a block make."""
    rows: list[Row] = []
    for row in block.rows:
        words = row.line.words[:count]
        if not words:
            break
        rows.append(replace(row, line=make_line(words, row.line.size, row.line.baseline)))
        count -= len(words)
    return tuple(rows)


def without_words(block: Block, count: int) -> Block | None:
    """The block without its first `count` words."""
    rows: list[Row] = []
    for row in block.rows:
        words = row.line.words
        if count >= len(words):
            count -= len(words)
            continue
        if count:
            line = make_line(words[count:], row.line.size, row.line.baseline)
            row, count = replace(row, line=line), 0
        rows.append(row)
    return Block(tuple(rows)) if rows else None
