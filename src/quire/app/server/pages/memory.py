"""What the library learned from verdicts: each item, what it helped, and the learning curve."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.app.server.context import ToRead
from quire.app.server.pages import curve
from quire.app.server.pages.rendering import html
from quire.app.server.pages.views import views
from quire.memory import searches
from quire.memory.items import Item
from quire.memory.verdicts import Verdicts
from quire.types import LONGEST_QUESTION

router = views()

_TAUGHT = 12  # of each kind that are shown
_FELT = 0.02  # a smaller weight moves nothing that one would see


@router.get("/memory")
def memory(here: ToRead, q: Annotated[str, Query(max_length=LONGEST_QUESTION)] = "") -> HTMLResponse:
    """All items, the newest first; with `q` those most similar to a question."""
    remembered = here.library.memory
    verdicts = remembered.verdicts
    listed = remembered.similar(q, 50) if q else verdicts.listed()
    return html(
        "Memory",
        "memory.html",
        q=q,
        items=[_row(verdicts, item) for item in listed],
        counts=verdicts.counts(),
        weights=[one for one in searches.weights(verdicts.store) if abs(one.weight) >= _FELT][:_TAUGHT],
        aliases=searches.aliases(verdicts.store)[:_TAUGHT],
        plot=curve.plot(remembered.curve()),
    )


def _row(verdicts: Verdicts, item: Item) -> dict[str, Any]:
    right, wrong = verdicts.opinions(item.id)
    return {"item": item, "right": right, "wrong": wrong, "tally": verdicts.tally(item.id)}
