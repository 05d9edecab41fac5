"""Questions: a new thread, a thread as it went, and one answer to be shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.agents import runs
from quire.errors import RunError
from quire.interfaces.past import suggested, used
from quire.interfaces.server.context import Context, ToRead
from quire.interfaces.server.pages.rendering import html
from quire.interfaces.server.pages.views import views
from quire.interfaces.server.threads import Thread
from quire.types import Trajectory

router = views()

_EARLIER = 12  # threads that a new one shows


@router.get("/ask")
def new(here: ToRead, paper: Annotated[Sequence[str], Query()] = (), q: str = "") -> HTMLResponse:
    """A new thread, over the papers that are named."""
    earlier, _total = here.threads.listed(_EARLIER)
    return _asked(here, None, [], paper, [each for each in earlier if each.title], q)


@router.get("/ask/{thread}")
def thread(here: ToRead, thread: str) -> HTMLResponse:
    """A thread with all its answers."""
    found = here.threads.thread(thread)
    return _asked(here, found, [_turn(here, turn.run, turn) for turn in found.turns], found.papers, [], "")


@router.get("/runs/{run}")
def run(here: ToRead, run: str) -> HTMLResponse:
    """One answer alone."""
    found = runs.load(here.library.folder, run)
    return html("Ask", "run.html", run=found, past=_past(here, found))


def _past(here: Context, run: Trajectory) -> dict[str, Any]:
    """What took part in a run from the memory, and what was shown beside it."""
    return {"used": used(here.library, run), "suggested": suggested(here.library, run)}


def _turn(here: Context, run: str, turn: Any) -> dict[str, Any]:
    """A turn as the template shows it: with its run, or with what became of it."""
    try:
        found = runs.load(here.library.folder, run) if run else None
    except RunError:  # its file was removed
        found = None
    return {"turn": turn, "run": found, "past": _past(here, found) if found else {}}


def _asked(
    here: Context,
    thread: Thread | None,
    turns: Sequence[dict[str, Any]],
    chosen: Sequence[str],
    threads: Sequence[Thread],
    text: str,
) -> HTMLResponse:
    papers = [paper for paper in here.library.papers() if paper.state != "failed"]
    papers.sort(key=lambda paper: (paper.id not in chosen, paper.name.casefold()))
    here_now = {paper.id for paper in papers}
    return html(
        "Ask",
        "ask.html",
        answers_by=_answers_by(here),
        thread=thread,
        turns=turns,
        chosen=[one for one in chosen if one in here_now],
        threads=threads,
        papers=papers,
        text=text,
    )


def _answers_by(here: Context) -> str:
    """Who decides the steps, and what leaves this machine for it."""
    if not here.library.models_answer:
        return "Rules on this machine answer, without a language model; nothing is sent anywhere."
    model = here.library.settings.model.name
    return f"{model} answers; it is sent the question and what it looks up in the papers."
