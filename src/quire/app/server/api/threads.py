"""Conversations."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body as Sent
from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import Body
from quire.app.server.api import shapes
from quire.app.server.api.routes import Limit, Offset, PaperNames, routes
from quire.app.server.context import ToAsk, ToRead
from quire.app.server.http_errors import Json

router = routes("threads", "/threads")

Title = Annotated[str, Field(max_length=500)]


class NewThread(Body):
    """A conversation to begin; without a title its first question names it."""

    title: Title = ""
    papers: PaperNames = []


class Changes(Body):
    """What to change of a conversation."""

    title: Title | None = None
    papers: PaperNames | None = None


@router.get("", response_model=shapes.ThreadList)
def listed(
    here: ToRead,
    limit: Limit = 50,
    offset: Offset = 0,
    q: Annotated[str, Query(max_length=500, description="Words of a name or a question.")] = "",
) -> Response:
    """The conversations without their turns, the latest first."""
    found, total = here.threads.listed(limit, offset, q)
    return Json({"threads": found, "total": total})


@router.post("", status_code=201, response_model=shapes.Thread)
def add(here: ToAsk, body: Annotated[NewThread | None, Sent()] = None) -> Response:
    """Begin a conversation, about some papers or all."""
    body = body or NewThread()
    ids = [here.library.paper(name).id for name in body.papers]
    return Json(here.threads.add(body.title, ids), 201)


@router.get("/{thread}", response_model=shapes.Thread)
def shown(here: ToRead, thread: str) -> Response:
    """A conversation with its turns; `/runs/{run}` has each answer."""
    return Json(here.threads.thread(thread))


@router.patch("/{thread}", response_model=shapes.Thread)
def change(here: ToAsk, thread: str, body: Changes) -> Response:
    """Another title, or other papers."""
    ids = None if body.papers is None else [here.library.paper(name).id for name in body.papers]
    return Json(here.threads.change(thread, title=body.title, papers=ids))


@router.delete("/{thread}")
def remove(here: ToAsk, thread: str) -> Response:
    """Remove a conversation; for 30 days it can be restored. The runs of its questions stay."""
    here.threads.remove(thread)
    return Json({"removed": thread})


@router.post("/{thread}/restore", response_model=shapes.Thread)
def restore(here: ToAsk, thread: str) -> Response:
    """Take a removed conversation back."""
    return Json(here.threads.restore(thread))
