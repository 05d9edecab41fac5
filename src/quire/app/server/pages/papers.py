"""The library as pages: its list with filters, a paper with all it consists of, and a page with boxes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import HTMLResponse

from quire.app.run_view import box_of, title_of
from quire.app.server.context import ToRead
from quire.app.server.pages.rendering import html, views
from quire.app.server.shelf import PaperFilter, Shelf, Sort, Words
from quire.errors import PaperNotFound, QueryError

router = views()

_HITS = 8
_NOTES = 5
_REMOVED = 50  # papers that can be taken back, on the page
_EDITED = {
    "title": "Title", "authors": "Authors, with semicolons between them", "pub_year": "Year",
    "conference_full": "Journal or conference", "volume": "Volume", "issue": "Issue",
    "first_page": "First page, or article number", "last_page": "Last page", "doi": "DOI",
    "keywords": "Key words, with semicolons between them", "abstract": "Abstract",
}  # fmt: skip
"""What can be corrected on a paper's page, and how it is called there."""
_WORDS = 60  # of a passage
_SORTS: tuple[tuple[Sort, str], ...] = (
    ("-added", "Newest first"),
    ("added", "Oldest first"),
    ("title", "By title"),
    ("authors", "By author"),
    ("-year", "By year, latest first"),
    ("year", "By year, earliest first"),
)


class ShelfQuery(PaperFilter):
    """The papers that are shown."""

    limit: Annotated[int, Field(ge=1, le=100_000)] = 60  # more are asked for


@router.get("/")
def library(here: ToRead, wanted: Annotated[ShelfQuery, Query()]) -> HTMLResponse:
    """All papers, or those that were searched for."""
    shelf = Shelf(here.library, here.desk)
    try:
        found = shelf.chosen(wanted)
    except QueryError:  # a year that is being typed
        found = []
    asked = {name: value for name, value in wanted.model_dump().items() if value}
    removed = [] if wanted.q or wanted.filters else here.library.removed()
    return html(
        "Library",
        "library.html",
        papers=found[: wanted.limit],
        shelf=shelf,
        choices=shelf.choices(),
        matching=len(found),
        total=len(shelf.every),
        pages=sum(paper.pages for paper in shelf.every),
        wanted=wanted,
        sort=wanted.sort,
        sorts=_SORTS,
        removed=[
            (
                one.id,
                one.name,
                f"{one.removed.isoformat()}Z",
                f"{one.file_name}, kept until {one.until.date()}",
            )
            for one in removed[:_REMOVED]
        ],
        all_removed=len(removed),
        more=f"/?{urlencode(asked | {'limit': wanted.limit * 2})}",
    )


@router.get("/search")
async def search(here: ToRead, request: Request, q: Words = "") -> HTMLResponse:
    """Passages that speak of the words."""
    search = partial(here.library.search, q, limit=_HITS, words=_WORDS)
    try:
        hits = await here.searches.run(request, search) if q.strip() else None
    except QueryError:  # signs alone, nothing to look for
        hits = None
    own = here.desk.notes(q=q, limit=_NOTES) if q.strip() else []
    told = hits.notes if hits else ()
    called = partial(title_of, library=here.library)
    return html("Library", "passages.html", q=q, hits=hits or [], notes=told, own=own, called=called)


@router.get("/papers/{paper}")
def paper(here: ToRead, paper: str) -> HTMLResponse:
    """Outline, tables, figures, references, BibTeX."""
    found = here.library.contents(paper)
    id = found.paper.id
    shelf = Shelf(here.library, here.desk)
    return html(
        "Library",
        "paper.html",
        contents=found,
        paper=found.paper,
        own=shelf.shelved(id),
        choices=shelf.choices(),
        twins=shelf.twins(found.paper),
        noted=here.desk.notes(id),
        told=sorted(
            (one for one in here.library.told(id) if one.field in _EDITED),
            key=lambda one: list(_EDITED).index(one.field),
        ),
        labels=_EDITED,
        questions=here.library.suggested_questions(id),
        model=here.library.models_answer,
    )


_MOST_BOXES = 50


@router.get("/read/{paper}/{page}")
def read(here: ToRead, paper: str, page: int, box: Annotated[Sequence[str], Query()] = ()) -> HTMLResponse:
    """The paper, open at a page, with the boxes marked; one that is none marks nothing."""
    contents = here.library.contents(paper)
    found = contents.paper
    if page not in {each.number for each in contents.pages}:
        raise PaperNotFound(f"{found.name} has no page {page}.", hint=f"It has {found.pages} pages.")
    boxes = [marked for text in box[:_MOST_BOXES] if (marked := box_of(text)) is not None]
    return html("", "read.html", paper=found, pages=contents.pages, at=page, boxes=boxes)
