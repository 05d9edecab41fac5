"""Where a browser brings its key."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.app.server.pages.rendering import html
from quire.app.server.pages.views import views

router = views()


@router.get("/keys-help")
def keys_help(to: Annotated[str, Query(max_length=2000)] = "/") -> HTMLResponse:
    """The form, and where one came from; an address of another server leads to the library.

    Browsers drop tabs and breaks from addresses and read a backslash as a slash: none of them is taken.
    """
    ours = re.match(r"/(?!/)", to) and to.isprintable() and "\\" not in to
    return html("", "keys-help.html", to=to if ours else "/")
