"""The application: a library, its rules of access, and all routes.

app = create_app(Library.open("my-papers"), access=Access(Keys(home(), folder)))
uvicorn.run(app, ...)
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import TaskGroup, TaskStatus
from anyio.to_thread import run_sync
from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from quire import __version__
from quire.app.server import openai_api, responses
from quire.app.server.access import Access, address
from quire.app.server.api import ask, desk, measure, papers, service
from quire.app.server.asks import Asks
from quire.app.server.context import PARTS, Kept, ServerContext, parts
from quire.app.server.desk import Desk, Threads
from quire.app.server.guarding import HttpGuard, Meters
from quire.app.server.jobs import Jobs
from quire.app.server.keys import SCOPES
from quire.app.server.pages import STATIC, asking, beside
from quire.app.server.pages import papers as shelf
from quire.app.server.store import Store
from quire.app.server.works import LANES, UploadLimits, Uploads, waiting_files, works
from quire.build import Library
from quire.errors import LibraryError, LibraryLocked
from quire.library import removing
from quire.settings import home
from quire.store import WriterLock

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context, MCPServer

    from quire.app.mcp.tools import Visitor

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
    app.router.routes += [*_routes(tuple(PARTS)), agents.route]
    # The script of evaluations is the report's own.
    files = StaticFiles(directory=STATIC, packages=[("quire.eval.report", "templates")])
    app.mount("/static", files, name="static")
    app.add_middleware(HttpGuard, access=access, upload_bytes=limits.total_bytes, meters=here.meters)
    return app


@cache
def _routes(plugged: tuple[str, ...]) -> list[BaseRoute]:
    """All routes, the same for every application: what checks a request is made once, on first use."""
    whole = APIRouter()
    for router in (_api(), openai_api.router, service.metrics_root):
        whole.include_router(router)
    for pages in (shelf.router, asking.router, beside.router, *(part.pages for part in parts())):
        whole.include_router(pages, include_in_schema=False)
    return whole.routes


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
    foreign = "What another server's user had sent to this library is in %s; it was not added."
    try:
        store, threads, known = _kept(library)
    except LibraryError as error:  # what is damaged was set aside; else it fails once more
        store, threads, known = _kept(library)
        _log.warning("%s", error)
        foreign = "serve.sqlite began anew; what was sent lies in %s; it was not added."
    uploads = Uploads(library.folder, limits)
    if not known and (aside := uploads.set_aside()):
        _log.warning(foreign, aside)
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


def _kept(library: Library) -> tuple[Store, Threads, bool]:
    """What the server keeps, and whether it kept that here before; damage anywhere in the file shows here.

    Raises:
        LibraryError: the file cannot be used.
    """
    store = Store(library.folder / "serve.sqlite")
    try:
        known = store.adopt(home(), library.folder)
        return store, Threads(store), known
    except BaseException:
        store.close()
        raise


def _tidy(here: ServerContext) -> None:
    """Remove files of uploads that are in or never were; take over the trash of an older server."""
    if (old := here.library.folder / "serve" / "trash").is_dir():
        with suppress(LibraryLocked), WriterLock(here.library.folder):  # else at the next start
            removing.take_over(here.library.folder, old)
    batches = here.jobs.ids("add", "waiting", "running", "failed")
    here.uploads.tidy(waiting_files(here.library), batches)


class Agents:
    """`/mcp`: the agents' tools over streamable HTTP, behind the server's own door, while `running`.

    Every request stands alone (no sessions), so a server that starts again is not noticed. Who calls is whom
    the server let in: keys need the scope that a tool needs. The protocol's package is loaded when the first
    agent comes, as that takes a second.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._app: ASGIApp | None = None
        self._tasks: TaskGroup | None = None
        self._starting = anyio.Lock()
        # No GET: without sessions nobody has anything to say in the stream that it would hold open.
        self.route = Route("/mcp", endpoint=self, methods=["POST", "DELETE"])

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve requests until the block ends."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        async with self._starting:
            app = self._app = self._app or await self._started()
        await app(scope, receive, send)

    async def _started(self) -> ASGIApp:
        assert self._tasks is not None, "not running"
        server, app = await run_sync(_built, self._library)
        await self._tasks.start(_run, server)
        return app


async def _run(server: MCPServer[Any], *, task_status: TaskStatus[None]) -> None:
    async with server.session_manager.run():
        task_status.started()
        await anyio.sleep_forever()


def _built(library: Library) -> tuple[MCPServer[Any], ASGIApp]:
    from mcp.server.transport_security import TransportSecuritySettings

    from quire.app.mcp.server import build

    server = build(library, visiting=_visitor)
    # The server's own door checks Host and Origin, by the names that its owner gave it.
    checked = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return server, server.streamable_http_app(stateless_http=True, transport_security=checked)


def _visitor(context: Context[Any, Any]) -> Visitor:
    from quire.app.mcp.tools import Visitor

    request: Any = context.request_context.request
    caller = request.state.caller
    scopes = SCOPES[: SCOPES.index(caller.scope) + 1] if caller else ()
    return Visitor(caller.name if caller else "", scopes, address(request), request.is_disconnected)
