"""Long work."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from quire.app.server.api import shapes
from quire.app.server.api.routes import routes
from quire.app.server.context import ToRead, ToWrite
from quire.app.server.events import PING, PING_LINE, event, stream
from quire.app.server.http_errors import Json
from quire.app.server.jobs import ENDED, Jobs

router = routes("jobs", "/jobs")


@router.get("", response_model=shapes.JobList)
def listed(
    here: ToRead,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    running: Annotated[bool, Query(description="Only those that have not ended.")] = False,
) -> Response:
    """The jobs, the newest first."""
    return Json({"jobs": here.jobs.listed(limit, running=running)})


@router.get("/{job}", response_model=shapes.Job)
def shown(here: ToRead, job: str) -> Response:
    """A job, how far it is, and what came of it."""
    return Json(here.jobs.job(job))


@router.get("/{job}/events")
async def follow(here: ToRead, job: str) -> Response:
    """The job whenever it changes (`progress`), until it has ended (`done`)."""
    await run_in_threadpool(here.jobs.job, job)
    return stream(_events(here.jobs, job))


@router.post("/{job}/cancel", response_model=shapes.Job)
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
