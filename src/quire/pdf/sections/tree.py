"""Headings and paragraphs as a tree of `Section`s.

A printed number tells the level; where there is none, headings that look like numbered ones stand on
their level, and other looks rank by size, capitals and weight. A heading run into its paragraph stands
below the heading that stands alone above it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from quire.pdf.layout.blocks import Block, box_of, sure, sure_of_own
from quire.pdf.layout.rows import Row
from quire.pdf.raw import make_line, typed
from quire.pdf.vocabulary import named, opening
from quire.types import Paragraph, Section

_NUMBER = re.compile(
    r"^(?P<number>(?:appendix\s+)?"
    r"(?:\d{1,2}(?:\.\d{1,2}){0,4}|[A-Z](?:\.\d{1,2}){1,3}|[IVX]{1,5}|[A-Z]|[ivx]{1,4}(?=\))))"
    r"(?P<dot>[.):]?)\s+(?:[|∣]\s+)?(?P<title>\S.*)$",
    re.DOTALL,
)
_APPENDIX = re.compile(
    r"^(?P<number>appendix(?:\s+(?:[A-Z]|\d+))?)\s*[.:—–-]*\s*(?P<title>.*)$", re.IGNORECASE
)
_RUNNING = ("para", "text", "abstract", "runin")
_HEADING = ("heading", "runin")
_TYPED = 0.8  # share of typewriter type that makes a paragraph code
_ITEM = re.compile(r"[•◦▪‣●○■□]\s*\S|[–*-]\s+\S|\d{1,2}[.)]\s+\S|\(?(?:[ivx]{1,4}|[a-z]|\d{1,2})\)\s+\S")
NAME = "Introduction"
_SHORTEST = 400  # characters
_MOST = 0.6  # of the words of a heading make it bold or slanted
_USUAL = frozenset({"section"})  # kinds of names that a paper of the usual parts has, one of them at least


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
    if number[0].isdigit() or re.fullmatch(r"[A-Z](?:\.\d+)+", number):
        return Numbered(number, title, number.count(".") + 1)
    if match["dot"] or number != "A" or title[:1].isupper():
        return Numbered(number, title, 0)
    return Numbered("", text, 0)  # "A boat"


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
class FoundHeading:
    """A heading found: its number, title and look. `depth` is 0 where the number does not tell."""

    number: str
    title: str
    depth: int
    look: Look
    rows: tuple[Row, ...]


BodyPart = FoundHeading | Block
"""A heading or a paragraph of the body."""


def look_of(block: Block, *, run_in: bool = False) -> Look:
    """The type of a block."""
    letters = [c for c in block.text if c.isalpha()]
    capitals = len(letters) >= 4 and sum(c.isupper() for c in letters) > 0.9 * len(letters)
    size = max(block.rows, key=lambda row: len(row.text)).line.size
    words = [w for row in block.rows for w in row.line.words if any(map(str.isalpha, w.text))]
    bold, italic = (
        sum(marks) > _MOST * len(words) for marks in ([w.bold for w in words], [w.italic for w in words])
    )
    return Look(round(size * 2) / 2, bold, italic, capitals, run_in)


def parted(rows: Sequence[Row], count: int) -> tuple[list[Row], list[Row]]:
    """The first `count` words of rows, and the others; a row is cut where they part."""
    before: list[Row] = []
    behind: list[Row] = []
    for row in rows:
        words = row.line.words
        for part, own in ((before, words[:count]), (behind, words[count:])):
            if len(own) == len(words):
                part.append(row)
            elif own:
                part.append(replace(row, line=make_line(own, row.line.size, row.line.baseline)))
        count = max(0, count - len(words))
    return before, behind


def with_introduction(sections: Sequence[Section], language: str) -> list[Section]:
    """The sections, the untitled one behind an abstract named if the others are those of an English paper."""
    out = list(sections)
    if language != "en" or len(out) < 3 or "abstract" not in named(out[0].title):
        return out
    titles = [section.title for section in out[1:]]
    usual = any(named(title) & _USUAL for title in titles)
    taken = any("introduction" in named(title) for title in titles)
    if usual and not taken and not out[1].title and len(out[1].text) >= _SHORTEST:
        out[1] = replace(out[1], title=NAME)
    return out


@dataclass
class _Open:
    heading: FoundHeading | None
    rank: int  # as its number or look says
    level: int  # as it stands, one below its parent
    parent: int | None
    blocks: list[Block] = field(default_factory=list)


def build_tree(abstract: Sequence[BodyPart], body: Sequence[BodyPart]) -> list[Section]:
    """Sections in reading order; text before the body's first heading stands in one without a title."""
    parts = [*abstract, *body]
    levels = iter([1] * sum(isinstance(p, FoundHeading) for p in abstract)
                  + _levels([p for p in body if isinstance(p, FoundHeading)]))  # fmt: skip
    opened: list[_Open] = []
    stack: list[int] = []
    for index, part in enumerate(parts):
        if isinstance(part, FoundHeading):
            rank = next(levels)
            while stack and opened[stack[-1]].rank >= rank:
                stack.pop()
            parent = stack[-1] if stack else None
            level = opened[parent].level + 1 if parent is not None else 1
            opened.append(_Open(part, rank, level, parent))
            stack.append(len(opened) - 1)
        else:
            if not opened or (index == len(abstract) and abstract):
                opened.append(_Open(None, 1, 1, None))
            opened[-1].blocks.append(part)
    return [_section(o) for o in opened]


