"""Whether the server works, and figures for those who watch it."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from quire import __version__
from quire.app.server.api.routes import routes
from quire.app.server.context import Here, ToRead
from quire.app.server.http_errors import Json

router = routes("health")
root = APIRouter(tags=["health"])  # where those who watch servers look by default


@router.get("/health")
async def health(here: Here) -> Response:
    """That the server answers; its version."""
    return Json({"status": "ok", "version": __version__})


@root.get("/metrics", response_class=Response)
@router.get("/metrics", response_class=Response)
def metrics(here: ToRead) -> Response:
    """Figures in Prometheus' text form."""
    return Response(here.meters.text(here), media_type="text/plain; version=0.0.4")
