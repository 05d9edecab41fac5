"""What people write on papers: notes and highlights, stars, tags, collections."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import Body
from quire.app.server.api import shapes
from quire.app.server.api.routes import Limit, PaperName, routes
from quire.app.server.context import ToAsk, ToRead
from quire.app.server.desk import Note
from quire.app.server.http_errors import Json
from quire.ask.personal.judging import user_name
from quire.types import Box

router = routes("desk")

Coordinate = Annotated[float, Field(ge=-100_000, le=100_000, allow_inf_nan=False)]
Corners = Annotated[list[Coordinate], Field(min_length=4, max_length=4)]
Name = Annotated[str, Field(max_length=200)]
Text = Annotated[str, Field(max_length=10_000)]


class NewNote(Body):
    """A note on a page of a paper, or on the places `boxes` of it; without a `text` a highlight."""

    paper: PaperName
    page: Annotated[int, Field(ge=1, le=1_000_000)]
    boxes: Annotated[list[Corners], Field(max_length=200)] = []
    quote: Text = ""
    text: Text = ""


class NoteText(Body):
    """What a note says from now on."""

    text: Text


class Shelving(Body):
    """What to change of what somebody made of a paper; what is not named stays."""

    starred: bool | None = None
    read: bool | None = None
    tags: Annotated[list[Name], Field(max_length=50)] | None = None
    collections: Annotated[list[Name], Field(max_length=50)] | None = None


@router.get("/notes", response_model=shapes.Notes)
def notes(
    here: ToRead,
    paper: Annotated[str, Query(max_length=500)] = "",
    q: Annotated[str, Query(max_length=500, description="Words of the note or of its place.")] = "",
    limit: Limit = 200,
) -> Response:
    """Notes: of a paper in the order of its pages, else the latest first."""
    id = here.library.paper(paper).id if paper else ""
    return Json({"notes": here.desk.notes(id, q, limit)})


@router.post("/notes", status_code=201, response_model=shapes.Note)
def add(here: ToAsk, request: Request, body: NewNote) -> Response:
    """Note something on a page, or highlight a place."""
    paper = here.library.paper(body.paper)
    here.library.page_text(paper.id, body.page)
    author = request.state.caller.name or user_name()
    boxes = tuple(Box(*box) for box in body.boxes)
    note = Note(paper.id, body.page, boxes, body.quote, body.text, author)
    return Json(here.desk.add(note), 201)


@router.patch("/notes/{note}", response_model=shapes.Note)
def write(here: ToAsk, note: str, body: NoteText) -> Response:
    """Give a note other words."""
    return Json(here.desk.write(note, body.text))


@router.delete("/notes/{note}", response_model=shapes.Note)
def remove(here: ToAsk, note: str) -> Response:
    """Remove a note; gives it, to be sent again by who wants it back."""
    return Json(here.desk.remove(note))


@router.put("/papers/{paper}/shelf", response_model=shapes.Shelved)
def shelve(here: ToAsk, paper: str, body: Shelving) -> Response:
    """Star a paper, call it read, give it tags, put it into collections."""
    found = here.library.any_paper(paper)
    return Json(
        here.desk.shelve(
            found.id,
            starred=body.starred,
            read=body.read,
            tags=body.tags,
            collections=body.collections,
        )
    )
