"""A browser's way in with a key: it is put into a cookie that no script can read."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import Body
from quire.app.server.access import COOKIE, address
from quire.app.server.api.routes import routes
from quire.app.server.context import Here
from quire.app.server.http_errors import Json, Refused

router = routes("session", "/session")

_WEEK = 7 * 24 * 3600


class KeyBody(Body):
    """The key of a user."""

    key: Annotated[str, Field(min_length=1, max_length=200)]


@router.post("")
def enter(here: Here, request: Request, body: KeyBody) -> Response:
    """Come in with a key; it holds for a week in this browser."""
    holder = here.access.holder(request, body.key)
    if holder is None:
        raise Refused(401, "KeyRefused", "This key is not known here.", "Ask for another.")
    answer = Json({"name": holder.name, "scope": holder.scope})
    secure = address(request).startswith("https:")
    answer.set_cookie(COOKIE, body.key, max_age=_WEEK, httponly=True, samesite="strict", secure=secure)
    return answer


@router.get("")
def who(request: Request) -> Response:
    """Who one is here: the name of the key and what it is good for; empty without one."""
    caller = request.state.caller
    return Json({"name": caller.name if caller else "", "scope": caller.scope if caller else ""})


@router.delete("")
def leave() -> Response:
    """Forget the key in this browser."""
    answer = Json({"name": "", "scope": ""})
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer
