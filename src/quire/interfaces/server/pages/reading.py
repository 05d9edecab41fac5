"""A page of a paper, opened at a box: `/read/{paper}/{page}?box=x,y,width,height`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Annotated

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.errors import PaperNotFound
from quire.interfaces.server.context import ToRead
from quire.interfaces.server.pages.rendering import html
from quire.interfaces.server.pages.views import views
from quire.library.contents import Contents
from quire.types import Box

router = views()

_MOST_BOXES = 50


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page as the reader shows it: sizes and boxes in points."""

    paper: str
    title: str
    page: int
    pages: int
    width: int
    height: int
    boxes: tuple[Box, ...]


@router.get("/read/{paper}/{page}")
def read(here: ToRead, paper: str, page: int, box: Annotated[Sequence[str], Query()] = ()) -> HTMLResponse:
    """The page's picture, with the boxes marked."""
    return html("", "read.html", sheet=sheet(here.library.contents(paper), page, box))


def sheet(contents: Contents, page: int, boxes: Sequence[str]) -> Sheet:
    """What the reader shows; a box that is none marks nothing.

    Raises:
        PaperNotFound: the paper has no such page.
    """
    paper = contents.paper
    size = next((each for each in contents.pages if each.number == page), None)
    if size is None:
        raise PaperNotFound(f"{paper.name} has no page {page}.", hint=f"It has {paper.pages} pages.")
    found = [box_of(text) for text in boxes[:_MOST_BOXES]]
    marked = tuple(box for box in found if box is not None)
    return Sheet(paper.id, paper.name, page, paper.pages, size.width or 612, size.height or 792, marked)


def box_of(text: str) -> Box | None:
    """`x,y,width,height` in points as a box, None where it is something else."""
    try:
        edges = [float(part) for part in text.split(",", 4)]
    except ValueError:
        return None
    return Box(*edges) if len(edges) == 4 and all(isfinite(edge) for edge in edges) else None
