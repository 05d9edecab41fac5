"""The text of a page, so that whatever is shown of it stands there in one piece.

Paragraphs stand as they stand in their section, hyphens of line ends resolved. What is printed between two
lines of a section (tables, figures, notes of the margin) follows behind that section's part of the page;
displayed equations stay where they are.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from quire.pdf.geometry import centre_in, runs
from quire.pdf.joining import join_texts, tidy
from quire.pdf.layout.rows import PageFlow, PagePiece
from quire.pdf.raw import Edges
from quire.text import bare
from quire.types import Box, Document, Equation, Paragraph, Section, TextLine

_LEAST = 40  # letters and digits that are left over in a figure, or on a page
_SHARE = 0.5  # of the page's that they are
_KNOWN = 0.8  # share of a line's words among those of the page's elements: cells are printed in another order
_WORDS = 3  # different ones of a line in a figure that says something,
_AGAIN = 0.8  # and their share of all: labels of axes repeat few
_SPELT = re.compile(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENTRY = re.compile(r"(?:\.\s?){4,}|\s\d{1,4}$")  # of a table of contents, or of an index; not in figures


@dataclass
class _PagePart:
    """The part of a paragraph that stands on one page."""

    section: int
    text: str
    boxes: list[Box]
    begun: bool = False  # on a page before
    done: bool = False


def page_texts(
    flows: Sequence[PageFlow], sections: Sequence[Section], equations: Sequence[Equation]
) -> list[str]:
    """The readable text of each page, in reading order."""
    at: dict[tuple[int, Box], list[_PagePart]] = {}
    for number, section in enumerate(sections):
        for page, run in _runs(number, section):
            for box in run.boxes:
                at.setdefault((page, box), []).append(run)
    return [_page_text(flow, at, equations) for flow in flows]


def _runs(number: int, section: Section) -> Iterator[tuple[int, _PagePart]]:
    for paragraph in section.paragraphs:
        parts = runs(paragraph.lines, lambda part, line: line.page == part[0].page)
        ends = [*(part[0].start for part in parts[1:]), len(paragraph.text)]
        for part, end in zip(parts, ends, strict=False):
            text = paragraph.text[part[0].start : end].strip()
            yield (
                part[0].page,
                _PagePart(number, text, [line.bbox for line in part], begun=part is not parts[0]),
            )


def _page_text(
    flow: PageFlow, runs: dict[tuple[int, Box], list[_PagePart]], equations: Sequence[Equation]
) -> str:
    shown = [equation.bbox for equation in equations if equation.page == flow.number]
    printed: dict[Box, list[str]] = {}
    for piece in flow.pieces:
        if piece.row is not None:
            printed.setdefault(piece.row.box, []).append(piece.text)
    out: list[str] = []
    waiting: list[str] = []
    section: int | None = None
    for piece in flow.pieces:
        parts = runs.get((flow.number, piece.row.box)) if piece.row is not None else None
        if parts is None:
            equation = piece.box is not None and any(centre_in(piece.box, box) for box in shown)
            within = section is not None and not equation
            (waiting if within else out).append(piece.text)
            continue
        for run in parts:
            if not run.done:
                if run.section != section:
                    out += waiting
                    waiting.clear()
                section, run.done = run.section, True
                out.append(_whole(run, printed))
    return "\n".join(filter(None, (tidy(text) for text in (*out, *waiting))))


def _whole(run: _PagePart, printed: dict[Box, list[str]]) -> str:
    """The run's text, or its lines where that lacks something printed in them, e.g. a heading run in."""
    lines = [text for box in dict.fromkeys(run.boxes) for text in printed.get(box, ())]
    letters = len(bare("".join(lines)))
    first = next(iter(lines[0].split()), "") if lines else ""
    if run.begun and not run.text.startswith(first):
        letters -= len(first)  # the end of a word that stands on the page before
    return run.text if len(bare(run.text)) >= letters else join_texts(lines)


class _LooseLine(NamedTuple):
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
        joined, words = bare(whole), set(whole.split())
        full = Box(0.0, 0.0, page.width, page.height)
        placed = [piece for piece in flow.pieces if piece.row or piece.box] or flow.pieces  # no running heads
        lines = [_line(piece, full, joined, words) for piece in placed]
        letters = Counter[Edges | None]()
        for line in lines:
            letters[line.within] += line.letters
        most = letters.total() >= max(_LEAST, _SHARE * len(bare(page.text)))
        kept = {within for within, count in letters.items() if most or (within and count >= _LEAST)}
        for own, run in itertools.groupby(lines, key=lambda line: line.letters > 0 and line.within in kept):
            if own:
                found.extend(_paragraph(page.number, part) for part in _parts(list(run)))
    return found


def _parts(run: Sequence[_LooseLine]) -> list[list[_LooseLine]]:
    """Running lines as they are; those of a figure each alone, unless they go on in small letters."""

    def joins(part: list[_LooseLine], line: _LooseLine) -> bool:
        goes_on = line.text[:1].islower() or part[-1].text.endswith((",", "-"))
        return line.within == part[-1].within and (line.within is None or goes_on)

    return runs(run, joins)


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
        pages = {cell.page for cell in table.cells}
        for cell in table.cells:
            for page in pages if cell.head else (cell.page,):  # heads are repeated
                held[page].append(cell.text)
    for image in document.images:
        held[image.page].append(image.caption)
    for equation in document.equations:
        held[equation.page].append(equation.text)
    for reference in document.references:
        held[reference.page].append(reference.text)
    return held


def _line(piece: PagePiece, page: Box, joined: str, words: set[str]) -> _LooseLine:
    text = tidy(piece.text)
    own = text.split()
    edges = piece.line or piece.box
    box = piece.row.box if piece.row else Box.from_edges(*edges) if edges else page
    if sum([word in words for word in own]) >= _KNOWN * len(own):
        return _LooseLine(text, box, piece.box, 0)
    letters = bare(text)
    if piece.box:  # labels of axes and parts say nothing
        spelt = _SPELT.findall(text)
        tells = len(set(spelt)) >= _WORDS and len(set(spelt)) > _AGAIN * len(spelt)
    else:
        tells = not _ENTRY.search(text)
    return _LooseLine(text, box, piece.box, len(letters) if tells and letters not in joined else 0)


def _paragraph(page: int, lines: Sequence[_LooseLine]) -> Paragraph:
    starts = itertools.accumulate((len(line.text) + 1 for line in lines), initial=0)
    return Paragraph(
        page,
        functools.reduce(Box.union, (line.box for line in lines)),
        "\n".join(line.text for line in lines),
        tuple(TextLine(page, line.box, start) for line, start in zip(lines, starts, strict=False)),
    )
