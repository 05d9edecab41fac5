"""Asking: the whole run as JSON, or its events as they come."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any, Literal

from fastapi import Header, Query, Request
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import Body
from quire.app.run_view import document
from quire.app.server.api import shapes
from quire.app.server.api.routes import routes
from quire.app.server.asks import AskedQuestion, Asking
from quire.app.server.context import ToAsk, ToRead
from quire.app.server.events import PING_LINE, event, stream
from quire.app.server.http_errors import Json, Refused
from quire.types import LONGEST_QUESTION

router = routes("ask")

Name = Annotated[str, Field(max_length=500)]


class AskBody(Body):
    """A question. `papers` are ids, file names, titles or DOIs; none means the thread's, or all.

    With a language model `kind` asks for the overview of a paper, the summary of what papers say about the
    topic that the question names, or a comparison of them as a table by what it names.
    """

    question: Annotated[str, Field(min_length=1, max_length=LONGEST_QUESTION)]
    papers: Annotated[list[Name], Field(max_length=1000)] = []
    answer_format: Annotated[str, Field(max_length=1000)] = ""
    answer_schema: dict[str, Any] | None = None
    thread: Annotated[str, Field(max_length=64)] = ""
    memory: bool = True
    kind: Literal["", "overview", "summary", "comparison"] = ""


@router.post("/ask", response_model=shapes.Run)
async def ask(here: ToAsk, request: Request, body: AskBody) -> Response:
    """Answer with evidence on the page, or abstain.

    With `Accept: text/event-stream` the events `asked`, `step`, `text` (of a thought or an answer, as a
    model writes it), `answer` or `error`, and `done` as they come.
    """
    asked = AskedQuestion(
        body.question,
        tuple(body.papers),
        body.answer_format,
        body.answer_schema,
        body.memory,
        body.thread,
        kind=body.kind,
    )
    asking = here.asks.start(asked)
    if "text/event-stream" in request.headers.get("accept", ""):
        return stream(_asked(asking))
    await asking.wait(request.is_disconnected)
    if asking.error is not None:
        raise asking.error
    if asking.view is None:
        raise Refused(409, "Cancelled", "The question was stopped.")
    return Json(document(asking.view))


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
    """Stop a question, wherever it is; what came is kept."""
    asking = here.asks.asking(ask_id)
    asking.cancel()
    return Json({"id": asking.id, "cancelled": True})


async def _asked(asking: Asking) -> AsyncGenerator[bytes]:
    """Its events; where no thread keeps it for who comes back, it ends when its reader leaves."""
    try:
        async for told in _events(asking):
            yield told
    finally:
        if not asking.asked.thread:
            asking.cancel()


async def _events(asking: Asking, after: int = 0) -> AsyncGenerator[bytes]:
    if not after:
        yield event("asked", {"id": asking.id, "question": asking.asked.question})
    async for told in asking.follow(after):
        if told is None:
            yield PING_LINE
        else:
            number, kind, data = told
            yield event(kind, data, number)
