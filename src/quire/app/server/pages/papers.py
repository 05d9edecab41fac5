"""The library as pages: its list with filters, a paper with all it consists of, and a page with boxes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse

from quire.app.links import box_of
from quire.app.server.api.papers import Sort, State, selected
from quire.app.server.context import ToRead
from quire.app.server.desk import Desk, Shelved
from quire.app.server.pages.rendering import html, views
from quire.build import Library
from quire.errors import PaperNotFound, QueryError
from quire.library import Paper, ids
from quire.library.contents import Contents, PageSize
from quire.library.papers import years
from quire.types import Box

_OFFERED = 100  # values of a filter


Words = Annotated[str, Field(max_length=500)]


class ShelfQuery(BaseModel):
    """What papers must be; empty: anything. `year` is 2020, 2018-2021, 2018- or -2021. How they are shown."""

    q: Words = ""
    state: State | Literal[""] = ""
    year: Words = ""
    author: Words = ""
    journal: Words = ""
    keyword: Words = ""
    tag: Words = ""
    collection: Words = ""
    starred: bool = False
    unread: bool = False
    sort: Sort = "-added"
    limit: Annotated[int, Field(ge=1, le=100_000)] = 60  # more are asked for

    @property
    def filters(self) -> int:
        """How many of those that fold away are set."""
        parts = (self.year, self.author, self.journal, self.keyword, self.tag, self.collection)
        return sum(map(bool, parts)) + self.starred + self.unread


class Shelf:
    """A library's papers with what was made of them, at one moment."""

    def __init__(self, library: Library, desk: Desk) -> None:
        self._library = library
        self.every = library.papers()
        self.own = desk.shelf()

    def shelved(self, paper: str) -> Shelved:
        """What somebody made of a paper."""
        return self.own.get(paper, Shelved())

    def chosen(self, wanted: ShelfQuery) -> list[Paper]:
        """The papers that fit, in that order; none for a year that is none."""
        found = selected(self.every, wanted.q, wanted.sort, wanted.state or None)
        if not wanted.filters:
            return found
        try:
            first, last = years(wanted.year)
        except QueryError:
            return []
        author = wanted.author.casefold().split()
        return [
            paper
            for paper in found
            if (not wanted.year or first <= (paper.year or -1) <= last)
            and all(word in " ".join(paper.authors).casefold() for word in author)
            and wanted.journal in ("", self._venues.get(paper.id, ""))
            and (not wanted.keyword or wanted.keyword in self._keywords.get(paper.id, ()))
            and (not wanted.tag or wanted.tag in self.shelved(paper.id).tags)
            and (not wanted.collection or wanted.collection in self.shelved(paper.id).collections)
            and (not wanted.starred or self.shelved(paper.id).starred)
            and not (wanted.unread and self.shelved(paper.id).read)
        ]

    def choices(self) -> dict[str, list[tuple[str, int]]]:
        """What each filter can be set to, the most frequent first, with the number of papers."""
        return {
            "journal": _counted(filter(None, self._venues.values())),
            "keyword": _counted(each for tags in self._keywords.values() for each in tags),
            "tag": _counted(each for own in self.own.values() for each in own.tags),
            "collection": _counted(each for own in self.own.values() for each in own.collections),
        }

    def twins(self, paper: Paper) -> list[Paper]:
        """The others of the same DOI, arXiv number or title: two files that are one work."""
        same = {each.id: each for key in _work_keys(paper) for each in self._works[key]}
        return [each for each in same.values() if each.id != paper.id]

    @cached_property
    def _works(self) -> dict[str, list[Paper]]:
        works: dict[str, list[Paper]] = defaultdict(list)
        for paper in self.every:
            for key in _work_keys(paper):
                works[key].append(paper)
        return works

    @cached_property
    def _venues(self) -> dict[str, str]:
        return self._library.venues()

    @cached_property
    def _keywords(self) -> dict[str, tuple[str, ...]]:
        return self._library.tags()


def _work_keys(paper: Paper) -> list[str]:
    """What the work of a paper is known by; nothing of one that could not be read."""
    if paper.state == "failed":
        return []
    return [key for key in (paper.doi, paper.arxiv_id, ids.title_key(paper.title)) if key]


