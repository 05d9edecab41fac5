"""Conversations."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from quire.interfaces.server.api import shapes
from quire.interfaces.server.context import ToAsk, ToRead
from quire.interfaces.server.http_errors import Json

router = APIRouter(prefix="/threads", tags=["threads"])

Papers = Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=1000)]
Title = Annotated[str, Field(max_length=500)]


class NewThread(BaseModel):
    """A conversation to begin; without a title its first question names it."""

    title: Title = ""
    papers: Papers = []


class Changes(BaseModel):
    """What to change of a conversation."""

    title: Title | None = None
    papers: Papers | None = None


@router.get("", response_model=shapes.ThreadList)
def listed(
    here: ToRead,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """The conversations without their turns, the latest first."""
    found, total = here.threads.listed(limit, offset)
    return Json({"threads": found, "total": total})


@router.post("", status_code=201, response_model=shapes.Thread)
def add(here: ToAsk, body: Annotated[NewThread | None, Body()] = None) -> Response:
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
    """Forget a conversation; the runs of its questions stay."""
    here.threads.remove(thread)
    return Json({"removed": thread})
