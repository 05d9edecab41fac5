"""Which papers a list shows: found by words, year, author, journal, key word, tag, collection.

shelf = Shelf(library, desk)
shelf.chosen(Wanted(q="boats", year="2018-", starred=True), "-added")
shelf.twins()["5fe5..."]       # other papers that are the same work
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from quire.app.server.api.papers import Sort, State, selected
from quire.app.server.desk import Desk, Shelved
from quire.build import Library
from quire.errors import QueryError
from quire.library import Paper, ids
from quire.library.selecting import years

_OFFERED = 100  # values of a filter


@dataclass(frozen=True, slots=True)
class ShelfFilter:
    """What papers must be; empty: anything. `year` is 2020, 2018-2021, 2018- or -2021."""

    q: str = ""
    state: State | None = None
    year: str = ""
    author: str = ""
    journal: str = ""
    keyword: str = ""
    tag: str = ""
    collection: str = ""
    starred: bool = False
    unread: bool = False

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

    def chosen(self, wanted: ShelfFilter, sort: Sort) -> list[Paper]:
        """The papers that fit, in that order; none for a year that is none."""
        found = selected(self.every, wanted.q, sort, wanted.state)
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
            and self._own_fits(wanted, self.shelved(paper.id))
        ]

    @staticmethod
    def _own_fits(wanted: ShelfFilter, own: Shelved) -> bool:
        return (
            (not wanted.tag or wanted.tag in own.tags)
            and (not wanted.collection or wanted.collection in own.collections)
            and (not wanted.starred or own.starred)
            and not (wanted.unread and own.read)
        )

    def choices(self) -> dict[str, list[tuple[str, int]]]:
        """What each filter can be set to, the most frequent first, with the number of papers."""
        return {
            "journal": _counted(filter(None, self._venues.values())),
            "keyword": _counted(each for tags in self._keywords.values() for each in tags),
            "tag": _counted(each for own in self.own.values() for each in own.tags),
            "collection": _counted(each for own in self.own.values() for each in own.collections),
        }

    def twins(self) -> dict[str, list[Paper]]:
        """Of each paper the others of the same DOI, arXiv number or title: two files that are one work."""
        works: dict[str, dict[str, Paper]] = {}
        for paper in self.every:
            for key in (paper.doi, paper.arxiv_id, ids.title_key(paper.title)):
                if key and paper.state != "failed":
                    works.setdefault(key, {})[paper.id] = paper
        found: dict[str, dict[str, Paper]] = {}
        for same in works.values():
            for id in same if len(same) > 1 else ():
                found.setdefault(id, {}).update((other, each) for other, each in same.items() if other != id)
        return {id: list(others.values()) for id, others in found.items()}

    @cached_property
    def _venues(self) -> dict[str, str]:
        return self._library.venues()

    @cached_property
    def _keywords(self) -> dict[str, tuple[str, ...]]:
        return self._library.tags()


def _counted(values: Iterable[str]) -> list[tuple[str, int]]:
    return Counter(values).most_common(_OFFERED)
