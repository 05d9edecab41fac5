"""What a paper says of itself: title, authors, abstract, and what else its first pages print, with places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from quire.pdf.front.abstract import abstract_part, find_abstract
from quire.pdf.front.authors import find_authors, is_name, names_of
from quire.pdf.front.contact import read_affiliations, read_contact
from quire.pdf.front.imprint import (
    find_arxiv,
    find_doi,
    find_emails,
    find_keywords,
    find_language,
    is_proceedings,
    opens_keywords,
    read_imprint,
    read_numbers,
)
from quire.pdf.front.printed import FrontLines, Said, covers, lines_beside, placed, read_dates, read_rights
from quire.pdf.front.title import find_title, is_proper, title_text
from quire.pdf.geometry import CLOSE, at_edge, edges_of
from quire.pdf.joining import join_rows, join_texts, tidy
from quire.pdf.layout.rows import PageFlow, Row
from quire.pdf.raw import Line, RawPage
from quire.pdf.sections.tree import BodyPart
from quire.pdf.vocabulary import lists, named, opening, plain
from quire.text import bare, sentences
from quire.types import Box, Metadata, Place

_TELLING = re.compile(r"copyright|©|published|received|accepted|doi|citation|cite", re.IGNORECASE)
_RIGHTS = re.compile(r"©|licen[cs]|creative ?commons", re.IGNORECASE)
_PROSE = 25  # words of a row's neighbours from which on they are no imprint
_KEYWORD_ROWS = 12
_BELOW = 2.4  # em between a heading and the keywords below it
_EDGE, _EDGE_LATER = 0.13, 0.09  # of the page's height, where imprints stand: on the first and second page
_FUNDING_ROWS = 25
_PAID = re.compile(
    r"\b(?:funded|supported|financed|sponsored)\s(?:in\spart\s|partly\s|partially\s|financially\s)?by\b|\bgrants?\b|"
    r"\bfinancial(?:ly)?\ssupport|\bfunding\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
PrintedLines = list[tuple[int, Line]]


@dataclass(frozen=True)
class Telling:
    """The pages of a paper, labelled, whose own page (behind cover sheets) is `first`."""

    labelled: Sequence[Row]
    pages: Sequence[RawPage]
    flows: Sequence[PageFlow]
    info: dict[str, str]
    first: int
    title: Sequence[Row]

    @cached_property
    def _printed(self) -> FrontLines:
        return FrontLines(self.pages, self.first, [r for r in self._entries if not _RIGHTS.search(r.text)])

    @property
    def _entries(self) -> list[Row]:
        """Rows of the list of references."""
        return [row for row in self.labelled if row.label in ("ref", "ref2")]

    def told(self, named: Metadata) -> Metadata:
        """The metadata, of which title, authors and abstract are known, with all else that is printed."""
        affiliations = read_affiliations(self.labelled, self.pages, self.first)
        named = replace(named, authors=_people(named.authors, [place.text for place in affiliations]))
        own = [replace(place, text=_without_names(place.text, named.authors)) for place in affiliations]
        affiliations = [place for place in own if place.text]
        printed = self._printed
        said = [*read_dates(printed), *read_rights(printed), *self._keywords(), *self._funding()]
        contact = list(read_contact(printed, named.authors))
        fields, imprinted = self._imprint()
        return replace(
            named,
            **fields,
            **{place.field: value for place, value in (*said, *contact)},
            affiliations=tuple(dict.fromkeys(place.text for place in affiliations)),
            emails=find_emails("\n".join(flow.text for flow in self.flows if flow.number == self.first)),
            language=find_language("\n".join(flow.text for flow in self.flows[:4])),
            places=(
                *self._named(named), *imprinted, *(place for place, _ in said), *affiliations,
                *(place for place, _ in contact),
            ),
        )  # fmt: skip

    def _imprint(self) -> tuple[dict[str, Any], list[Place]]:
        """Where and when it appeared, and the lines that say so."""
        subject = self.info.get("Subject", "")
        edges, others = self._imprint_lines()
        lines = [*edges, *others]
        texts = [line.text for _, line in lines]
        where = read_imprint(texts[: len(edges)], texts[len(edges) :], subject)
        numbers, at = read_numbers([*texts, subject])
        fields: dict[str, Any] = numbers._asdict() | {"volume": numbers.volume or where.volume}
        told: list[tuple[str, int]] = []  # the fields, and the numbers of the lines
        year = where.year
        if at is not None and at < len(lines):
            told += [(field, at) for field, value in fields.items() if value]
            cited = _YEAR.search(texts[at]) if numbers.first_page else None
            year = year or (int(cited[0]) if cited else None)
        arxiv = find_arxiv("\n".join(texts))
        doi = find_doi("\n".join(texts)) or find_doi(
            " ".join(self.info.get(k, "") for k in ("Subject", "doi", "DOI"))
        )
        url = f"https://doi.org/{doi}" if doi else f"https://arxiv.org/abs/{arxiv}" if arxiv else ""
        fields |= {"year": year, "venue": where.venue, "venue_short": where.short}
        fields |= {"doi": doi, "arxiv_id": arxiv, "url": url}
        known = {"conference_full": where.venue, "doi": doi, "arxiv_id": arxiv, "pub_year": str(year or "")}
        if where.venue and not is_proceedings(where.venue) and not where.short:
            fields["journal"] = where.venue
            known = {"journal": where.venue, **known}
        for field, value in known.items():
            told += [(field, at) for at, text in enumerate(texts) if value and value in text][:1]
        return fields, [
            Place(lines[at][0], Box.from_edges(*edges_of(lines[at][1])), field, texts[at])
            for field, at in told
        ]

    def _imprint_lines(self) -> tuple[PrintedLines, PrintedLines]:
        """Lines that may tell where and when it appeared: at the edges and above the title, and others.

        The edges are those of the first two pages; the others are labelled as no text of the paper, or name
        such things. Lists of references and the title are left out.
        """
        start = self.title[0].line.y0 if self.title else 0.0
        kinds = ("other", "note", "affiliation")
        loose = [row.line for row in self.labelled if row.page == self.first and row.label in kinds]
        edges: PrintedLines = []
        others: PrintedLines = []
        pages = [page for page in self.pages if self.first <= page.number <= self.first + 1]
        for page, line in lines_beside(pages, [*self.title, *self._entries]):
            front = page.number == self.first
            depth = _EDGE if front else _EDGE_LATER
            above = front and line.y1 < start and len(line.words) <= _PROSE
            if above or line.angle or at_edge(line, page, depth, depth):
                edges.append((page.number, line))
            elif front and (any(covers(own, line) for own in loose) or _TELLING.search(line.text)):
                others.append((page.number, line))
        return edges, others

    def _named(self, named: Metadata) -> Iterator[Place]:
        """The places of title, authors and abstract, page by page."""
        front = [item for item in self.labelled if item.page <= self.first + 1]
        authors, abstract = ([i for i in front if i.label == label] for label in ("author", "abstract"))
        for field, rows in (("title", self.title), ("authors", authors), ("abstract", abstract)):
            own = [row for row in rows if row.page == rows[0].page]
            if own and getattr(named, field):
                yield placed(field, own, join_rows([row.line for row in own]))

    def _keywords(self) -> Iterator[Said]:
        for text, rows in keyword_texts(self.labelled):
            if found := find_keywords(text):
                yield placed("keywords", rows, " ".join(text.split())), found
                return
        given = self.info.get("Keywords", "")
        found = tuple(k.strip() for k in re.split(r"[;,]", given) if 1 < len(k.strip()) < 60)
        first = re.compile(re.escape(found[0]), re.IGNORECASE) if found else None
        if first and (spot := next(self._printed.find(first), None)):
            yield self._printed.place("keywords", *spot.span()), found

    def _funding(self) -> Iterator[Said]:
        """What stands under a heading of that kind; else what acknowledgements say of it."""
        known = lists()["funding"]
        begins = tuple(f"{name} " for name in known)
        for at, item in enumerate(self.labelled):
            named, colon, _ = item.text.partition(":")
            whole = plain(item.text) in known
            run_in = item.line.words[0].bold and plain(item.text).startswith(begins)
            if not (whole or run_in or (colon and plain(named) in known)):
                continue
            rows = self._under(at, whole)
            told = join_rows([row.line for row in rows])
            before, _, behind = told.partition(":")
            told = behind.strip() if plain(before) in known else told
            if len(told.split()) > 3:
                yield placed("funding", rows, told), told
                return
        for at, item in enumerate(self.labelled):
            if item.label in ("heading", "runin") and plain(item.text).startswith("acknowledg"):
                rows = self._under(at, whole=True)
                text = join_rows([row.line for row in rows])
                told = " ".join(text[a:b] for a, b in sentences(text) if _PAID.search(text[a:b]))
                if told:
                    yield placed("funding", rows, told), told
                    return

    def _under(self, at: int, whole: bool) -> list[Row]:
        """The rows under a heading, or of the paragraph that it runs into."""
        rows = [] if whole else [self.labelled[at]]
        for item in self.labelled[at + 1 : at + _FUNDING_ROWS]:
            other = item.line.words[0].bold and (rows or opening(item.text))
            if other or item.label not in ("para", "text", "note", "other"):
                break
            if rows and item.label == "para" and not whole:
                break
            rows.append(item)
        return rows


def _without_names(address: str, authors: Sequence[str]) -> str:
    """The address without the names of those who work there, where it begins with them."""

    def begins(name: str) -> bool:
        return address.startswith(name) and not address[len(name) :][:1].isalnum()

    while own := next(filter(begins, authors), ""):
        address = re.sub(r"^(?:\s|[,;:&]|and\b)+", "", address.removeprefix(own))
    return address


def _people(authors: tuple[str, ...], addresses: Sequence[str]) -> tuple[str, ...]:
    """The authors without what is a part of an address: "New Delhi" is nobody.

    With its first part some addresses say whose they are.
    """
    parts = {part.strip() for address in addresses for part in re.split(r"[,;]", address)[1:]}
    return tuple(name for name in authors if name not in parts) or authors


def keyword_texts(labelled: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Rows that begin with the word for keywords, each with the rows that go on from it."""
    for at, item in enumerate(labelled):
        if not opens_keywords(item.text):
            continue
        rows = [item]
        for other in labelled[at + 1 : at + _KEYWORD_ROWS]:
            headed = len(rows) == 1 and "keywords" in named(item.text)
            near = other.is_under(rows[-1], _BELOW if headed else CLOSE)
            near = near and (headed or other.is_like(rows[-1]))
            left_out = ("runin", "title", "author") if headed else ("runin", "para", "title", "author")
            if not near or other.label in left_out or opening(other.text):
                break
            rows.append(other)
        short = all(len(row.text.split()) <= 5 for row in rows)
        text = "\n".join(join_texts([row.text]) for row in rows)
        yield (text if short else join_rows([row.line for row in rows])), rows


