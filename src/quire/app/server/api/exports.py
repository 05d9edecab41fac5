"""Answers and conversations to be taken elsewhere, with their citations."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from quire.app import exporting, word
from quire.app.citing import Style, Work, work_of
from quire.app.run_view import RunView, view_of
from quire.app.server.api.routes import routes
from quire.app.server.context import ServerContext, ToRead
from quire.ask import runs
from quire.errors import PaperNotFound, RunError
from quire.library.citing import bibliography

router = routes("exports")

Form = Literal["text", "md", "html", "docx", "bib"]
_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@router.get("/runs/{run}/export", response_class=Response)
def answer(
    here: ToRead,
    run: str,
    form: Annotated[Form, Query(description="As plain words, Markdown, a page, for Word, or BibTeX.")] = "md",
    style: Style = "apa",
) -> Response:
    """One answer with citations, and the papers that it cites."""
    view = view_of(here.library, runs.load(here.library.folder, run))
    return _exported(here, [view], form, style, "")


@router.get("/threads/{thread}/export", response_class=Response)
def conversation(
    here: ToRead,
    thread: str,
    form: Annotated[Form, Query(description="As plain words, Markdown, a page, for Word, or BibTeX.")] = "md",
    style: Style = "apa",
) -> Response:
    """A conversation: its questions and answers with citations, and the papers that they cite."""
    found, views = here.threads.thread(thread), list[RunView]()
    for turn in found.turns:
        with suppress(RunError):  # a run that was deleted
            views += [view_of(here.library, runs.load(here.library.folder, turn.run))] if turn.run else []
    return _exported(here, views, form, style, found.title)


def _exported(
    here: ServerContext, views: Sequence[RunView], form: Form, style: Style, title: str
) -> Response:
    works = _works(here, views)
    if form == "bib":
        cited = here.library.cited(list(works)).values() if works else ()
        return _file(bibliography(cited, "bibtex"), "bib", "application/x-bibtex")
    if form == "text":
        return _file(
            "\n\n".join(exporting.as_text(view, works, style) for view in views), "txt", "text/plain"
        )
    text = exporting.as_markdown(views, works, style, title)
    if form == "md":
        return _file(text, "md", "text/markdown")
    if form == "html":
        return _file(exporting.as_page(title or "quire", text), "html", "text/html")
    return _file(word.document(text), "docx", _WORD)


def _works(here: ServerContext, views: Sequence[RunView]) -> dict[str, Work]:
    """The papers of the evidence that are still here, in the order in which they are used."""
    works: dict[str, Work] = {}
    for paper in dict.fromkeys(one.paper for view in views for one in view.evidence):
        with suppress(PaperNotFound):
            works[paper] = work_of(here.library.contents(paper))
    return works


def _file(content: str | bytes, ending: str, kind: str) -> Response:
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    headers = {
        "Content-Disposition": f'attachment; filename="quire.{ending}"',
        "Content-Security-Policy": _POLICY,
    }
    return Response(data, media_type=kind, headers=headers)
