"""Pages of which little stands in any section, table, caption or reference: listings, forms, word lists.

Their lines are passages for search as they are printed: what stands on a page can be found.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from quire.types import Box, Document, Page, Paragraph

_LEAST = 100  # letters and digits that are left over on a page
_SHARE = 0.5  # of the page's that they are
_KNOWN = 0.8  # share of a line's words among those of the page's elements: cells are printed in another order
_ENTRY = re.compile(r"(?:\.\s?){4,}|\s\d{1,4}$")  # of a table of contents, or of an index


def left_over(document: Document) -> Iterator[Paragraph]:
    """The lines of such pages that no element holds, those that follow each other as one paragraph."""
    held = _held(document)
    for page in document.pages:
        whole = " ".join(held[page.number])
        bare, words = _bare(whole), set(whole.split())
        lines = page.text.splitlines()
        loose = [_is_loose(line, bare, words) for line in lines]
        count = sum(len(_bare(line)) for line, own in zip(lines, loose, strict=True) if own)
        if count >= _LEAST and count >= _SHARE * len(_bare(page.text)):
            yield from _paragraphs(page, lines, loose)


def _held(document: Document) -> dict[int, list[str]]:
    """What stands in elements, by the pages that they stand on."""
    held: defaultdict[int, list[str]] = defaultdict(list)
    for section in document.sections:
        held[section.page].append(section.title)
        for paragraph in section.paragraphs:
            for page in {paragraph.page, *(line.page for line in paragraph.lines)}:
                held[page].append(paragraph.text)
    for table in document.tables:
        held[table.page].append(table.caption)
        for cell in table.cells:
            held[cell.page].append(cell.text)
    for image in document.images:
        held[image.page].append(image.caption)
    for equation in document.equations:
        held[equation.page].append(equation.text)
    for reference in document.references:
        held[reference.page].append(reference.text)
    return held


def _is_loose(line: str, bare: str, words: set[str]) -> bool:
    own = line.split()
    known = sum(word in words for word in own) >= _KNOWN * len(own)
    return not known and _bare(line) not in bare and not _ENTRY.search(line.strip())


def _paragraphs(page: Page, lines: Sequence[str], loose: Sequence[bool]) -> Iterator[Paragraph]:
    run: list[str] = []
    for line, own in zip((*lines, ""), (*loose, False), strict=True):
        if own:
            run.append(line)
        elif run:
            yield Paragraph(page.number, Box(0.0, 0.0, page.width, page.height), "\n".join(run))
            run = []


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