def _counted(values: Iterable[str]) -> list[tuple[str, int]]:
    return Counter(values).most_common(_OFFERED)


router = views()

_HITS = 8
_NOTES = 5
_EDITED = {
    "title": "Title", "authors": "Authors, with semicolons between them", "pub_year": "Year",
    "conference_full": "Journal or conference", "volume": "Volume", "issue": "Issue",
    "first_page": "First page, or article number", "last_page": "Last page", "doi": "DOI",
    "keywords": "Key words, with semicolons between them", "abstract": "Abstract",
}  # fmt: skip
"""What can be corrected on a paper's page, and how it is called there."""
_WORDS = 60  # of a passage
_SORTS: tuple[tuple[Sort, str], ...] = (
    ("-added", "Newest first"),
    ("added", "Oldest first"),
    ("title", "By title"),
    ("authors", "By author"),
    ("-year", "By year, latest first"),
    ("year", "By year, earliest first"),
)


@router.get("/")
def library(here: ToRead, wanted: Annotated[ShelfQuery, Query()]) -> HTMLResponse:
    """All papers, or those that were searched for."""
    shelf = Shelf(here.library, here.desk)
    found = shelf.chosen(wanted)
    asked = {name: value for name, value in wanted.model_dump().items() if value}
    return html(
        "Library",
        "library.html",
        papers=found[: wanted.limit],
        shelf=shelf,
        choices=shelf.choices(),
        matching=len(found),
        total=len(shelf.every),
        pages=sum(paper.pages for paper in shelf.every),
        wanted=wanted,
        sort=wanted.sort,
        sorts=_SORTS,
        removed=here.library.removed(),
        more=f"/?{urlencode(asked | {'limit': wanted.limit * 2})}",
    )


@router.get("/search")
async def search(here: ToRead, request: Request, q: Words = "") -> HTMLResponse:
    """Passages that speak of the words."""
    search = partial(here.library.search, q, limit=_HITS, words=_WORDS)
    try:
        hits = await here.searches.run(request, search) if q.strip() else None
    except QueryError:  # signs alone, nothing to look for
        hits = None
    own = here.desk.notes(q=q, limit=_NOTES) if q.strip() else []
    told = hits.notes if hits else ()
    return html("Library", "passages.html", q=q, hits=hits or [], notes=told, own=own)


@router.get("/papers/{paper}")
def paper(here: ToRead, paper: str) -> HTMLResponse:
    """Outline, tables, figures, references, BibTeX."""
    found = here.library.contents(paper)
    id = found.paper.id
    shelf = Shelf(here.library, here.desk)
    return html(
        "Library",
        "paper.html",
        contents=found,
        paper=found.paper,
        own=shelf.shelved(id),
        choices=shelf.choices(),
        twins=shelf.twins(found.paper),
        noted=here.desk.notes(id),
        told=sorted(
            (one for one in here.library.told(id) if one.field in _EDITED),
            key=lambda one: list(_EDITED).index(one.field),
        ),
        labels=_EDITED,
        questions=here.library.suggested_questions(id),
        model=here.library.models_answer,
    )


_MOST_BOXES = 50


@dataclass(frozen=True, slots=True)
class Sheet:
    """A paper as the reader shows it: open at `page`, with boxes marked there, in points."""

    paper: str
    title: str
    page: int
    pages: tuple[PageSize, ...]
    boxes: tuple[Box, ...]


@router.get("/read/{paper}/{page}")
def read(here: ToRead, paper: str, page: int, box: Annotated[Sequence[str], Query()] = ()) -> HTMLResponse:
    """The paper, open at a page, with the boxes marked."""
    return html("", "read.html", sheet=sheet(here.library.contents(paper), page, box))


def sheet(contents: Contents, page: int, boxes: Sequence[str]) -> Sheet:
    """What the reader shows; a box that is none marks nothing.

    Raises:
        PaperNotFound: the paper has no such page.
    """
    paper = contents.paper
    if page not in {each.number for each in contents.pages}:
        raise PaperNotFound(f"{paper.name} has no page {page}.", hint=f"It has {paper.pages} pages.")
    found = [box_of(text) for text in boxes[:_MOST_BOXES]]
    marked = tuple(box for box in found if box is not None)
    return Sheet(paper.id, paper.name, page, contents.pages, marked)
