"""Questions: a new thread, a thread as it went, one answer to be shared, and all that was asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import Query
from starlette.responses import HTMLResponse

from quire.app.finding import says
from quire.app.run_view import Outcome, outcome_of, pieces, view_of
from quire.app.server.context import ServerContext, ToRead
from quire.app.server.desk import Thread, ThreadTurn
from quire.app.server.pages.rendering import html, views
from quire.ask import runs
from quire.ask.offline.searched import seen_last as looked_up
from quire.errors import PaperNotFound, RunError
from quire.types import Trajectory

router = views()

_EARLIER = 12  # threads that a new one shows


@router.get("/ask")
def new(
    here: ToRead, paper: Annotated[Sequence[str], Query(max_length=1000)] = (), q: str = "", kind: str = ""
) -> HTMLResponse:
    """A new thread, over the papers that are named."""
    earlier, _total = here.threads.listed(_EARLIER)
    named = [each for each in earlier if each.title]
    return _asked(here, paper, thread=None, turns=[], threads=named, text=q, kind=kind)


@router.get("/ask/{thread}")
def thread(here: ToRead, thread: str) -> HTMLResponse:
    """A thread with all its answers."""
    found = here.threads.thread(thread)
    turns = [_turn(here, turn) for turn in found.turns]
    return _asked(here, found.papers, thread=found, turns=turns, threads=[], text="", kind="")


@router.get("/runs/{run}")
def run(here: ToRead, run: str) -> HTMLResponse:
    """One answer alone."""
    found = runs.load(here.library.folder, run)
    alone = ThreadTurn(0, found.question.text, "answered", found.run_id, "")
    return html("Ask", "run.html", **_turn(here, alone))


def _scope(here: ServerContext, run: Trajectory) -> str:
    """What a question was asked of, in words; "" for the whole library."""
    only = run.question.only
    if len(only) > 2:
        return f"{len(only)} chosen papers"
    return " and ".join(filter(None, (_name(here, paper) for paper in only)))


def _name(here: ServerContext, paper: str) -> str:
    with suppress(PaperNotFound):  # it was removed
        return here.library.paper(paper).name
    return ""


_TOLD = {
    "asking": "Being answered.",
    "cancelled": "Stopped before there was an answer.",
    "interrupted": "The server ended before there was an answer. Ask again.",
}


def _turn(here: ServerContext, turn: ThreadTurn) -> dict[str, Any]:
    """A turn as the template shows it: with its run, or with what became of it."""
    asking = here.asks.known(turn.ask)
    run = asking.view.run if asking and asking.view else None
    with suppress(RunError):  # its file was removed
        run = run or (runs.load(here.library.folder, turn.run) if turn.run else None)
    told = _TOLD.get(turn.state, "It failed; ask again.")
    if asking is not None and asking.error is not None:
        told = f"{asking.error.message} {asking.error.hint}"
    return {
        "turn": turn,
        "run": view_of(here.library, run) if run else None,
        "asking": asking,
        "noted": here.desk.fitting(turn.question, run.question.only if run else ()),
        "scope": _scope(here, run) if run else "",
        "looked": pieces(looked_up(asking.steps), library=here.library) if asking else (),
        "told": told,
    }


@router.get("/asks/{ask}")
def ask(here: ToRead, ask: str) -> HTMLResponse:
    """One question as it stands now: what was looked up and written so far, or its answer."""
    asking = here.asks.asking(ask)
    state = "failed" if asking.error else "cancelled" if asking.cancelled else "asking"
    return html("Ask", "run.html", **_turn(here, ThreadTurn(0, asking.asked.question, state, "", asking.id)))


def _asked(here: ServerContext, chosen: Sequence[str], **shown: Any) -> HTMLResponse:
    papers = [paper for paper in here.library.papers() if paper.state != "failed"]
    papers.sort(key=lambda paper: (paper.id not in chosen, paper.name.casefold()))
    here_now = {paper.id for paper in papers}
    answers_by = "Rules on this machine answer, without a language model; nothing is sent anywhere."
    if model := here.library.models_answer:
        name = here.library.settings.model.name
        answers_by = f"{name} answers; it is sent the question and what it looks up in the papers."
    return html(
        "Ask",
        "ask.html",
        answers_by=answers_by,
        chosen=[one for one in chosen if one in here_now],
        papers=papers,
        model=model,
        **shown,
    )


_SHOWN = 100


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation, or a question that belongs to none: then `run` is what it was. `outcome`: in words."""

    id: str
    run: str
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
    rows = [_row(here, here.threads.thread(each.id)) for each in found]
    rows = [*(row for row in rows if row.questions), *islice(_alone(here, q), limit + 1)]
    shown = sorted(rows, key=lambda row: row.when, reverse=True)
    wider = f"/conversations?{urlencode({'q': q, 'limit': limit * 2})}"
    more = wider if max(total, len(shown)) > limit else ""
    removed = [(thread.id, thread.title, since, "") for thread, since in here.threads.removed()]
    return html("Ask", "conversations.html", q=q, rows=shown[:limit], more=more, removed=removed)


def _row(here: ServerContext, thread: Thread) -> ConversationRow:
    id, outcome = thread.id, ""
    if thread.turns:
        last = thread.turns[-1]
        brief = _brief(here.library.folder, last.run) if last.state == "answered" else None
        outcome = brief.outcome if brief else _STATES.get(last.state, last.state)
    return ConversationRow(id, "", thread.title, f"/ask/{id}", thread.updated, len(thread.turns), outcome)


def _alone(here: ServerContext, q: str) -> Iterator[ConversationRow]:
    """Questions of the shell and of programs, which belong to no conversation, the latest first."""
    known = here.threads.runs()
    for path in reversed(runs.files(here.library.folder)):
        brief = None if path.stem in known else _brief(here.library.folder, path.stem)
        if brief and says(brief.question, q):
            address = f"/runs/{path.stem}"
            yield ConversationRow("", path.stem, brief.question, address, brief.started, 1, brief.outcome)


class _Brief(NamedTuple):
    question: str
    started: str
    outcome: str


_STATES = {
    "asking": "being answered",
    "answered": "answered",
    "cancelled": "stopped",
    "failed": "failed",
    "interrupted": "interrupted",
}
_OUTCOMES: Mapping[Outcome, str] = {
    "answer": "answered",
    "probable": "probably answered",
    "sentence": "evidence, no sure answer",
    "unspoken": "your papers do not seem to speak of it",
    "unsaid": "the papers do not say it",
    "nothing": "nothing found",
    "failed": "failed",
}


def _brief(folder: Path, run: str) -> _Brief | None:
    """A run in a line; None where there is none that can be read now."""
    try:
        return _read_brief(folder, run)
    except RunError:
        return None


@lru_cache(20_000)  # a run never changes; to search all of them reads each once
def _read_brief(folder: Path, run: str) -> _Brief:
    read = runs.read(folder / "runs" / f"{run}.jsonl", brief=True)
    outcome = "probable" if read.answer.probability else outcome_of(read)
    return _Brief(read.question.text, read.started, _OUTCOMES[outcome])
