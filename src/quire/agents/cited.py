"""The evidence that a model names itself, in lines of its reply.

    [Evidence]: 5fe57755-14f1-5ee7-a4b4-ecaba6827045, page 2, "rankings shift by up to eight positions"

Nothing here is verified: that is `quire.agents.evidence.verify`. A paper may be named by its id, the start of
it, or its title; a line that names none is of the question's paper, where that is only one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from quire.agents.evidence import box_of
from quire.agents.openings import papers_of
from quire.agents.quotes import find
from quire.environment import Readable
from quire.errors import QuireError
from quire.types import Box, Evidence, Question, Step

_MOST = 10
_LONGEST_REPLY = 100_000  # characters that are read
_LONGEST_LINE = 2000  # longer ones would take quadratic time
_LINE = re.compile(
    r"^[ \t>*#-]*\[?evidence\]?[*_ \t]*:?[*_ \t]*(?P<paper>[^\n]*?)[,;( \t]*"
    r"\b(?:page|pages|p|pp)\b\.?[ \t]*(?P<page>\d{1,5})"
    r"[^\n\"\u201c\u00ab`']*[\"\u201c\u00ab`'](?P<quote>[^\n]+)[\"\u201d\u00bb`'][^\w\n]*$",
    re.IGNORECASE,
)


def cited(
    reply: str, question: Question, library: Readable, history: Sequence[Step] = ()
) -> tuple[Evidence, ...]:
    """The sources that a reply names, in order, each once; with the box of the row it saw there."""
    found: list[Evidence] = []
    for line in reply[:_LONGEST_REPLY].splitlines():
        match = _LINE.match(line) if len(line) < _LONGEST_LINE else None
        if match is None:
            continue
        paper = _paper(match["paper"].strip(" ,;:*`'\"<>[]()"), question, library)
        if not paper:
            continue
        quote, page = match["quote"].strip(), int(match["page"])
        evidence = Evidence(paper, page, None, quote, verified=False)
        evidence = replace(evidence, bbox=_box(evidence, history))
        if evidence not in found:
            found.append(evidence)
    return tuple(found[:_MOST])


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
        paper = str(row.get("pdf_id") or row.get("ref_paper_id") or row.get("paper_id") or "")
        if paper == evidence.paper_id and row.get("page_number") == evidence.page:
            texts = (cell for cell in row.values() if isinstance(cell, str))
            if any(find(evidence.quote, text) for text in texts):
                return box_of(row)
    return None


def _rows(history: Sequence[Step]) -> Iterator[dict[str, object]]:
    for step in reversed(history):
        for row in step.observation.rows if step.observation else ():
            yield dict(row)
