"""Stored runs, and people's verdicts on their answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import Body
from quire.app.plain import plain
from quire.app.run_view import document, view_of
from quire.app.server.api import shapes
from quire.app.server.api.routes import routes
from quire.app.server.context import ToAsk, ToRead
from quire.app.server.http_errors import Json, Refused
from quire.ask import runs
from quire.ask.personal import taken, user_name
from quire.errors import RunError

router = routes("runs", "/runs")


@router.get("")
def listed(
    here: ToRead,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """The stored runs, the latest first."""
    folder = here.library.folder
    return Json({"runs": runs.listed(folder, limit, offset), "total": runs.count(folder)})


@router.get("/{run}", response_model=shapes.Run)
def shown(here: ToRead, run: str) -> Response:
    """A run with all its steps, and as it is shown."""
    return Json(document(view_of(here.library, runs.load(here.library.folder, run))))


class VerdictBody(Body):
    """What the answer was; `answer` is the right one where it was wrong.

    `evidence` is the number (from 1) of the piece that answers where nothing was sure; `unanswerable` says
    that the papers do not answer it, `suggested` that the past answer shown beside it does.
    """

    label: Literal["right", "wrong"]
    answer: Any = None
    evidence: Annotated[int, Field(ge=0, le=1000)] = 0
    unanswerable: bool = False
    suggested: bool = False
    note: Annotated[str, Field(max_length=10_000)] = ""


@router.post("/{run}/verdict", response_model=shapes.Judged)
def verdict(here: ToAsk, request: Request, run: str, body: VerdictBody) -> Response:
    """Judge an answer, so that later questions profit from it; gives what was learned."""
    found = runs.load(here.library.folder, run)
    author = request.state.caller.name or user_name()
    try:
        judged = here.library.verdict(
            body.label,
            found.run_id,
            answer=body.answer,
            evidence=body.evidence,
            unanswerable=body.unanswerable,
            suggested=body.suggested,
            note=body.note,
            author=author,
        )
    except RunError as error:
        raise Refused(409, "RunError", error.message, error.hint) from error
    return Json({**plain(judged), "used": list(taken(found))})
