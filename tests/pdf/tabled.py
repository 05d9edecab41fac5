"""Tables set by hand for tests: known cells at known places, with or without lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quire.pdf.floats import FoundFloats, find_floats
from quire.pdf.guard import Guard
from quire.pdf.layout.headers_footers import with_heads
from quire.pdf.layout.profile import measure
from quire.pdf.pdfium.reader import open_pdf
from quire.pdf.raw import RawPage, Word
from tests.pdf.paper import HEIGHT, Paper, words


def raw_pages(path: Path) -> list[RawPage]:
    """The pages of a file."""
    with open_pdf(path) as pdf:
        return list(pdf.pages(limit=50))


def words_of(path: Path) -> list[Word]:
    """The words of the first page of a file."""
    return [word for line in raw_pages(path)[0].lines for word in line.words]


def floats_of(path: Path) -> FoundFloats:
    """Tables, figures and equations of a file."""
    pages = raw_pages(path)
    return find_floats(with_heads(pages), measure(pages), Guard())


def paper_with_text(path: Path) -> Paper:
    """A paper that begins with some running text, so that body type can be measured."""
    paper = Paper(path)
    paper.text(words(120, 7))
    paper.gap(14)
    return paper


def rule(paper: Paper, x0: float, x1: float, y: float) -> None:
    """A horizontal line."""
    paper.canvas.line(x0, HEIGHT - y, x1, HEIGHT - y)


def bar(paper: Paper, x: float, y0: float, y1: float) -> None:
    """A vertical line."""
    paper.canvas.line(x, HEIGHT - y0, x, HEIGHT - y1)


def cells(
    paper: Paper, rows: Sequence[Sequence[str]], xs: Sequence[float], y: float, step: float = 14
) -> float:
    """Texts on a grid, one line each; gives the y below the last row."""
    for row in rows:
        for text, x in zip(row, xs, strict=True):
            if text:
                paper.line(text, x=x, y=y, size=9)
        y += step
    paper.y = y
    return y
