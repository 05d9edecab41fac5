"""Asking: the run as JSON or as events; stored runs, verdicts and what they taught; answers to take away."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Header, Query, Request
from pydantic import Field
from starlette.responses import Response

from quire.app import exporting
from quire.app.arguments import Body, PaperName
from quire.app.exporting import Citing
from quire.app.finding import place_of
from quire.app.markdown import to_html, to_word
from quire.app.memory_view import counts_of, item_of
from quire.app.run_view import RunView, document, view_of
from quire.app.server.api import shapes
from quire.app.server.api.shapes import Limit, Offset, routes
from quire.app.server.asks import AskBody, Asking
from quire.app.server.context import ServerContext, ToAsk, ToRead, ToWrite
from quire.app.server.pages.rendering import render
from quire.app.server.responses import PING_LINE, Json, Refused, event, stream
from quire.ask import runs
from quire.ask.personal.judging import taken, user_name
from quire.errors import RunError
from quire.jsontext import plain
from quire.library.citing import bibliography
from quire.memory.items import JudgedAnswer
from quire.types import LONGEST_QUESTION

ask_router = routes("ask")


@ask_router.post("/ask", response_model=shapes.Run)
async def ask(here: ToAsk, request: Request, body: AskBody) -> Response:
    """Answer with evidence on the page, or abstain.

    With `Accept: text/event-stream` the events `asked`, `step`, `text` (of a thought or an answer, as a
    model writes it), `answer` or `error`, and `done` as they come.
    """
    asking = here.asks.start(body)
    if "text/event-stream" in request.headers.get("accept", ""):
        return stream(_asked(asking))
    await asking.wait(request.is_disconnected)
    if asking.error is not None:
        raise asking.error
    if asking.view is None:
        raise Refused(409, "Cancelled", "The question was stopped.")
    return Json(document(asking.view))


@ask_router.get("/asks/{ask_id}/events")
async def follow(
    here: ToRead,
    ask_id: str,
    after: Annotated[int, Query(ge=0)] = 0,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """The events of a question again, for who comes back; those after number `after`."""
    if last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) < 9:
        after = max(after, int(last_event_id))
    return stream(_events(here.asks.asking(ask_id), after))


@ask_router.post("/asks/{ask_id}/cancel")
def cancel(here: ToAsk, ask_id: str) -> Response:
    """Stop a question, wherever it is; what came is kept."""
    asking = here.asks.asking(ask_id)
    asking.cancel()
    return Json({"id": asking.id, "cancelled": True})


async def _asked(asking: Asking) -> AsyncGenerator[bytes]:
    """Its events; where no thread keeps it for who comes back, it ends when its reader leaves."""
    try:
        async for told in _events(asking):
            yield told
    finally:
        if not asking.asked.thread:
            asking.cancel()


async def _events(asking: Asking, after: int = 0) -> AsyncGenerator[bytes]:
    if not after:
        yield event("asked", {"id": asking.id, "question": asking.asked.question})
    async for told in asking.follow(after):
        if told is None:
            yield PING_LINE
        else:
            number, kind, data = told
            yield event(kind, data, number)


run_router = routes("runs", "/runs")


@run_router.get("")
def listed(here: ToRead, limit: Limit = 50, offset: Offset = 0) -> Response:
    """The stored runs, the latest first."""
    folder = here.library.folder
    return Json({"runs": runs.listed(folder, limit, offset), "total": runs.count(folder)})


@run_router.get("/{run}", response_model=shapes.Run)
def shown(here: ToRead, run: str) -> Response:
    """A run with all its steps, and as it is shown."""
    return Json(document(view_of(here.library, runs.load(here.library.folder, run))))


class VerdictBody(Body):
    """What the answer was; `answer` is the right one where it was wrong.

    `evidence` is the number (from 1) of the piece that answers where nothing was sure; `unanswerable` says
    that the papers do not answer it, `suggested` that the past answer shown beside it does. `highlight` is
    the id of a note or highlight whose words answer it, or are where `answer` stands; a `paper` with a
    `quote` of it names such a place, too (`page` 0: the first that says it).
    """

    label: Literal["right", "wrong"]
    answer: Any = None
    evidence: Annotated[int, Field(ge=0, le=1000)] = 0
    unanswerable: bool = False
    suggested: bool = False
    highlight: Annotated[str, Field(max_length=100)] = ""
    paper: PaperName = ""
    page: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    quote: Annotated[str, Field(max_length=10_000)] = ""
    note: Annotated[str, Field(max_length=10_000)] = ""


@run_router.post("/{run}/verdict", response_model=shapes.Judged)
def verdict(here: ToAsk, request: Request, run: str, body: VerdictBody) -> Response:
    """Judge an answer, so that later questions profit from it; gives what was learned."""
    found = runs.load(here.library.folder, run)
    author = request.state.caller.name or user_name()
    place = place_of(here.library, body.paper, body.page, body.quote)
    place = here.desk.note(body.highlight).place if body.highlight else place
    told = body.model_dump(exclude={"highlight", "paper", "page", "quote"})
    try:
        judged = here.library.verdict(run=found.run_id, author=author, place=place, **told)
    except RunError as error:
        raise Refused(409, "RunError", error.message, error.hint) from error
    return Json({**plain(judged), "used": list(taken(found))})


memory_router = routes("memory", "/memory")


@memory_router.get("", name="listed", response_model=shapes.Items)
def remembered(
    here: ToRead,
    q: Annotated[
        str, Query(max_length=LONGEST_QUESTION, description="A question; the most similar come first.")
    ] = "",
    limit: Limit = 100,
) -> Response:
    """The items, the newest first, or the most similar to a question."""
    memory = here.library.memory
    items = memory.similar(q, limit) if q.strip() else memory.verdicts.listed()[:limit]
    return Json({"items": [_item(here, item) for item in items]})


@memory_router.get("/stats")
def stats(here: ToRead) -> Response:
    """Counts of items, verdicts, and answers that items took part in; the learning curve."""
    memory = here.library.memory
    return Json({**counts_of(memory), "curve": memory.curve()})


@memory_router.get("/export", response_class=Response)
def export(here: ToRead) -> Response:
    """All right items in use, one JSON object a line."""
    lines = "".join(f"{line}\n" for line in here.library.memory.verdicts.export_lines())
    return shapes.file(lines, "memory.jsonl", "application/jsonl")


@memory_router.get("/forgotten")
def forgotten(here: ToRead) -> Response:
    """What was forgotten within 30 days, the latest first."""
    return Json({"items": here.library.memory.forgotten()})


@memory_router.get("/{item}", name="shown", response_model=shapes.MemoryItem)
def shown_item(here: ToRead, item: str) -> Response:
    """One item: what it says, what it rests on, how often it helped or hurt."""
    found = here.library.memory.named(item)
    more = {"evidence": found.evidence, "actions": found.actions, "papers": found.papers}
    return Json({**_item(here, found), **more})


@memory_router.delete("/{item}")
def forget(here: ToWrite, item: str, for_good: bool = False) -> Response:
    """Forget an item; for 30 days it can be taken back, unless it is for good. No import brings it back."""
    memory = here.library.memory
    there = for_good and item in {one.id for one in memory.forgotten()}
    id = item if there else memory.named(item).id
    memory.forget([id], for_good=for_good)
    return Json({"forgotten": id})


@memory_router.post("/{item}/restore", name="restore")
def take_back(here: ToWrite, item: str) -> Response:
    """Remember again what was forgotten."""
    return Json({"restored": here.library.memory.take_back(item).id})


def _item(here: ServerContext, item: JudgedAnswer) -> dict[str, Any]:
    more = {"retired": item.retired, "run": item.run, "imported": bool(item.origin)}
    return item_of(here.library.memory, item).document(**more)


export_router = routes("exports")

Form = Annotated[
    Literal["text", "md", "html", "docx", "bib"],
    Query(description="As plain words, Markdown, a page, for Word, or BibTeX."),
]
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@export_router.get("/runs/{run}/export", response_class=Response)
def answer(here: ToRead, run: str, form: Form = "md", style: Citing = "apa") -> Response:
    """One answer with citations, and the papers that it cites."""
    view = view_of(here.library, runs.load(here.library.folder, run))
    return _exported(here, [view], form, style, "")


@export_router.get("/threads/{thread}/export", response_class=Response)
def conversation(here: ToRead, thread: str, form: Form = "md", style: Citing = "apa") -> Response:
    """A conversation: its questions and answers with citations, and the papers that they cite."""
    found, views = here.threads.thread(thread), list[RunView]()
    for turn in found.turns:
        with suppress(RunError):  # a run that was deleted
            views += [view_of(here.library, runs.load(here.library.folder, turn.run))] if turn.run else []
    return _exported(here, views, form, style, found.title)


def _exported(
    here: ServerContext, views: Sequence[RunView], form: Form, style: Citing, title: str
) -> Response:
    papers = list(dict.fromkeys(one.paper for view in views for one in view.evidence))
    cited = here.library.cited(papers) if papers else {}  # without those that were removed meanwhile
    if form == "bib":
        return shapes.file(bibliography(cited.values(), "bibtex"), "quire.bib", "application/x-bibtex")
    works = {
        id: replace(each, said=replace(each.said, title=here.library.paper(id).name))
        for id, each in cited.items()
    }
    if form == "text":
        told = "\n\n".join(exporting.as_text(view, works, style) for view in views)
        return shapes.file(told, "quire.txt", "text/plain")
    text = exporting.as_markdown(views, works, style, title)
    if form == "md":
        return shapes.file(text, "quire.md", "text/markdown")
    if form == "html":
        page = render("exported.html", title=title or "quire", told=to_html(text, lowered=0))
        return shapes.file(page + "\n", "quire.html", "text/html")
    return shapes.file(to_word(text), "quire.docx", _WORD)
