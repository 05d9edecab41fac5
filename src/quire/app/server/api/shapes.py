"""What the REST interface takes and gives: for its OpenAPI document, and for tests that hold it to its word.

Routes take the arguments that they name, and no others, of these lengths.

Most answers are values of quire as they are: their shapes are made of the dataclasses (`shape`). Boxes are
[x0, y0, width, height] in points (1/72 inch) from the top left of the page as it is displayed. Times are ISO
8601, UTC.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, fields
from types import GenericAlias
from typing import Annotated, Any, Literal, get_type_hints

from fastapi import APIRouter, Query, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.responses import Response

from quire import types
from quire.app import run_view
from quire.app.arguments import unknown
from quire.app.server import desk, jobs
from quire.app.server.responses import Refused
from quire.ask.personal import judging
from quire.library import Paper, contents

Limit = Annotated[int, Query(ge=1, le=1000)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]


class _Route(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle, known = super().get_route_handler(), list(_queries(self.dependant))

        async def checked(request: Request) -> Response:
            for name in request.query_params:
                if name not in known:
                    raise Refused(422, "RequestError", unknown(name, known), "See /api/v1/openapi.json.")
            return await handle(request)

        return checked


FILE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


def file(content: str | bytes, name: str, kind: str) -> Response:
    """A file to keep, which may run nothing here."""
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Security-Policy": FILE_POLICY,
    }
    return Response(data, media_type=kind, headers=headers)


def routes(tag: str, prefix: str = "") -> APIRouter:
    """A router of one kind of thing."""
    return APIRouter(prefix=prefix, tags=[tag], route_class=_Route)


def _queries(dependant: Dependant) -> Iterator[str]:
    """What a route and what it depends on take from the address."""
    for field in dependant.query_params:
        kind = field.field_info.annotation
        fields = (
            kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else (field.alias,)
        )
        yield from fields
    for inner in dependant.dependencies:
        yield from _queries(inner)


BoxShape = Annotated[list[float], Field(min_length=4, max_length=4)]


class Shape(BaseModel):
    """A JSON object with these fields and no others."""

    model_config = ConfigDict(extra="forbid")


def made(name: str, doc: str, **hints: Any) -> Any:
    """A shape with these fields; `[X]` is a list of X; a pair of type and default need not be there."""
    described: dict[str, Any] = {
        field: hint
        if isinstance(hint, tuple)
        else (GenericAlias(list, (hint[0],)) if isinstance(hint, list) else hint, ...)
        for field, hint in hints.items()
    }
    return create_model(name, __base__=Shape, __doc__=doc, **described)


def shape(kind: type[Any], *without: str, **more: Any) -> Any:
    """The JSON object of a dataclass: its fields but those in `without`; `more` beside or in their place."""
    hints = get_type_hints(kind, include_extras=True)
    own = {each.name: hints[each.name] for each in fields(kind) if each.name not in without}
    return made(kind.__name__, inspect.getdoc(kind) or "", **own | more)


@dataclass(frozen=True, slots=True)
class PaperState:
    """A paper. `error` says why it failed, `remarks` what could not be read; `old`: a refresh would help."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    file_name: str
    pages: int
    state: Literal["parsed", "encoded", "failed"]
    error: str
    remarks: list[str]
    added: str
    doi: str
    arxiv_id: str
    old: bool
    counts: contents.Counts

    @classmethod
    def of(cls, paper: Paper, counts: contents.Counts | None = None) -> PaperState:
        """A paper of the library, without the server's own paths."""
        same = (each.name for each in fields(cls) if each.name not in ("remarks", "counts"))
        own: dict[str, Any] = {name: getattr(paper, name) for name in same}
        return cls(**own, remarks=list(paper.notes), counts=counts or contents.Counts())


_Paper = shape(PaperState)


Shelved = shape(desk.Shelved)
Papers = made(
    "Papers", "A part of the papers, and how many fit.", papers=[shape(PaperState, shelf=Shelved)], total=int
)
RemovedPaper = made("RemovedPaper", "The paper that was removed.", removed=_Paper)
RemovedPapers = made(
    "RemovedPapers",
    "Papers that were removed, and until when each can be restored.",
    papers=[made("Removed", "A removed paper.", id=str, title=str, file_name=str, removed=str, until=str)],
)
WholePaper = shape(contents.Contents, paper=_Paper)
PageText = made("PageText", "The text of a page in reading order.", text=str)


WordPlace = made(
    "WordPlace",
    "A word; `glued`: no space before it; `line`: the number of its line in the order of the file.",
    text=str,
    box=BoxShape,
    glued=bool,
    line=int,
)
PageLink = made(
    "PageLink",
    "A link of a page: to a `page` (0: none), there to the height `top`, or to the address `url`.",
    box=BoxShape,
    page=int,
    top=float,
    url=str,
)
PageWords = made(
    "PageWords",
    "The words of a page with its links, marks of references among them, and its size in points.",
    page=int,
    width=int,
    height=int,
    words=[WordPlace],
    links=[PageLink],
)
FoundPlace = made(
    "FoundPlace", "A place where the words stand: a box a line.", page=int, boxes=list[BoxShape]
)
FoundPlaces = made("FoundPlaces", "Places in the order of the pages.", places=[FoundPlace], truncated=bool)
Hit = shape(types.Hit, link=str)
Found = made(
    "Found",
    "Passages, best first, each with a `link` to its place; `notes` say what one should know of the search.",
    hits=[Hit],
    notes=list[str],
)
Rows = shape(types.ResultSet, "total")
Run = shape(
    types.Trajectory,
    question=dict[str, Any],
    steps=list[dict[str, Any]],
    answer=shape(types.Answer, evidence=[shape(types.Evidence)]),
    turns=int,
    view=shape(
        run_view.RunView,
        "run",
        evidence=[shape(run_view.EvidenceView)],
        suggested=shape(run_view.Suggestion, evidence=[shape(run_view.EvidenceView)]) | None,
    ),
)

Job = shape(jobs.Job)
Accepted = made("Accepted", "What was asked became a job.", job=Job)
JobList = made("JobList", "Jobs, the newest first.", jobs=[Job])

Thread = shape(desk.Thread)
ThreadList = made(
    "ThreadList", "Conversations without their turns, the latest first.", threads=[Thread], total=int
)
RemovedThreads = made(
    "RemovedThreads", "Conversations with when each was removed.", threads=[shape(desk.Thread, removed=str)]
)

Note = shape(desk.Note)
Notes = made("Notes", "Notes and highlights.", notes=[Note])

Judged = shape(judging.Judged, used=list[str])


class MemoryItem(BaseModel):
    """What is remembered of a judged answer, how often it was judged, and how often it helped or hurt."""

    id: str
    state: str
    retired: str
    question: str
    answer: Any
    kind: str
    author: str
    run: str
    imported: bool
    created: str
    right: int
    wrong: int
    helped: int
    hurt: int


Items = made("Items", "Items of the memory.", items=[MemoryItem])
