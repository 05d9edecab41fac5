"""The REST interface: one module for each kind of thing, put together here under /api/v1."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from quire.app.server import http_errors
from quire.app.server.api import (
    ask,
    desk,
    exports,
    health,
    jobs,
    measure,
    memory,
    models,
    papers,
    runs,
    search,
    sessions,
    threads,
)
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
        papers,
        search,
        desk,
        exports,
        ask,
        runs,
        threads,
        models,
        memory,
        measure,
        jobs,
        sessions,
        health,
    ):
        router.include_router(part.router)
    for plugged in parts():
        router.include_router(plugged.api)
    return router
