"""What every route gets: the library and the server's own parts, by one dependency.

@router.get("/papers")
def papers(here: ToRead) -> Response: ...

The parameter's type says what the caller's key must be good for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from quire.build import Library
from quire.interfaces.server.access import Access, needs
from quire.interfaces.server.asks import Asks
from quire.interfaces.server.caching import Kept
from quire.interfaces.server.jobs import Jobs
from quire.interfaces.server.keys import Scope
from quire.interfaces.server.meters import Meters
from quire.interfaces.server.store import Store
from quire.interfaces.server.threads import Threads
from quire.interfaces.server.uploads import Uploads


@dataclass(frozen=True, slots=True)
class Context:
    """One server."""

    library: Library
    access: Access
    store: Store
    jobs: Jobs
    threads: Threads
    asks: Asks
    uploads: Uploads
    pictures: Kept
    meters: Meters


def context(request: Request) -> Context:
    """The server of a request."""
    found: Context = request.app.state.context
    return found


def _for(scope: Scope) -> Callable[[Request], Context]:
    check = needs(scope)

    def found(request: Request) -> Context:
        check(request)
        return context(request)

    return found


Here = Annotated[Context, Depends(context)]  # for anybody: no library behind it
ToRead = Annotated[Context, Depends(_for("read"))]
ToAsk = Annotated[Context, Depends(_for("ask"))]
ToWrite = Annotated[Context, Depends(_for("write"))]
