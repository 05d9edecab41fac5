"""What every route gets: the library and the server's own parts, by one dependency.

@router.get("/papers")
def papers(here: ToRead) -> Response: ...

The parameter's type says what the caller's key must be good for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Request

from quire.app.server.access import Access, allowed
from quire.app.server.asks import Asks
from quire.app.server.caching import Kept
from quire.app.server.desk import Desk
from quire.app.server.heavy import Heavy
from quire.app.server.jobs import Jobs
from quire.app.server.keys import Scope
from quire.app.server.meters import Meters
from quire.app.server.store import Store
from quire.app.server.threads import Threads
from quire.app.server.uploads import Uploads
from quire.build import Library


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
