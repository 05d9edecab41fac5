"""The application: a library, its rules of access, and all routes.

app = create_app(Library.open("my-papers"), access=Access(Keys(home(), folder)))
uvicorn.run(app, ...)
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from fastapi import FastAPI

from quire import __version__
from quire.build import Library
from quire.interfaces.mcp.http import Agents
from quire.interfaces.server import api, http_errors, openai_api, pages
from quire.interfaces.server.access import Access
from quire.interfaces.server.api import health
from quire.interfaces.server.asks import Asks
from quire.interfaces.server.caching import Kept
from quire.interfaces.server.context import Context
from quire.interfaces.server.guarding import Guard
from quire.interfaces.server.jobs import Jobs
from quire.interfaces.server.meters import Meters
from quire.interfaces.server.store import Store
from quire.interfaces.server.threads import Threads
from quire.interfaces.server.uploads import UploadLimits, Uploads
from quire.interfaces.server.works import LANES, waiting_files, works

_PICTURES = 64 << 20  # bytes of page pictures in memory
_TRASH_DAYS = 7


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
        openapi_url=f"{api.PREFIX}/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
    )
    app.state.context = here
    http_errors.install(app)
    app.include_router(api.build())
    app.include_router(openai_api.router)
    app.router.routes.append(agents.route)
    app.include_router(health.root)
    pages.install(app)
    app.add_middleware(Guard, access=access, upload_bytes=limits.total_bytes, meters=here.meters)
    return app


def _context(library: Library, access: Access, limits: UploadLimits) -> Context:
    store = Store(library.folder / "serve.sqlite")
    threads = Threads(store)
    uploads = Uploads(library.folder, store, limits)
    return Context(
        library=library,
        access=access,
        store=store,
        jobs=Jobs(store, works(library, uploads), LANES),
        threads=threads,
        asks=Asks(library, threads),
        uploads=uploads,
        pictures=Kept(_PICTURES),
        meters=Meters(),
    )


def _tidy(here: Context) -> None:
    """Remove what nobody waits for any more: old trash, files of uploads that are in or never were."""
    before = datetime.now(UTC) - timedelta(days=_TRASH_DAYS)
    here.uploads.purge(before.isoformat(timespec="milliseconds"))
    open_batches = {job.id for job in here.jobs.listed(10_000, running=True)}
    here.uploads.tidy(waiting_files(here.library), open_batches)
