"""What the server does besides: long work, a browser's way in (a cookie no script reads), its health."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from quire import __version__
from quire.app.arguments import Body
from quire.app.server.access import COOKIE, address
from quire.app.server.api import shapes
from quire.app.server.api.routes import Limit, routes
from quire.app.server.context import Here, ToRead, ToWrite
from quire.app.server.events import PING, PING_LINE, event, stream
from quire.app.server.http_errors import Json, Refused
from quire.app.server.jobs import ENDED, Jobs

job_router = routes("jobs", "/jobs")


@job_router.get("", response_model=shapes.JobList)
def listed(
    here: ToRead,
    limit: Limit = 50,
    running: Annotated[bool, Query(description="Only those that have not ended.")] = False,
) -> Response:
    """The jobs, the newest first."""
    return Json({"jobs": here.jobs.listed(limit, running=running)})


@job_router.get("/{job}", response_model=shapes.Job)
def shown(here: ToRead, job: str) -> Response:
    """A job, how far it is, and what came of it."""
    return Json(here.jobs.job(job))


@job_router.get("/{job}/events")
async def follow(here: ToRead, job: str) -> Response:
    """The job whenever it changes (`progress`), until it has ended (`done`)."""
    await run_in_threadpool(here.jobs.job, job)
    return stream(_events(here.jobs, job))


@job_router.post("/{job}/cancel", response_model=shapes.Job)
def cancel(here: ToWrite, job: str) -> Response:
    """End a job: at once if it waits, else at the next thing that it does. What was done stays."""
    return Json(here.jobs.cancel(job))


async def _events(jobs: Jobs, id: str) -> AsyncGenerator[bytes]:
    before = None
    async with jobs.bell.hearing() as wait:
        while True:
            job = await run_in_threadpool(jobs.job, id)
            if job != before:
                yield event("done" if job.state in ENDED else "progress", job)
            if job.state in ENDED:
                return
            before = job
            if not await wait(PING):
                yield PING_LINE


session_router = routes("session", "/session")

_WEEK = 7 * 24 * 3600


class KeyBody(Body):
    """The key of a user."""

    key: Annotated[str, Field(min_length=1, max_length=200)]


@session_router.post("")
def enter(here: Here, request: Request, body: KeyBody) -> Response:
    """Come in with a key; it holds for a week in this browser."""
    holder = here.access.holder(request, body.key)
    if holder is None:
        raise Refused(401, "KeyRefused", "This key is not known here.", "Ask for another.")
    answer = Json({"name": holder.name, "scope": holder.scope})
    secure = address(request).startswith("https:")
    answer.set_cookie(COOKIE, body.key, max_age=_WEEK, httponly=True, samesite="strict", secure=secure)
    return answer


@session_router.get("")
def who(request: Request) -> Response:
    """Who one is here: the name of the key and what it is good for; empty without one."""
    caller = request.state.caller
    return Json({"name": caller.name if caller else "", "scope": caller.scope if caller else ""})


@session_router.delete("")
def leave() -> Response:
    """Forget the key in this browser."""
    answer = Json({"name": "", "scope": ""})
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


health_router = routes("health")
metrics_root = APIRouter(tags=["health"])  # where those who watch servers look by default


@health_router.get("/health")
async def health(here: Here) -> Response:
    """That the server answers; its version."""
    return Json({"status": "ok", "version": __version__})


@metrics_root.get("/metrics", response_class=Response)
@health_router.get("/metrics", response_class=Response)
def metrics(here: ToRead) -> Response:
    """Figures in Prometheus' text form."""
    return Response(here.meters.text(here), media_type="text/plain; version=0.0.4")
