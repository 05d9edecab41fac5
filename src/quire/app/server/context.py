"""What every route gets: the library and the server's own parts, by one dependency.

@router.get("/papers")
def papers(here: ToRead) -> Response: ...

The parameter's type says what the caller's key must be good for. Installed packages add routes and pages of
their own (`ServerPart`), by entry points of the group `quire.server`.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request
from markupsafe import Markup

from quire.app.server.access import Access, allowed
from quire.app.server.asks import Asks
from quire.app.server.desk import Desk, Threads
from quire.app.server.guarding import Meters
from quire.app.server.jobs import Jobs
from quire.app.server.keys import Scope
from quire.app.server.responses import Refused
from quire.app.server.store import Store
from quire.app.server.works import Uploads
from quire.build import Library
from quire.registry import Registry

Value = TypeVar("Value")
_WAITING = 64
_LOOK = 0.5  # seconds between two looks whether who asked is still there


class Heavy:
    """One kind of such work."""

    def __init__(self, at_once: int) -> None:
        self._limiter = CapacityLimiter(at_once)

    async def run(self, request: Request, work: Callable[[], Value]) -> Value:
        """Do it, unless who asked leaves before its turn comes.

        Raises:
            Refused: too many wait, or nobody wants it any more.
        """
        if self._limiter.statistics().tasks_waiting >= _WAITING:
            told = "Too many requests of this kind are waiting."
            raise Refused(503, "Busy", told, "Ask again in a moment.")
        task = asyncio.ensure_future(run_sync(work, limiter=self._limiter))
        try:
            while not (await asyncio.wait({task}, timeout=_LOOK))[0]:
                if await request.is_disconnected():
                    raise Refused(499, "Left", "Whoever asked has left.")
            return task.result()
        finally:
            task.cancel()


class Kept:
    """Bytes by key. Thread-safe; two threads that want the same make it once."""

    def __init__(self, size: int) -> None:
        """`size` is in bytes, of all values together."""
        self._size, self._used = size, 0
        self._guard = threading.Lock()
        self._values: OrderedDict[str, bytes] = OrderedDict()
        self._making: dict[str, threading.Lock] = {}

    def get(self, key: str, make: Callable[[], bytes]) -> bytes:
        """The value of a key, made if it is not kept. What `make` raises goes to the caller."""
        with self._guard:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            try:
                with self._guard:
                    if key in self._values:
                        self._values.move_to_end(key)
                        return self._values[key]
                value = make()
                with self._guard:
                    # After a failure two may make it at once.
                    self._used += len(value) - len(self._values.pop(key, b""))
                    self._values[key] = value
                    while self._used > self._size:
                        self._used -= len(self._values.popitem(last=False)[1])
                return value
            finally:
                with self._guard:
                    self._making.pop(key, None)


@dataclass(frozen=True, slots=True)
class ServerContext:
    """One server."""

    library: Library
    access: Access
    store: Store
    jobs: Jobs
    threads: Threads
    desk: Desk
    asks: Asks
    uploads: Uploads
    pictures: Kept
    meters: Meters
    searches: Heavy = field(default_factory=lambda: Heavy(8))
    queries: Heavy = field(default_factory=lambda: Heavy(3))


async def context(
    request: Request,
) -> ServerContext:  # no thread is needed, so a busy server can tell its health
    """The server of a request."""
    found: ServerContext = request.app.state.context
    return found


def _for(scope: Scope) -> Callable[[Request], Awaitable[ServerContext]]:
    async def found(request: Request) -> ServerContext:
        allowed(request.state.caller, scope)
        return await context(request)

    return found


Here = Annotated[ServerContext, Depends(context)]  # for anybody: no library behind it
ToRead = Annotated[ServerContext, Depends(_for("read"))]
ToAsk = Annotated[ServerContext, Depends(_for("ask"))]
ToWrite = Annotated[ServerContext, Depends(_for("write"))]


PARTS = Registry("part of the server", {}, "quire.server")


@dataclass(frozen=True, slots=True)
class ServerPart:
    """Routes of the API (below its prefix), pages, and the section that the page `Measure` shows of it."""

    api: APIRouter
    pages: APIRouter
    section: Callable[[], Markup]


def parts() -> list[ServerPart]:
    """All that are installed."""
    return [PARTS.load(name) for name in PARTS]