_TITLE_WORDS = 3  # a shorter title is doubted if the file's own is longer and printed
_NOTICE_WORDS = 20  # of sentences that are no title if the file's own is printed
_TITLE_PAGES = 3  # on which


@dataclass(frozen=True, slots=True)
class Front:
    """Metadata, and the abstract as parts of a section."""

    metadata: Metadata
    abstract: list[BodyPart]


def read_front(
    labelled: Sequence[Row], pages: Sequence[RawPage], flows: Sequence[PageFlow], info: dict[str, str]
) -> Front:
    """What the labelled rows say of the paper itself."""
    title_rows = find_title(labelled)
    if _is_notice(title_text(title_rows)):  # a sheet with a word of the publisher's, and the paper behind it
        behind = [item for item in labelled if item.page > title_rows[0].page]
        if found := find_title(behind):
            title_rows, labelled = found, behind
    title = title_text(title_rows)
    authors = names_of(find_authors(labelled, title_rows))
    given = tidy(info.get("Title", ""))
    printed = bare(given) in bare(" ".join(flow.text for flow in flows[:_TITLE_PAGES]))
    if is_proper(given) and len(title.split()) < _TITLE_WORDS <= len(given.split()):
        title = given if not title or printed else title
    elif is_proper(given) and printed and _is_notice(title):
        title, authors = given, info_authors(info.get("Author", "")) or authors
    abstract, parts = abstract_part(find_abstract(labelled))
    first = title_rows[0].page if title_rows else labelled[0].page if labelled else 1
    named = Metadata(title=title, authors=authors or info_authors(info.get("Author", "")), abstract=abstract)
    return Front(Telling(labelled, pages, flows, info, first, title_rows).told(named), parts)


def _is_notice(title: str) -> bool:
    """Sentences in place of a title: how a book may be used, say."""
    return len(title.split()) >= _NOTICE_WORDS and title.endswith(".") and ". " in title


def info_authors(text: str) -> tuple[str, ...]:
    """The names in the file's own field of authors."""
    names = [n.strip() for n in re.split(r"[;,]|\band\b|&", text)]
    return tuple(n for n in names if is_name(n))
