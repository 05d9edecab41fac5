"""The page: views made on the server, with plain ES modules over them that call /api/v1.

`install(app)` mounts all of it. A view is a route here and a template in `templates/`; `static/` holds what
they load, and nothing is loaded from elsewhere. Every text goes through Jinja with autoescape; a part of a
view that changes is asked for again as part of the same page (`static/swap.js`), never written twice.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from quire.app.server.pages import asking, beside, papers
from quire.app.server.plugged import parts

STATIC = Path(__file__).parent / "static"


def install(app: FastAPI) -> None:
    """Add the views and what they load to an app."""
    for part in (papers, asking, beside):
        app.include_router(part.router, include_in_schema=False)
    for plugged in parts():
        app.include_router(plugged.pages, include_in_schema=False)
    # The script of evaluations is the report's own.
    files = StaticFiles(directory=STATIC, packages=[("quire.eval.report", "templates")])
    app.mount("/static", files, name="static")
