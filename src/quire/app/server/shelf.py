"""The papers of a library with what was made of them, filtered and sorted as the page and the routes ask.

shelf = Shelf(library, desk)
shelf.chosen(PaperFilter(year="2018-", tag="thesis", sort="title"))
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from quire.app.finding import says
from quire.app.server.desk import Desk, Shelved
from quire.build import Library
from quire.library import Paper, ids
from quire.library.papers import years

State = Literal["parsed", "encoded", "failed"]
Sort = Literal["added", "-added", "title", "-title", "year", "-year", "authors", "-authors"]
_OFFERED = 100  # values of a filter


Words = Annotated[str, Field(max_length=500)]


class PaperFilter(BaseModel):
    """What papers must be; empty: anything. `q`: words of title, authors or file name.

    A `journal` that has no paper by that very name means those whose names have all of its words.
    """

    q: Words = ""
    state: State | Literal[""] = ""
    year: Annotated[Words, Field(description="2020, 2018-2021, 2018- or -2021.")] = ""
    author: Words = ""
    journal: Words = ""
    keyword: Words = ""
    tag: Words = ""
    collection: Words = ""
    starred: bool = False
    unread: bool = False
    sort: Sort = "-added"

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

    def chosen(self, wanted: PaperFilter) -> list[Paper]:
        """The papers that fit, in that order.

        Raises:
            QueryError: the year is none.
        """
        found = [
            paper
            for paper in self.every
            if wanted.state in ("", paper.state) and says(_searched(paper), wanted.q)
        ]
        by, downwards = wanted.sort.lstrip("-"), wanted.sort.startswith("-")
        found.sort(key=lambda paper: _key(paper, by), reverse=downwards)
        if not wanted.filters:
            return found
        first, last = years(wanted.year)
        return [
            paper
            for paper in found
            if (not wanted.year or first <= (paper.year or -1) <= last)
            and says(" ".join(paper.authors), wanted.author)
            and (not wanted.journal or self._appeared(paper, wanted.journal))
            and (not wanted.keyword or wanted.keyword in self._keywords.get(paper.id, ()))
            and (not wanted.tag or wanted.tag in self.shelved(paper.id).tags)
            and (not wanted.collection or wanted.collection in self.shelved(paper.id).collections)
            and (not wanted.starred or self.shelved(paper.id).starred)
            and not (wanted.unread and self.shelved(paper.id).read)
        ]

    def _appeared(self, paper: Paper, journal: str) -> bool:
        venue = self._venues.get(paper.id, "")
        return venue == journal if journal in self._venues.values() else says(venue, journal)

    def choices(self) -> dict[str, list[tuple[str, int]]]:
        """What each filter can be set to, the most frequent first, with the number of papers."""
        return {
            "journal": _counted(filter(None, self._venues.values())),
            "keyword": _counted(each for tags in self._keywords.values() for each in tags),
            "tag": _counted(each for own in self.own.values() for each in own.tags),
            "collection": _counted(each for own in self.own.values() for each in own.collections),
        }

    def twins(self, paper: Paper) -> list[tuple[Paper, str]]:
        """The others of the same DOI, arXiv number or title, with what that says of them.

        Two files of one number are one work; of one title they may be chapters of one book.
        """
        numbered = {number for number in (paper.doi, paper.arxiv_id) if number}
        same = {each.id: each for key in _work_keys(paper) for each in self._works[key]}
        return [
            (each, "The same paper as" if numbered & {each.doi, each.arxiv_id} else "Called the same as")
            for each in same.values()
            if each.id != paper.id
        ]

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


def _searched(paper: Paper) -> str:
    return " ".join((paper.title, *paper.authors, paper.file_name, str(paper.year or "")))


def _key(paper: Paper, sort: str) -> tuple[Any, ...]:
    """What to sort by; what is not known comes before all."""
    by: dict[str, Any] = {
        "added": paper.added,
        "title": paper.name.lower(),
        "year": paper.year or 0,
        "authors": tuple(name.lower() for name in paper.authors),
    }
    return (by[sort], paper.added, paper.id)
