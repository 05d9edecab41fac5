"""Where the evidence of an answer comes from: lines of the model's reply, else rows that it has seen.

    [Evidence]: 5fe57755-14f1-5ee7-a4b4-ecaba6827045, page 2, "rankings shift by up to eight positions"

Nothing here is verified: that is `quire.ask.evidence.verify`. A paper may be named by its id, the start of
it, or its title; a line that names none is of the question's paper, where that is only one.

Contract: time is linear in the reply; at most `_LONGEST_REPLY` characters and `_MOST` lines of it count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from quire.ask.environment import Readable
from quire.ask.evidence import around, box_of, place_of
from quire.ask.methods import papers_of
from quire.ask.quote_matching import find_quote
from quire.errors import QuireError
from quire.types import Box, Evidence, Question, Step

_MOST = 30
_MOST_GATHERED = 3
_SENTENCE = 6  # words of an answer that says something of its own
_LONGEST_REPLY = 100_000  # characters that are read
_LONGEST_LINE = 2000
_PAGE = re.compile(r"\b(?:pages?|pp?)\b\.?[ \t]{0,9}(\d{1,5})", re.IGNORECASE)
_NUMBER = re.compile(r"(\d{1,2})[ \t*_]{0,9}\][*_ \t:]{0,9}")
_SEEN = re.compile(r"(?i)\b(seen|read) in\b")
_OPENING, _CLOSING = "\"'`\u201c\u00ab", "\"'`\u201d\u00bb"

Row = Mapping[str, Any]


class _Named(NamedTuple):
    """What a line of evidence says: the paper as it names it, the page, the quote.

    Its `number` is 0 for none; `seen` is what was read in a picture.
    """

    paper: str
    page: int
    quote: str
    number: int
    seen: bool


def cited(
    reply: str, question: Question, library: Readable, history: Sequence[Step] = ()
) -> tuple[Evidence, ...]:
    """The sources that a reply names, in order, each once; with the box of the row it saw there.

    The mark of each is the number that its line has, else its place among the lines.
    """
    found: list[Evidence] = []
    lines = 0
    for line in reply[:_LONGEST_REPLY].splitlines():
        named = _named(line[:_LONGEST_LINE])
        if named is None:
            continue
        lines += 1
        if not (paper := _paper(named.paper, question, library)):
            continue
        mark = named.number or lines
        how: Literal["seen", "quoted"] = "seen" if named.seen else "quoted"
        evidence = Evidence(paper, named.page, None, named.quote, verified=False, mark=mark, how=how)
        box = _seen_box(evidence, history) if named.seen else _box(evidence, history)
        evidence = replace(evidence, bbox=box)
        if all(replace(each, mark=mark) != evidence for each in found):
            found.append(evidence)
            if len(found) == _MOST:
                break
    return tuple(found)


def _named(line: str) -> _Named | None:
    """The parts of a line of evidence, however it is decorated; None if it is none."""
    said = line.lstrip(" \t>*#-[")
    if not said.lower().startswith("evidence"):
        return None
    said = said[len("evidence") :].lstrip("s]*_ \t:")
    numbered = _NUMBER.match(said)
    said = said[numbered.end() :] if numbered else said
    for page in _PAGE.finditer(said):
        rest = said[page.end() :]
        start = next((at for at, char in enumerate(rest) if char in _OPENING), -1)
        end = max((rest.rfind(char) for char in _CLOSING), default=-1)
        if 0 <= start < end and not any(char.isalnum() for char in rest[end:]):
            paper = said[: page.start()].strip(" \t,;:*`'\"<>[]()")
            number = int(numbered[1]) if numbered else 0
            seen = bool(_SEEN.search(rest[:start]))
            return _Named(paper, int(page[1]), rest[start + 1 : end].strip(), number, seen)
    return None


def _paper(name: str, question: Question, library: Readable) -> str:
    if name:
        try:
            return str(library.paper(name).id)
        except QuireError:
            return ""
    named = papers_of(question)
    return named[0] if len(named) == 1 else ""


def _box(evidence: Evidence, history: Sequence[Step]) -> Box | None:
    """The box of a row on that page that holds the quote."""
    for row in _rows(history):
        if place_of(row) == (evidence.paper_id, evidence.page):
            texts = (cell for cell in row.values() if isinstance(cell, str))
            if any(find_quote(evidence.quote, text) for text in texts):
                return box_of(row)
    return None


def _seen_box(evidence: Evidence, history: Sequence[Step]) -> Box | None:
    """The box of that page that was looked at last."""
    looked = [each.observation for each in history if each.observation and each.observation.image]
    rows = [row for seen in reversed(looked) for row in reversed(seen.rows)]
    place = (evidence.paper_id, evidence.page)
    return next((box for row in rows if place_of(row) == place and (box := box_of(row))), None)


def gather(value: Any, history: Sequence[Step]) -> tuple[Evidence, ...]:
    """The rows seen that contain the answer, latest first; unverified. Only rows that name a page count.

    They are marked as what was shown, as the answer does not name them.
    """
    wanted = [text for text in _texts(value) if len(text) > 1]
    found: list[Evidence] = []
    for row in _rows(history):
        evidence = _from_row(row, wanted)
        if evidence and evidence not in found:
            found.append(evidence)
            if len(found) == _MOST_GATHERED:
                break
    return tuple(found)


def shown_evidence(value: Any, history: Sequence[Step]) -> tuple[Evidence, ...]:
    """What the model was shown last, for a text that names no evidence and repeats none; marked as such."""
    from quire.ask.offline.searched import seen_last

    if not isinstance(value, str) or len(value.split()) < _SENTENCE:
        return ()
    return tuple(replace(each, how="shown") for each in seen_last(history)[:_MOST_GATHERED])


def _from_row(row: Row, wanted: Sequence[str]) -> Evidence | None:
    paper, page = place_of(row)
    if not paper or page < 1:
        return None
    for cell in row.values():
        for text in wanted:
            place = find_quote(text, cell) if isinstance(cell, str) else None
            if place and isinstance(cell, str):
                return Evidence(paper, page, box_of(row), around(cell, place), verified=False, how="shown")
    return None


def _rows(history: Sequence[Step]) -> Iterator[Row]:
    """The rows of all observations, the latest first."""
    for step in reversed(history):
        yield from step.observation.rows if step.observation else ()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
