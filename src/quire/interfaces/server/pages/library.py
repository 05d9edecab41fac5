"""The library's list, searched, sorted and filtered; and what the text of its papers says to the words."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.errors import QueryError
from quire.interfaces.server.api.papers import Sort, State, selected
from quire.interfaces.server.context import ToRead
from quire.interfaces.server.pages.rendering import html
from quire.interfaces.server.pages.views import views

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
