"""Pages of which little stands in any section, table, caption or reference: listings, forms, word lists.

Their lines are passages for search as they are printed: what stands on a page can be found.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from quire.documents.joining import tidy
from quire.documents.layout.blocks import box_of
from quire.documents.layout.rows import PageFlow, Piece
from quire.types import Box, Document, Paragraph, TextLine

_LEAST = 100  # letters and digits that are left over on a page
_SHARE = 0.5  # of the page's that they are
_KNOWN = 0.8  # share of a line's words among those of the page's elements: cells are printed in another order
_ENTRY = re.compile(r"(?:\.\s?){4,}|\s\d{1,4}$")  # of a table of contents, or of an index


class _Line(NamedTuple):
    text: str
    box: Box


def left_over(document: Document, flows: Sequence[PageFlow]) -> list[Paragraph]:
    """The lines of such pages that no element holds, those that follow each other as one paragraph."""
    held = _held(document)
    found: list[Paragraph] = []
    for page, flow in zip(document.pages, flows, strict=True):
        whole = " ".join(held[page.number])
        bare, words = _bare(whole), set(whole.split())
        full = Box(0.0, 0.0, page.width, page.height)
        placed = [piece for piece in flow.pieces if piece.row or piece.box] or flow.pieces  # no running heads
        lines = [_Line(tidy(piece.text), _box(piece) or full) for piece in placed]
        loose = [_is_loose(line.text, bare, words) for line in lines]
        count = sum(len(_bare(line.text)) for line, own in zip(lines, loose, strict=True) if own)
        if count >= _LEAST and count >= _SHARE * len(_bare(page.text)):
            for own, run in itertools.groupby(zip(lines, loose, strict=True), key=lambda each: each[1]):
                if own:
                    found.append(_paragraph(page.number, [line for line, _ in run]))
    return found


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
    return not known and _bare(line) not in bare and not _ENTRY.search(line)


def _box(piece: Piece) -> Box | None:
    if piece.row is not None:
        return box_of((piece.row,))
    return Box.from_edges(*piece.box) if piece.box else None


def _paragraph(page: int, lines: Sequence[_Line]) -> Paragraph:
    starts = itertools.accumulate((len(line.text) + 1 for line in lines), initial=0)
    return Paragraph(
        page,
        functools.reduce(Box.union, (line.box for line in lines)),
        "\n".join(line.text for line in lines),
        tuple(TextLine(page, line.box, start) for line, start in zip(lines, starts, strict=False)),
    )


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
