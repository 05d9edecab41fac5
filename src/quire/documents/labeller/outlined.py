"""The file's own outline decides what is a heading, where it agrees with the page that it points to.

A bookmark names rows of its page word for word: these are a heading, or begin a paragraph with one. Titles,
names and abstracts stay what they are, and a bookmark that names nothing on its page says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from quire.documents.labeller.lexicon import named
from quire.documents.labeller.model import Labelled
from quire.documents.raw import OutlineEntry

_ROWS = 6  # over which a heading may run
_SHORTEST = 3  # letters of a bookmark that can be told from others
_FRONT = ("title", "author", "affiliation", "abstract")
_NUMBER = re.compile(r"^(?:[\dIVX]{1,4}(?:\.\d{1,2})*[.):]?\s+)?")


def bookmarked(labelled: Sequence[Labelled], outline: Sequence[OutlineEntry]) -> list[Labelled]:
    """The rows, with the headings that the outline names."""
    out = list(labelled)
    pages: dict[int, list[int]] = {}
    for i, item in enumerate(out):
        pages.setdefault(item.row.page, []).append(i)
    wanted = [entry for entry in outline if entry.page in pages and len(_bare(entry.title)) >= _SHORTEST]
    texts = {i: _bare(out[i].row.text) for page in {e.page for e in wanted} for i in pages[page]}
    for entry in wanted:
        _mark(out, pages[entry.page], texts, entry.title)
    return out


def _mark(rows: list[Labelled], at: Sequence[int], texts: dict[int, str], title: str) -> None:
    """Give the rows of a page that a bookmark names their label."""
    bare = _bare(title)
    found = [(i, end) for i in at if (end := _named(rows, texts, i, bare)) and _opens(rows[i], title)]
    if any(rows[i].label in ("heading", "title") for i, _ in found):
        return
    found = [(i, end) for i, end in found if _may_be(rows[i], title)]
    if not found:
        return
    start, end = max(found, key=lambda span: rows[span[0]].score("heading"))
    for i in range(start, end):
        rows[i] = replace(rows[i], label="heading")


def _named(rows: Sequence[Labelled], texts: dict[int, str], start: int, bare: str) -> int:
    """The end of the rows from one on that spell a bookmark; 0 if they do not."""
    spelt = ""
    for i in range(start, min(len(rows), start + _ROWS)):
        spelt += texts.get(i, "\0")
        if spelt == bare:
            return i + 1
        if not bare.startswith(spelt) or not spelt:
            return 0
    return 0


def _opens(item: Labelled, title: str) -> bool:
    """Whether a row begins as a heading does, or as the bookmark: no last word of a paragraph."""
    first = _NUMBER.sub("", item.row.text.strip())[:1]
    return not first.islower() or _NUMBER.sub("", title.strip())[:1].islower()


def _may_be(item: Labelled, title: str) -> bool:
    if "imprints" in named(title):
        return False
    return item.label not in _FRONT or (item.label == "abstract" and "introduction" in named(title))


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", _NUMBER.sub("", text.strip()).lower())
