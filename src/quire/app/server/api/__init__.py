"""The REST interface: one module for each kind of thing, put together here under /api/v1."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from quire.app.server import http_errors
from quire.app.server.api import ask, desk, measure, papers, service
from quire.app.server.plugged import parts

PREFIX = "/api/v1"


def build() -> APIRouter:
    """All routes."""
    told: dict[int | str, dict[str, Any]] = {
        status: {"model": http_errors.ErrorBody, "description": "Refused, with the reason"}
        for status in (422, "4XX", "5XX")
    }
    router = APIRouter(prefix=PREFIX, responses=told)
    for part in (
        papers.router,
        papers.search_router,
        desk.router,
        ask.export_router,
        ask.ask_router,
        ask.run_router,
        desk.thread_router,
        service.model_router,
        ask.memory_router,
        measure.router,
        service.job_router,
        service.session_router,
        service.health_router,
    ):
        router.include_router(part)
    for plugged in parts():
        router.include_router(plugged.api)
    return router
