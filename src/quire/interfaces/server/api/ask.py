"""Asking: the whole run as JSON, or its events as they come."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from quire.interfaces.server.api import shapes
from quire.interfaces.server.asks import Asked, Asking, run_document
from quire.interfaces.server.context import ToAsk, ToRead
from quire.interfaces.server.events import PING_LINE, event, stream
from quire.interfaces.server.http_errors import Json, Refused

router = APIRouter(tags=["ask"])

Name = Annotated[str, Field(max_length=500)]


class AskBody(BaseModel):
    """A question. `papers` are ids, file names, titles or DOIs; none means the thread's, or all."""

    question: Annotated[str, Field(min_length=1, max_length=10_000)]
    papers: Annotated[list[Name], Field(max_length=1000)] = []
    answer_format: Annotated[str, Field(max_length=1000)] = ""
    answer_schema: dict[str, Any] | None = None
    thread: Annotated[str, Field(max_length=64)] = ""
    memory: bool = True


@router.post("/ask", response_model=shapes.Run)
async def ask(here: ToAsk, request: Request, body: AskBody) -> Response:
    """Answer with evidence on the page, or abstain.

    With `Accept: text/event-stream` the events `asked`, `step`, `answer` or `error`, and `done` as they come.
    """
    asked = Asked(
        body.question, tuple(body.papers), body.answer_format, body.answer_schema, body.memory, body.thread
    )
    asking = here.asks.start(asked)
    if "text/event-stream" in request.headers.get("accept", ""):
        return stream(_events(asking))
    await asking.wait()
    if asking.error is not None:
        raise asking.error
    if asking.run is None:
        raise Refused(409, "Cancelled", "The question was stopped.")
    return Json(run_document(asking.run, asking.beside))


@router.get("/asks/{ask_id}/events")
async def follow(
    here: ToRead,
    ask_id: str,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """The events of a question again, for who comes back; those after number `after`."""
    if last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 9:
        after = max(after, int(last_event_id))
    return stream(_events(here.asks.asking(ask_id), after))


@router.post("/asks/{ask_id}/cancel")
def cancel(here: ToAsk, ask_id: str) -> Response:
    """Stop a question before its next step."""
    asking = here.asks.asking(ask_id)
    asking.cancel()
    return Json({"id": asking.id, "cancelled": True})


async def _events(asking: Asking, after: int = 0) -> AsyncIterator[bytes]:
    if not after:
        yield event("asked", {"id": asking.id, "question": asking.asked.question})
    async for told in asking.follow(after):
        if told is None:
            yield PING_LINE
        else:
            number, kind, data = told
            yield event(kind, data, number)
