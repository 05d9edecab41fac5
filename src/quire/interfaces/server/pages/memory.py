"""What the library learned from verdicts: each item, what it helped, and the learning curve."""

from __future__ import annotations

from typing import Any

from starlette.responses import HTMLResponse

from quire.interfaces.server.context import ToRead
from quire.interfaces.server.pages import curve
from quire.interfaces.server.pages.rendering import html
from quire.interfaces.server.pages.views import views
from quire.memory import searches
from quire.memory.items import Item
from quire.memory.verdicts import Verdicts

router = views()

_TAUGHT = 12  # of each kind that are shown
_FELT = 0.02  # a smaller weight moves nothing that one would see


@router.get("/memory")
def memory(here: ToRead, q: str = "") -> HTMLResponse:
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
