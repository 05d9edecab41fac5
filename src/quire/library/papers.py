"""Papers of a library, and which of them a name means.

find(connection, "5fe57755")               # id or a unique beginning of it
find(connection, "attention.pdf")          # file name, with or without its ending
find(connection, "10.1000/xyz")            # DOI or arXiv id
find(connection, "Attention is all")       # title, or words of it that only one title has
select(library, Selection(year="2018-2021", tags=("attention",)))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeVar

import duckdb

from quire import pdf
from quire.errors import PaperNotFound, QueryError
from quire.library import ids, intake
from quire.library.ids import ID
from quire.pdf.scans import OCR_HINT, has_scan
from quire.store.rows import as_tuples

if TYPE_CHECKING:
    from quire.library import Library

T = TypeVar("T")
_PREFIX = re.compile(r"[0-9a-f-]{4,36}")
_LISTED = 6
_SURE = 8  # signs of an id that nobody types by chance
_MANY = 0.5  # share of a library's papers that are scans, from which on every answer without any says so


@dataclass(frozen=True, slots=True)
class Paper:
    """A PDF of the library. State: parsed (found by words and SQL), encoded (by meaning too), failed."""

    id: str
    title: str
    file_name: str
    state: Literal["parsed", "encoded", "failed"]
    pages: int
    year: int | None
    authors: tuple[str, ...]
    doi: str
    arxiv_id: str
    added: datetime  # UTC
    source_path: str
    sha256: str
    error: str
    notes: tuple[str, ...]
    parser: str  # which parser, and its version

    @property
    def old(self) -> bool:
        """Whether an older parser parsed it; `refresh` parses it again."""
        return self.state != "failed" and pdf.outdated(self.parser)

    @property
    def scanned(self) -> bool:
        """Whether pages of it are pictures of text that was not read."""
        return has_scan(self.notes)

    @property
    def name(self) -> str:
        """What to call it: its title, else its file name."""
        return self.title or self.file_name


def listed(connection: duckdb.DuckDBPyConnection, only: str | None = None) -> list[Paper]:
    """All papers (or the one of that id), failed ones too, in the order in which they were added."""
    found = connection.execute(
        """SELECT p.paper_id::VARCHAR, p.title, p.file_name, p.state, coalesce(m.num_pages, 0), m.pub_year,
                  coalesce(m.authors, []), p.doi, p.arxiv_id, p.added, p.source_path, p.sha256, p.error,
                  p.notes, p.parser
           FROM papers p LEFT JOIN metadata m USING (paper_id)
           WHERE $1::UUID IS NULL OR p.paper_id = $1::UUID ORDER BY p.added, p.file_name""",
        [only],
    ).fetchall()
    return [Paper(*as_tuples(row)) for row in found]


def find(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    *,
    whole: bool = False,
    failed: bool = False,
    gone: Callable[[str], str] = lambda name: "",
) -> Paper:
    """The paper that a name means; failed ones have no content and answer only if they are asked for.

    They do so to their id, file name and path. `whole`: a part of a title or file name, or less than 8 signs
    of an id, is no name. `gone` tells what to do about a paper of that name that is there no more.

    Raises:
        PaperNotFound: none, or several; the message names what was probably meant.
    """
    asked = name.strip()
    if ID.fullmatch(asked.lower()):
        for paper in listed(connection, asked):
            if paper.state != "failed":
                return paper
    everything = listed(connection)
    papers = [paper for paper in everything if paper.state != "failed"]
    unread = [p for p in everything if p.state == "failed" and asked in (p.id, p.file_name, p.source_path)]
    if failed and len(unread) == 1:
        return unread[0]
    fitting = _fitting(papers, asked, intake.named(connection, asked), whole)
    if found := one_of(fitting, asked, lambda p: f"{p.id[:8]} {p.file_name} ({p.title[:60]})"):
        return found
    for paper in unread:
        raise PaperNotFound(f"{paper.file_name} could not be read. {paper.error}", hint="See `quire retry`.")
    raise PaperNotFound(f"No paper is named `{asked[:200]}`.", hint=gone(asked) or _nearest(asked, papers))


def _fitting(papers: list[Paper], asked: str, of_file: Set[str], whole: bool) -> Iterator[list[Paper]]:
    """The papers that a name may mean, the surest meaning first."""
    lowered, key = asked.lower(), ids.title_key(asked)
    doi = re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", lowered)
    stems = {p.id: p.file_name.rpartition(".")[0] for p in papers}
    yield [p for p in papers if p.id == lowered]
    yield [p for p in papers if p.id in of_file or asked in (p.file_name, stems[p.id], p.source_path)]
    yield [p for p in papers if p.doi and p.doi == doi]
    yield [p for p in papers if p.arxiv_id and p.arxiv_id.lower() == lowered.removeprefix("arxiv:")]
    if _PREFIX.fullmatch(lowered) and (not whole or len(lowered) >= _SURE):
        yield [p for p in papers if p.id.startswith(lowered)]
    yield [p for p in papers if p.title.lower() == lowered or (key and ids.title_key(p.title) == key)]
    if lowered and not whole:
        yield [p for p in papers if lowered in p.title.lower()]
        yield [p for p in papers if lowered in p.file_name.lower()]


def one_of(
    fitting: Iterable[Sequence[T]], asked: str, told: Callable[[T], str], what: str = "papers"
) -> T | None:
    """The only one of the first that fit; None where none do.

    Raises:
        PaperNotFound: there are several, each of which is `told`.
    """
    found = next(filter(None, fitting), ())
    if len(found) > 1:
        listing = "; ".join(map(told, found[:_LISTED]))
        raise PaperNotFound(
            f"{len(found)} {what} are named `{asked[:200]}`: {listing}.", hint="Use an id, or its beginning."
        )
    return found[0] if found else None


def several(names: str | Iterable[str]) -> list[str]:
    """Names of papers; a text alone is one name, not a name a letter."""
    return [names] if isinstance(names, str) else list(names)


def unread_scans(connection: duckdb.DuckDBPyConnection, only: Sequence[str]) -> str:
    """What the user should know of scans among some papers (ids; all for none); "" if there is nothing.

    A few scans among many papers are told by the status, and where they are asked about.
    """
    asked = [paper for paper in listed(connection) if not only or paper.id in only]
    scans = [paper for paper in asked if paper.scanned]
    if not scans or (not only and len(scans) < _MANY * len(asked)):
        return ""
    which = ", ".join(paper.file_name for paper in scans[:_LISTED]) + (" ..." if scans[_LISTED:] else "")
    return f"Not read, because scanned: pages of {which}. {OCR_HINT}"


def _nearest(name: str, papers: list[Paper]) -> str:
    from rapidfuzz import fuzz, process

    if not papers:
        return "The library has no papers; `quire add PATH` adds some."
    names = {text: p for p in papers for text in (p.title, p.file_name) if text}
    near = process.extract(name, list(names), scorer=fuzz.WRatio, limit=3, score_cutoff=60)
    guess = "; ".join(
        dict.fromkeys(f"{names[text].file_name} ({names[text].title[:60]})" for text, _, _ in near)
    )
    return f"Did you mean {guess}?" if guess else "`quire status` lists them."


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
