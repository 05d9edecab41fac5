"""What the REST interface gives, described: for the OpenAPI document, and for tests that hold it to its word.

Most answers are values of quire as they are: their shapes are made of the dataclasses (`shape`). Boxes are
[x0, y0, width, height] in points (1/72 inch) from the top left of the page as it is displayed. Times are ISO
8601, UTC.
"""

from __future__ import annotations

import inspect
from dataclasses import fields
from types import GenericAlias
from typing import Annotated, Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from quire import types
from quire.app import run_view
from quire.app.server import desk, jobs, threads
from quire.ask.personal import judging
from quire.library import contents

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


class PaperState(Shape):
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


class Papers(Shape):
    """A part of the papers, and how many fit."""

    papers: list[PaperState]
    total: int


class RemovedPaper(Shape):
    """The paper that was removed."""

    removed: PaperState


WholePaper = shape(contents.Contents, paper=PaperState)


class PageText(Shape):
    """The text of a page in reading order."""

    text: str


class WordPlace(Shape):
    """A word; `glued`: no space before it; `line`: the number of its line in the order of the file."""

    text: str
    box: BoxShape
    glued: bool
    line: int


class PageLink(Shape):
    """A link of a page: to a `page` (0: none), there to the height `top`, or to the address `url`."""

    box: BoxShape
    page: int
    top: float
    url: str


class PageWords(Shape):
    """The words of a page with its links, marks of references among them, and its size in points."""

    page: int
    width: int
    height: int
    words: list[WordPlace]
    links: list[PageLink]


class FoundPlace(Shape):
    """A place where the words stand: a box a line."""

    page: int
    boxes: list[BoxShape]


class FoundPlaces(Shape):
    """Places in the order of the pages."""

    places: list[FoundPlace]
    truncated: bool


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

Thread = shape(threads.Thread)
ThreadList = made(
    "ThreadList", "Conversations without their turns, the latest first.", threads=[Thread], total=int
)

Note = shape(desk.Note)
Notes = made("Notes", "Notes and highlights.", notes=[Note])
Shelved = shape(desk.Shelved)

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


class Items(Shape):
    """Items of the memory."""

    items: list[MemoryItem]
