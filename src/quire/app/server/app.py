"""The application: a library, its rules of access, and all routes.

app = create_app(Library.open("my-papers"), access=Access(Keys(home(), folder)))
uvicorn.run(app, ...)
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.staticfiles import StaticFiles

from quire import __version__
from quire.app.mcp.http import Agents
from quire.app.server import openai_api, responses
from quire.app.server.access import Access
from quire.app.server.api import ask, desk, measure, papers, service
from quire.app.server.asks import Asks
from quire.app.server.context import Kept, ServerContext, parts
from quire.app.server.desk import Desk, Threads
from quire.app.server.guarding import HttpGuard, Meters
from quire.app.server.jobs import Jobs
from quire.app.server.pages import STATIC, asking, beside
from quire.app.server.pages import papers as shelf
from quire.app.server.store import Store
from quire.app.server.works import LANES, UploadLimits, Uploads, waiting_files, works
from quire.build import Library
from quire.errors import LibraryLocked
from quire.library import removing
from quire.settings import home
from quire.store import WriterLock

_API = "/api/v1"
_PICTURES = 64 << 20  # bytes of page pictures in memory
_log = logging.getLogger(__name__)


def create_app(library: Library, *, access: Access, limits: UploadLimits | None = None) -> FastAPI:
    """The application for a library that exists. Its jobs run while it does.

    Raises:
        LibraryError: the server's own file in the library cannot be used.
    """
    limits = limits or UploadLimits()
    here = _context(library, access, limits)
    agents = Agents(library)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        _tidy(here)
        here.jobs.start()
        try:
            async with agents.running():
                yield
        finally:
            here.asks.stop()
            if here.jobs.stop():
                here.store.close()
            library.close()

    app = FastAPI(
        title="quire",
        version=__version__,
        summary="Ask a pile of PDFs, see where each answer stands on the page.",
        lifespan=lifespan,
        openapi_url=f"{_API}/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere; ours is `pages/beside.py`
        redoc_url=None,
    )
    app.state.context = here
    responses.install(app)
    app.include_router(_api())
    app.include_router(openai_api.router)
    app.router.routes.append(agents.route)
    app.include_router(service.metrics_root)
    for pages in (shelf.router, asking.router, beside.router, *(part.pages for part in parts())):
        app.include_router(pages, include_in_schema=False)
    # The script of evaluations is the report's own.
    files = StaticFiles(directory=STATIC, packages=[("quire.eval.report", "templates")])
    app.mount("/static", files, name="static")
    app.add_middleware(HttpGuard, access=access, upload_bytes=limits.total_bytes, meters=here.meters)
    return app


def _api() -> APIRouter:
    """The routes of the REST interface."""
    told: dict[int | str, dict[str, Any]] = {
        status: {"model": responses.ErrorBody, "description": "Refused, with the reason"}
        for status in (422, "4XX", "5XX")
    }
    router = APIRouter(prefix=_API, responses=told)
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
        *(plugged.api for plugged in parts()),
    ):
        router.include_router(part)
    return router


def _context(library: Library, access: Access, limits: UploadLimits) -> ServerContext:
    store = Store(library.folder / "serve.sqlite")
    uploads = Uploads(library.folder, limits)
    if not store.adopt(home(), library.folder) and (aside := uploads.set_aside()):
        _log.warning("What another server's user had sent to this library is in %s; it was not added.", aside)
    threads = Threads(store)
    return ServerContext(
        library=library,
        access=access,
        store=store,
        jobs=Jobs(store, works(library, uploads), LANES),
        threads=threads,
        desk=Desk(store),
        asks=Asks(library, threads),
        uploads=uploads,
        pictures=Kept(_PICTURES),
        meters=Meters(),
    )


def _tidy(here: ServerContext) -> None:
    """Remove files of uploads that are in or never were; take over the trash of an older server."""
    if (old := here.library.folder / "serve" / "trash").is_dir():
        with suppress(LibraryLocked), WriterLock(here.library.folder):  # else at the next start
            removing.take_over(here.library.folder, old)
    batches = here.jobs.ids("add", "waiting", "running", "failed")
    here.uploads.tidy(waiting_files(here.library), batches)
