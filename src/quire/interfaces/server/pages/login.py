"""Where a browser brings its key."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.interfaces.server.pages.rendering import html
from quire.interfaces.server.pages.views import views

router = views()


@router.get("/keys-help")
def keys_help(to: Annotated[str, Query(max_length=2000)] = "/") -> HTMLResponse:
    """The form, and where one came from; an address of another server leads to the library."""
    ours = to.startswith("/") and not to.startswith(("//", "/\\"))
    return html("", "keys-help.html", to=to if ours else "/")
