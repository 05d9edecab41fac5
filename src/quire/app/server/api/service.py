"""What the server does besides: its language model, long work, a browser's way in (a cookie), its health."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from quire import __version__, llm, settings
from quire.app.arguments import Body
from quire.app.server.access import COOKIE, address
from quire.app.server.api import shapes
from quire.app.server.api.shapes import Limit, routes
from quire.app.server.context import Here, ServerContext, ToRead, ToWrite
from quire.app.server.jobs import ENDED, Jobs
from quire.app.server.responses import PING, PING_LINE, Json, Refused, event, stream
from quire.llm.finding import find_models

model_router = routes("models", "/models")

_KEY = "OPENAI_API_KEY"


class ModelBody(Body):
    """What to change; an empty `name` lets rules answer. The key is kept by this process and never told."""

    name: Annotated[str, Field(max_length=200)] | None = None
    base_url: Annotated[str, Field(max_length=500, pattern=r"^(https?://\S+)?$")] | None = None
    max_cost: Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)] | None = None
    key: Annotated[str, Field(max_length=500, pattern=r"^[\x21-\x7e]*$")] | None = None


class TryBody(Body):
    """One question to the model itself, without any paper."""

    question: Annotated[str, Field(min_length=1, max_length=2000)] = (
        "Say in one short sentence that you are there."
    )


@model_router.get("", name="shown")
def shown_model(here: ToRead) -> Response:
    """The model that answers, its limit and what it cost since it was chosen; whether there is a key."""
    return Json(_document(here))


@model_router.get("/found", name="found")
def found_models(here: ToWrite) -> Response:
    """Models of this machine's servers and of keys in the environment."""
    return Json({"found": find_models()})


@model_router.put("")
def choose(here: ToWrite, request: Request, body: ModelBody) -> Response:
    """Choose another model, endpoint or limit, from now on and for later starts; for this machine's user."""
    _own(request)
    changes = {name: value for name, value in body.model_dump(exclude={"key"}).items() if value is not None}
    here.library.use_model(**changes)
    if changes:
        settings.keep("model", **changes)
    if body.key is not None:
        os.environ.pop(_KEY, None)
        if body.key:
            os.environ[_KEY] = body.key
    return Json(_document(here))


@model_router.post("/try")
def attempt(here: ToWrite, request: Request, body: TryBody) -> Response:
    """Ask the model one question: what it says, how long it took, what it cost."""
    _own(request)
    begun = time.perf_counter()
    model = here.library.open_model("answer", "")
    reply = model.complete([llm.user(body.question)], max_tokens=200)
    return Json({"said": reply.text, "seconds": time.perf_counter() - begun, **_document(here)})


def _own(request: Request) -> None:
    """Raises Refused for anybody but this machine's user: a model costs money and is told what papers say."""
    if request.state.caller.name:
        raise Refused(403, "Forbidden", "The model is chosen by the user of the machine that serves.")


def _document(here: ServerContext) -> dict[str, Any]:
    library = here.library
    model = library.settings.model
    meter = library.open_model.__self__.meter if library.models_answer else None  # type: ignore[attr-defined]
    return {
        "name": llm.name_for(library.settings, "answer") if library.models_answer else "",
        "base_url": model.base_url,
        "max_cost": model.max_cost,
        "spent": meter.total.cost if meter else 0.0,
        "key": bool(os.environ.get(_KEY)),
    }


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
    jobs = Counter(job.state for job in here.jobs.listed(1000, running=True))
    papers = Counter(paper.state for paper in here.library.papers())
    lines = here.meters.lines()
    lines += [f'quire_jobs{{state="{state}"}} {jobs[state]}' for state in ("waiting", "running")]
    lines += [f"quire_asks_running {here.asks.running}"]
    lines += [f'quire_papers{{state="{state}"}} {papers[state]}' for state in ("parsed", "encoded", "failed")]
    return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")
