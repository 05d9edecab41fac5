"""Stored runs, and people's verdicts on their answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from quire.agents import runs
from quire.agents.personal import taken, user_name
from quire.errors import RunError
from quire.interfaces.past import suggested, used
from quire.interfaces.plain import plain
from quire.interfaces.server.api import shapes
from quire.interfaces.server.asks import run_document
from quire.interfaces.server.context import ToAsk, ToRead
from quire.interfaces.server.http_errors import Json, Refused

router = APIRouter(prefix="/runs", tags=["runs"])


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
    """A run with all its steps, and the remembered answers that took part."""
    found = runs.load(here.library.folder, run)
    how = taken(found)
    remembered = [
        {"id": id, "how": how[id], "question": item.question if item else None}
        for id, item in used(here.library, found).items()
    ]
    return Json({**run_document(found, suggested(here.library, found)), "used": remembered})


class VerdictBody(BaseModel):
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
