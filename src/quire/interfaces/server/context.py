"""What every route gets: the library and the server's own parts, by one dependency.

@router.get("/papers")
def papers(here: Here) -> Response: ...
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from quire.build import Library
from quire.interfaces.server.access import Access, Caller, needs
from quire.interfaces.server.asks import Asks
from quire.interfaces.server.caching import Kept
from quire.interfaces.server.jobs import Jobs
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


Here = Annotated[Context, Depends(context)]
Reader = Annotated[Caller, Depends(needs("read"))]
Asker = Annotated[Caller, Depends(needs("ask"))]
Writer = Annotated[Caller, Depends(needs("write"))]
