"""The abstract: what stands under "Abstract", or where no such word is printed, the block before the body.

Works on the parts of the first pages up to the first heading of the body. Returns which parts belong to
the abstract, so that the rest of the paper starts behind them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.sections.headings import Part
from quire.documents.sections.names import ABSTRACT, split_number

_RUN_IN = re.compile(r"^(?:abstract|summary|zusammenfassung|a b s t r a c t)\s*[.:—–-]*\s*", re.IGNORECASE)
_END = re.compile(
    r"^(?:(?:\d|I)?[.\s]*(?:introduction|einleitung|background and introduction)|key\s?-?words?\b|"
    r"index terms|categories and subject|"
    r"general terms|ccs concepts|acm reference|abbreviations|article info|introduction\b|author summary|"
    r"citation:|received|copyright|correspond|©|subject classification|pacs\b|\(?jel)",
    re.IGNORECASE,
)
_STRUCTURE = re.compile(
    r"^(?:background|importance|objectives?|aims?|purpose|methods?|materials? and methods|"
    r"patients and methods|"
    r"design|setting|"
    r"results?|findings|conclusions?|interpretation|discussion|significance|context|introduction|motivation|"
    r"methodology(?:/principal findings)?|principal findings|conclusions?/significance|trial registration|"
    r"study design|participants|interventions?|main outcome measures?|availability.*|contact|"
    r"limitations|funding)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"^(?:key\s?-?words|doi\b|https?:|pacs|subject areas?|received|\(?(?:received|dated)\b|index terms)",
    re.IGNORECASE,
)  # lines that may stand between an abstract and the body
_NOT_ABSTRACT = re.compile(
    r"copyright|creative commons|correspondence|^received|academic editor|edited by|reviewed by|"
    r"permission to|open access|@|e-?mail|^\W*\d?\s?(?:department|university|institute|faculty)|how to cite|"
    r"^citation:|^published",
    re.IGNORECASE,
)


def find_abstract(parts: Sequence[Part], title_end: int) -> tuple[list[int], str]:
    """Indices of the parts that make the abstract, and its text without the word itself."""
    head = list(range(title_end, min(len(parts), title_end + 60)))
    for i in head:
        text = _text(parts[i])
        if parts[i].heading is not None and ABSTRACT.match(text):
            return _collect(parts, i, i + 1)
        if parts[i].block is not None and re.match(
            r"^(?:abstract|a b s t r a c t)\b\s*[.:—–-]?\s*\S", text, re.IGNORECASE
        ):
            if text[:1].isupper() and len(text) > 100:
                return _collect(parts, i, i)
    return _unnamed(parts, head)


def _text(part: Part) -> str:
    if part.heading is not None:
        return part.heading.text
    return part.block.text if part.block is not None else ""


def _collect(parts: Sequence[Part], start: int, first: int) -> tuple[list[int], str]:
    """Everything from `first` to the end of the abstract."""
    chosen = list(range(start, first))
    texts: list[str] = []
    size = 0.0
    structured = False  # it has run-in headings, of which any may follow
    for i in range(first, min(len(parts), first + 24)):
        part, text = parts[i], _text(parts[i])
        if part.heading is not None:
            structural = (
                _STRUCTURE.match(part.heading.text) or (structured and part.heading.look.run_in)
            ) and not split_number(part.heading.text).number
            body_starts = not structural or (sum(map(len, texts)) > 1200 and not part.heading.look.run_in)
            if body_starts or (_END.match(text) and texts and not part.heading.look.run_in):
                break
            if part.heading.look.size > 1.15 * (size or 99) and texts:
                break
            texts.append(text if text[-1:] in ".:" else text + ".")
            structured = structured or part.heading.look.run_in
        else:
            if texts and _END.match(text):
                break
            if texts and part.block is not None and size and abs(part.block.size - size) > 0.08 * size:
                break
            if part.block is not None:
                size = size or part.block.size
            texts.append(_RUN_IN.sub("", text) if i == start else text)
        chosen.append(i)
        if sum(map(len, texts)) > 6000:
            break
    if sum(map(len, texts)) > 4500 and len(texts) > 2:  # nothing marks its end: it is the first paragraph
        chosen, texts = chosen[: len(chosen) - len(texts) + 1], texts[:1]
    return chosen, " ".join(t for t in texts if t).strip()


def _unnamed(parts: Sequence[Part], head: Sequence[int]) -> tuple[list[int], str]:
    """The long blocks just before the first heading of the body, on the first page."""
    end = next((i for i in head if parts[i].heading is not None and _opens_body(parts[i])), None)
    if end is None:
        return _standing_out(parts, head)
    chosen: list[int] = []
    for i in range(end - 1, head[0] - 1, -1):
        text = _text(parts[i])
        heading = parts[i].heading
        if heading is not None and heading.look.run_in and _STRUCTURE.match(heading.text):
            chosen.insert(0, i)
            continue
        words = len(text.split())
        if heading is None and words >= 8 and _labelled(parts[i]):
            chosen.insert(0, i)
            continue
        if heading is not None or words < 25 or (words < 90 and _NOT_ABSTRACT.search(text[:300])):
            if chosen or _BETWEEN.match(text) is None:
                break
            continue
        chosen.insert(0, i)
    text = " ".join(_text(parts[i]) for i in chosen)
    return (chosen, text) if len(text) > 150 else ([], "")


def _labelled(part: Part) -> bool:
    """A paragraph of a structured abstract: "METHODS We asked ...", its first word in bold."""
    block = part.block
    if block is None or not _STRUCTURE.match(block.text):
        return False
    words = block.rows[0].line.words
    return words[0].bold and not words[-1].bold


def _standing_out(parts: Sequence[Part], head: Sequence[int]) -> tuple[list[int], str]:
    """A long bold paragraph above plain text, where neither abstract nor introduction is so called."""
    long = [i for i in head if (block := parts[i].block) and len(block.text.split()) > 50]
    if len(long) < 2:
        return [], ""
    first, second = parts[long[0]].block, parts[long[1]].block
    if first and second and first.bold > 0.8 and second.bold < 0.2:
        return [long[0]], first.text
    return [], ""


def _opens_body(part: Part) -> bool:
    heading = part.heading
    if heading is None or heading.look.run_in:
        return False
    return bool(
        re.match(r"^(?:introduction|background|einleitung|motivation|overview)", heading.title, re.IGNORECASE)
    ) or heading.number in ("1", "I")
