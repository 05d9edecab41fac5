"""All that was asked: conversations by name, date and outcome, and the questions of the shell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.app.server.context import ServerContext, ToRead
from quire.app.server.pages.rendering import html
from quire.app.server.pages.views import views
from quire.ask import runs

router = views()

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation, or a question that belongs to none."""

    id: str
    title: str
    address: str
    when: str
    questions: int
    outcome: str


@router.get("/conversations")
def conversations(
    here: ToRead,
    q: Annotated[str, Query(max_length=500)] = "",
    limit: Annotated[int, Query(ge=1, le=100_000)] = _SHOWN,
) -> HTMLResponse:
    """The latest first; with `q` those that ask so."""
    found, total = here.threads.listed(limit, 0, q)
    rows = [_row(here, thread.id) for thread in found]
    alone = _alone(here, q, limit)
    shown = sorted([*(row for row in rows if row.questions), *alone], key=lambda row: row.when, reverse=True)
    more = f"/conversations?{urlencode({'q': q, 'limit': limit * 2})}"
    return html(
        "Ask",
        "conversations.html",
        q=q,
        rows=shown[:limit],
        more=more if max(total, len(shown)) > limit else "",
    )


def _row(here: ServerContext, id: str) -> ConversationRow:
    thread = here.threads.thread(id)
    outcome = thread.turns[-1].state if thread.turns else ""
    return ConversationRow(id, thread.title, f"/ask/{id}", thread.updated, len(thread.turns), outcome)


def _alone(here: ServerContext, q: str, limit: int) -> list[ConversationRow]:
    """Questions of the shell and of programs, which belong to no conversation."""
    known, words = here.threads.runs(), q.lower().split()
    stored = runs.listed(here.library.folder, limit)
    return [
        ConversationRow("", run.question, f"/runs/{run.run_id}", run.started, 1, run.outcome)
        for run in stored
        if run.run_id not in known and all(word in run.question.lower() for word in words)
    ]
