"""The text of a page, so that whatever is shown of it stands there in one piece.

Paragraphs stand as they stand in their section, hyphens of line ends resolved. What is printed between two
lines of a section (tables, figures, notes of the margin) follows behind that section's part of the page;
displayed equations stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.documents.joining import join_texts, tidy
from quire.documents.layout.blocks import box_of
from quire.documents.layout.rows import PageFlow, Piece
from quire.types import Box, Equation, Section


@dataclass
class _Run:
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
    runs: dict[tuple[int, Box], list[_Run]] = {}
    for number, section in enumerate(sections):
        for page, run in _runs(number, section):
            for box in run.boxes:
                runs.setdefault((page, box), []).append(run)
    return [_page_text(flow, runs, equations) for flow in flows]


def _runs(number: int, section: Section) -> Iterator[tuple[int, _Run]]:
    for paragraph in section.paragraphs:
        lines = paragraph.lines
        first = 0
        for at in range(1, len(lines) + 1):
            if at == len(lines) or lines[at].page != lines[first].page:
                end = lines[at].start if at < len(lines) else len(paragraph.text)
                text = paragraph.text[lines[first].start : end].strip()
                boxes = [line.bbox for line in lines[first:at]]
                yield lines[first].page, _Run(number, text, boxes, begun=first > 0)
                first = at


def _page_text(flow: PageFlow, runs: dict[tuple[int, Box], list[_Run]], equations: Sequence[Equation]) -> str:
    shown = [equation.bbox for equation in equations if equation.page == flow.number]
    printed: dict[Box, list[str]] = {}
    for piece in flow.pieces:
        if piece.row is not None:
            printed.setdefault(box_of((piece.row,)), []).append(piece.text)
    out: list[str] = []
    waiting: list[str] = []
    section: int | None = None
    for piece in flow.pieces:
        parts = runs.get((flow.number, box_of((piece.row,)))) if piece.row is not None else None
        if parts is None:
            within = section is not None and not _is_equation(piece, shown)
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


def _whole(run: _Run, printed: dict[Box, list[str]]) -> str:
    """The run's text, or its lines where that lacks something printed in them, e.g. a heading run in."""
    lines = [text for box in dict.fromkeys(run.boxes) for text in printed.get(box, ())]
    letters = sum(map(str.isalnum, "".join(lines)))
    first = next(iter(lines[0].split()), "") if lines else ""
    if run.begun and not run.text.startswith(first):
        letters -= len(first)  # the end of a word that stands on the page before
    return run.text if sum(map(str.isalnum, run.text)) >= letters else join_texts(lines)


def _is_equation(piece: Piece, equations: Sequence[Box]) -> bool:
    if piece.box is None:
        return False
    x, y = (piece.box.x0 + piece.box.x1) / 2, (piece.box.y0 + piece.box.y1) / 2
    return any(box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1 for box in equations)
