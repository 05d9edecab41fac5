"""Routes that show people a page: what goes wrong is told as a page, too.

router = views()

@router.get("/memory")
def memory(here: ToRead) -> HTMLResponse: ...
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.responses import Response

from quire.app.server.http_errors import Refused, status_of
from quire.app.server.pages.rendering import html
from quire.errors import QuireError


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        """What answers a request."""
        answer = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await answer(request)
            except QuireError as error:
                return _told(status_of(error), error.message, error.hint)
            except Refused as error:
                return _told(error.status, error.message, error.hint)
            except RequestValidationError:
                return _told(422, "This address does not say what is wanted.", "Go back and choose again.")

        return answered


def views() -> APIRouter:
    """A router of views."""
    return APIRouter(route_class=PageRoute)


def _told(status: int, message: str, hint: str) -> Response:
    return html("", "error.html", status, message=message, hint=hint)
