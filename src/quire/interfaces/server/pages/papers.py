"""The library as pages: its list, one paper with all it consists of, and a page of it opened at a box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.errors import PaperNotFound, QueryError
from quire.interfaces.links import box_of
from quire.interfaces.server.api.papers import Sort, State, selected
from quire.interfaces.server.context import ToRead
from quire.interfaces.server.pages.rendering import html
from quire.interfaces.server.pages.views import views
from quire.library.contents import Contents
from quire.types import Box

router = views()

_SHOWN = 200  # papers at first; more are asked for
_HITS = 8
_WORDS = 60  # of a passage
_SORTS: tuple[tuple[Sort, str], ...] = (
    ("-added", "Newest first"),
    ("added", "Oldest first"),
    ("title", "By title"),
    ("authors", "By author"),
    ("-year", "By year, latest first"),
    ("year", "By year, earliest first"),
)


@router.get("/")
def library(
    here: ToRead,
    q: Annotated[str, Query(max_length=500)] = "",
    sort: Sort = "-added",
    state: State | None = None,
    limit: Annotated[int, Query(ge=1, le=100_000)] = _SHOWN,
) -> HTMLResponse:
    """All papers, or those that were searched for."""
    every = here.library.papers()
    found = selected(every, q, sort, state)
    asked = {"q": q, "sort": sort, "state": state or "", "limit": limit * 2}
    return html(
        "Library",
        "library.html",
        papers=found[:limit],
        matching=len(found),
        total=len(every),
        pages=sum(paper.pages for paper in every),
        q=q,
        sort=sort,
        state=state or "",
        sorts=_SORTS,
        more=f"/?{urlencode(asked)}",
    )


@router.get("/search")
def search(here: ToRead, q: Annotated[str, Query(max_length=500)] = "") -> HTMLResponse:
    """Passages that speak of the words."""
    try:
        hits = here.library.search(q, limit=_HITS, words=_WORDS) if q.strip() else None
    except QueryError:  # signs alone, nothing to look for
        hits = None
    return html("Library", "passages.html", q=q, hits=hits or [], notes=hits.notes if hits else ())


@router.get("/papers/{paper}")
def paper(here: ToRead, paper: str) -> HTMLResponse:
    """Outline, tables, figures, references, BibTeX."""
    found = here.library.contents(paper)
    return html("Library", "paper.html", contents=found, paper=found.paper)


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
