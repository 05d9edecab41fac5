"""What no section, table, caption or reference holds: words in figures; listings, forms and word lists.

Words in a figure count, and all lines of a page of which little stands in any element. They are passages for
search as they are printed: what stands on a page can be found.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from quire.documents.joining import tidy
from quire.documents.layout.blocks import box_of
from quire.documents.layout.rows import PageFlow, Piece
from quire.documents.raw import Edges
from quire.types import Box, Document, Paragraph, TextLine

_LEAST = 40  # letters and digits that are left over in a figure, or on a page
_SHARE = 0.5  # of the page's that they are
_KNOWN = 0.8  # share of a line's words among those of the page's elements: cells are printed in another order
_ENTRY = re.compile(r"(?:\.\s?){4,}|\s\d{1,4}$")  # of a table of contents, or of an index; not in figures


class _Line(NamedTuple):
    text: str
    box: Box
    within: Edges | None  # the figure or table in which it stands
    letters: int  # that no element holds


def left_over(document: Document, flows: Sequence[PageFlow]) -> list[Paragraph]:
    """The lines that no element holds, those that follow each other as one paragraph."""
    held = _held(document)
    found: list[Paragraph] = []
    for page, flow in zip(document.pages, flows, strict=True):
        whole = " ".join(held[page.number])
        bare, words = _bare(whole), set(whole.split())
        full = Box(0.0, 0.0, page.width, page.height)
        placed = [piece for piece in flow.pieces if piece.row or piece.box] or flow.pieces  # no running heads
        lines = [_line(piece, full, bare, words) for piece in placed]
        letters = Counter[Edges | None]()
        for line in lines:
            letters[line.within] += line.letters
        most = letters.total() >= max(_LEAST, _SHARE * len(_bare(page.text)))
        kept = {within for within, count in letters.items() if most or (within and count >= _LEAST)}
        for own, run in itertools.groupby(lines, key=lambda line: line.letters > 0 and line.within in kept):
            if own:
                found.extend(_paragraph(page.number, part) for part in _parts(list(run)))
    return found


def _parts(run: Sequence[_Line]) -> list[list[_Line]]:
    """Running lines as they are; those of a figure each alone, unless they go on in small letters."""
    parts = [[run[0]]]
    for before, line in itertools.pairwise(run):
        goes_on = line.text[:1].islower() or before.text.endswith((",", "-"))
        if line.within == before.within and (line.within is None or goes_on):
            parts[-1].append(line)
        else:
            parts.append([line])
    return parts


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


def _line(piece: Piece, page: Box, bare: str, words: set[str]) -> _Line:
    text = tidy(piece.text)
    own = text.split()
    known = sum(word in words for word in own) >= _KNOWN * len(own)
    letters = _bare(text)
    silent = sum(map(str.isalpha, letters)) <= len(letters) / 2 if piece.box else _ENTRY.search(text)
    loose = not known and letters not in bare and not silent
    return _Line(text, _box(piece) or page, piece.box, len(letters) if loose else 0)


def _box(piece: Piece) -> Box | None:
    if piece.row is not None:
        return box_of((piece.row,))
    edges = piece.line or piece.box
    return Box.from_edges(*edges) if edges else None


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
