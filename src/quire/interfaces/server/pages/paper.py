"""A paper's own page: what it consists of, each thing a click from where it stands."""

from __future__ import annotations

from starlette.responses import HTMLResponse

from quire.interfaces.server.context import ToRead
from quire.interfaces.server.pages.rendering import html
from quire.interfaces.server.pages.views import views

router = views()


@router.get("/papers/{paper}")
def paper(here: ToRead, paper: str) -> HTMLResponse:
    """Outline, tables, figures, references, BibTeX."""
    found = here.library.contents(paper)
    return html("Library", "paper.html", contents=found, paper=found.paper)
