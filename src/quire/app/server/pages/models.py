"""The settings of the language model."""

from __future__ import annotations

from starlette.responses import HTMLResponse

from quire.app.server.context import ToRead
from quire.app.server.pages.rendering import html
from quire.app.server.pages.views import views

router = views()


@router.get("/model")
def model(here: ToRead) -> HTMLResponse:
    """Which model answers; what there is is looked for by the page, on demand."""
    return html("", "model.html", model=here.library.settings.model, answers=here.library.models_answer)
