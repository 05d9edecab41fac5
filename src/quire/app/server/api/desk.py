"""What people keep: conversations; notes and highlights on papers, stars, tags, collections."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body as Sent
from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import Body, PaperName, PaperNames
from quire.app.server.api import shapes
from quire.app.server.api.shapes import Limit, Offset, routes
from quire.app.server.context import ToAsk, ToRead
from quire.app.server.desk import Note, Shelved
from quire.app.server.responses import Json
from quire.ask import runs
from quire.ask.personal.judging import user_name
from quire.jsontext import plain
from quire.types import Box

thread_router = routes("threads", "/threads")

_Title = Annotated[str, Field(max_length=500)]


class NewThread(Body):
    """A conversation to begin; without a title its first question names it.

    With a `run` it is the one of that answer: such as was asked in the shell, and belongs to none yet.
    """

    title: _Title = ""
    papers: PaperNames = []
    run: Annotated[str, Field(max_length=200)] = ""


class Changes(Body):
    """What to change of a conversation."""

    title: _Title | None = None
    papers: PaperNames | None = None


@thread_router.get("", name="listed", response_model=shapes.ThreadList)
def listed_threads(
    here: ToRead,
    limit: Limit = 50,
    offset: Offset = 0,
    q: Annotated[str, Query(max_length=500, description="Words of a name or a question.")] = "",
) -> Response:
    """The conversations without their turns, the latest first."""
    found, total = here.threads.listed(limit, offset, q)
    return Json({"threads": found, "total": total})


@thread_router.post("", name="add", status_code=201, response_model=shapes.Thread)
def begin_thread(here: ToAsk, body: Annotated[NewThread | None, Sent()] = None) -> Response:
    """Begin a conversation, about some papers or all."""
    body = body or NewThread()
    ids = [here.library.paper(name).id for name in body.papers]
    if not body.run:
        return Json(here.threads.add(body.title, ids), 201)
    run = runs.load(here.library.folder, body.run)
    only = ids or run.question.only
    return Json(here.threads.of_run(run.run_id, run.question.text, run.started, only, body.title), 201)


@thread_router.get("/removed", name="removed", response_model=shapes.RemovedThreads)
def removed_threads(here: ToRead) -> Response:
    """The conversations that were removed within 30 days, the latest first."""
    removed = here.threads.removed()
    return Json({"threads": [{**plain(thread), "removed": since} for thread, since in removed]})


@thread_router.get("/{thread}", name="shown", response_model=shapes.Thread)
def shown_thread(here: ToRead, thread: str) -> Response:
    """A conversation with its turns; `/runs/{run}` has each answer."""
    return Json(here.threads.thread(thread))


@thread_router.patch("/{thread}", name="change", response_model=shapes.Thread)
def change_thread(here: ToAsk, thread: str, body: Changes) -> Response:
    """Another title, or other papers."""
    ids = None if body.papers is None else [here.library.paper(name).id for name in body.papers]
    return Json(here.threads.change(thread, title=body.title, papers=ids))


@thread_router.delete("/{thread}", name="remove")
def remove_thread(here: ToAsk, thread: str) -> Response:
    """Remove a conversation; for 30 days it can be restored. The runs of its questions stay."""
    here.threads.remove(thread)
    return Json({"removed": thread})


@thread_router.post("/{thread}/restore", name="restore", response_model=shapes.Thread)
def restore_thread(here: ToAsk, thread: str) -> Response:
    """Take a removed conversation back."""
    return Json(here.threads.restore(thread))


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


@router.get("/papers/{paper}/shelf", name="shelved", response_model=shapes.Shelved)
def shelved(here: ToRead, paper: str) -> Response:
    """What was made of a paper: whether it is starred and read, its tags and collections."""
    return Json(here.desk.shelf().get(here.library.any_paper(paper).id, Shelved()))


@router.put("/papers/{paper}/shelf", response_model=shapes.Shelved)
def shelve(here: ToAsk, paper: str, body: Shelving) -> Response:
    """Star a paper, call it read, give it tags, put it into collections."""
    found = here.library.any_paper(paper)
    changes = {name: getattr(body, name) for name in Shelving.model_fields}
    return Json(here.desk.shelve(found.id, **changes))