def _section(opened: _Open) -> Section:
    heading, blocks = opened.heading, opened.blocks
    first = heading.rows if heading else blocks[0].rows
    labels = (*_HEADING, "abstract") if heading and "abstract" in opening(heading.title) else _HEADING
    return Section(
        title=heading.title if heading else "",
        number=heading.number if heading else "",
        level=opened.level,
        parent=opened.parent,
        page=first[0].page,
        bbox=box_of(first),
        paragraphs=tuple(_paragraph(block) for block in blocks if block.text),
        pages=tuple(sorted({row.page for rows in (first, *(b.rows for b in blocks)) for row in rows})),
        confidence=sure_of_own(first, labels) if heading else None,
    )


def _paragraph(block: Block) -> Paragraph:
    code = typed([word for row in block.rows for word in row.line.words]) >= _TYPED
    return Paragraph(
        block.page,
        block.box,
        block.text,
        block.lines,
        spans=block.spans,
        kind="code" if code else "item" if _ITEM.match(block.text) else "text",
        confidence=sure(block.rows, _RUNNING),
    )


def _levels(headings: Sequence[FoundHeading]) -> list[int]:
    """A level for every heading; `build_tree` closes the gaps between them."""
    by_number = _look_levels(headings)
    ranks = _ranks(headings)
    numbered = sum(h.depth > 0 for h in headings) > 1
    # of the last heading before the back matter (funding, contributions, references ...)
    end = max((i for i, heading in enumerate(headings) if not is_back(heading.title)), default=-1)
    lettered = [h for h in headings if h.number and not h.depth]
    roman = any(h.number in ("II", "III", "IV") for h in lettered)
    out: list[int] = []
    for index, heading in enumerate(headings):
        look = heading.look
        if heading.depth:
            level = heading.depth
        elif heading.number and roman:
            level = 1 if set(heading.number) <= set("IVX") else 2
        elif heading.number:
            level = by_number.get(look, 1)
        elif is_back(heading.title) and (index > end or (numbered and not look.run_in)):
            level = 1
        elif look in by_number:
            level = by_number[look]
        elif look.run_in:
            level = 8
        elif numbered and named(heading.title):
            level = 1
        elif numbered:  # one below the smallest numbered type that is not smaller
            level = max((at for other, at in by_number.items() if other.size >= look.size), default=0) + 1
        else:
            level = ranks[look]
        out.append(level)
    return out


def _look_levels(headings: Sequence[FoundHeading]) -> dict[Look, int]:
    """The level that numbers give to each look (the most frequent; the higher one when even)."""
    votes = defaultdict[Look, Counter[int]](Counter)
    for heading in headings:
        if heading.depth:
            votes[heading.look][heading.depth] += 1
    return {look: max(sorted(counts), key=lambda d: counts[d]) for look, counts in votes.items()}


def _ranks(headings: Sequence[FoundHeading]) -> dict[Look, int]:
    """Levels of the looks of a document without numbers: larger, capitals, bold, then the rest."""
    looks = {h.look for h in headings if not h.look.run_in}
    order = sorted(looks, key=lambda k: (-k.size, not k.capitals, not k.bold, k.italic))
    ranks = {look: i + 1 for i, look in enumerate(order)}
    known = [ranks[h.look] for h in headings if named(h.title) and h.look in ranks]
    top = min(known, default=1)
    return {look: max(1, rank - top + 1) for look, rank in ranks.items()} | {
        h.look: 8 for h in headings if h.look.run_in
    }
