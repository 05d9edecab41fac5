"""Papers by year, author and key word: what `--year`, `--author` and `--tag` of a question restrict it to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quire.errors import PaperNotFound, QueryError

if TYPE_CHECKING:
    from quire.library.library import Library

_YEARS = re.compile(r"(\d{4})?(?:(-)(\d{4})?)?")


@dataclass(frozen=True, slots=True)
class Selection:
    """What papers must be: of a year (2020, 2018-2021, 2018-, -2021), by all authors, with all tags."""

    year: str = ""
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.year or self.authors or self.tags)


def select(library: Library, selection: Selection, named: Sequence[str] = ()) -> tuple[str, ...]:
    """Ids of the papers that fit (among those named, if any).

    Raises:
        QueryError: the year is none.
        PaperNotFound: none fits, or a name means no paper.
    """
    first, last = years(selection.year)
    among = {library.paper(name).id for name in named}
    tags = library.tags() if selection.tags else {}
    found = tuple(
        paper.id
        for paper in library.papers()
        if paper.state != "failed"
        and (not named or paper.id in among)
        and (not selection.year or first <= (paper.year or -1) <= last)
        and all(any(_in(name, author) for author in paper.authors) for name in selection.authors)
        and all(any(_in(tag, each) for each in tags.get(paper.id, ())) for tag in selection.tags)
    )
    if not found:
        raise PaperNotFound("No paper fits these filters.", hint="`quire status` lists papers and years.")
    return found


def years(text: str) -> tuple[int, int]:
    """The first and the last year that a text means.

    Raises:
        QueryError: it means none.
    """
    match = _YEARS.fullmatch(text.strip())
    if match is None or (text and not (match[1] or match[3])):
        raise QueryError(f"`{text[:40]}` is no year.", hint="Write 2020, 2018-2021, 2018- or -2021.")
    first = int(match[1]) if match[1] else 0
    last = int(match[3]) if match[3] else (9999 if match[2] else first)
    return first, last


def _in(wanted: str, text: str) -> bool:
    """Whether all words of `wanted` are among those of `text`."""
    return set(wanted.casefold().split()) <= set(re.findall(r"[^\W_]+(?:[-'.][^\W_]+)*", text.casefold()))
