"""Routes of the REST interface: they take the arguments that they name, and no others, of these lengths."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import Field
from starlette.responses import Response

from quire.app.arguments import unknown
from quire.app.server.http_errors import Refused

PaperName = Annotated[str, Field(max_length=500)]  # id, file name, title or DOI
PaperNames = Annotated[list[PaperName], Field(max_length=1000)]
Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]


class _Route(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle, known = super().get_route_handler(), list(_queries(self.dependant))

        async def checked(request: Request) -> Response:
            for name in request.query_params:
                if name not in known:
                    raise Refused(422, "RequestError", unknown(name, known), "See /api/v1/openapi.json.")
            return await handle(request)

        return checked


def routes(tag: str, prefix: str = "") -> APIRouter:
    """A router of one kind of thing."""
    return APIRouter(prefix=prefix, tags=[tag], route_class=_Route)


def _queries(dependant: Dependant) -> Iterator[str]:
    """What a route and what it depends on take from the address."""
    yield from (field.alias for field in dependant.query_params)
    for inner in dependant.dependencies:
        yield from _queries(inner)
