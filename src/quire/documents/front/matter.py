"""The front matter put together: title, authors, abstract, and what else the first pages say of a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.documents.front import fields
from quire.documents.front.abstract import abstract_part, find_abstract
from quire.documents.front.authors import find_authors, is_name, names_of
from quire.documents.front.imprint import read as read_imprint
from quire.documents.front.language import find_language
from quire.documents.front.title import find_title, is_proper, title_text
from quire.documents.joining import join_rows, join_texts, tidy
from quire.documents.labeller.model import Labelled
from quire.documents.layout.rows import PageFlow, Row
from quire.documents.raw import Line, RawPage
from quire.documents.sections.headings import Part
from quire.types import Metadata

_TELLING = re.compile(r"copyright|©|published|received|accepted|doi|citation", re.IGNORECASE)
_PROSE = 25  # words of a row's neighbours from which on they are no imprint
_TITLE_WORDS = 3  # a shorter title is doubted if the file's own is longer and printed
_NOTICE_WORDS = 20  # of sentences that are no title if the file's own is printed
_TITLE_PAGES = 3  # on which
_KEYWORD_ROWS = 8
_EDGE, _EDGE_LATER = 0.13, 0.09  # of the page's height, where imprints stand: on the first and second page


@dataclass(frozen=True, slots=True)
class Front:
    """Metadata, and the abstract as parts of a section."""

    metadata: Metadata
    abstract: list[Part]


def read_front(
    labelled: Sequence[Labelled], pages: Sequence[RawPage], flows: Sequence[PageFlow], info: dict[str, str]
) -> Front:
    """What the labelled rows say of the paper itself."""
    title_rows = find_title(labelled)
    title = title_text(title_rows)
    authors = names_of(find_authors(labelled, title_rows))
    given = tidy(info.get("Title", ""))
    printed = _bare(given) in _bare(" ".join(flow.text for flow in flows[:_TITLE_PAGES]))
    if is_proper(given) and len(title.split()) < _TITLE_WORDS <= len(given.split()):
        title = given if not title or printed else title
    elif is_proper(given) and printed and _is_notice(title):
        title, authors = given, _info_authors(info.get("Author", "")) or authors
    abstract, parts = abstract_part(find_abstract(labelled))
    first = title_rows[0].page if title_rows else labelled[0].row.page if labelled else 1
    metadata = _metadata(
        title, authors or _info_authors(info.get("Author", "")), abstract,
        imprint_lines(first, pages, labelled, title_rows), labelled, flows, info, first,
    )  # fmt: skip
    return Front(metadata, parts)


def _is_notice(title: str) -> bool:
    """Sentences in place of a title: how a book may be used, say."""
    return len(title.split()) >= _NOTICE_WORDS and title.endswith(".") and ". " in title


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.lower())


def _metadata(
    title: str,
    authors: tuple[str, ...],
    abstract: str,
    lines: tuple[list[str], list[str]],
    labelled: Sequence[Labelled],
    flows: Sequence[PageFlow],
    info: dict[str, str],
    first: int,
) -> Metadata:
    imprint = "\n".join([*lines[0], *lines[1]])
    where = read_imprint(*lines, info.get("Subject", ""))
    arxiv = fields.find_arxiv(imprint)
    doi = fields.find_doi(imprint) or fields.find_doi(
        " ".join(info.get(k, "") for k in ("Subject", "doi", "DOI"))
    )
    keywords = fields.find_keywords(_keyword_texts(labelled))
    if not keywords and info.get("Keywords"):
        keywords = tuple(k.strip() for k in re.split(r"[;,]", info["Keywords"]) if 1 < len(k.strip()) < 60)
    return Metadata(
        title=title,
        authors=authors,
        abstract=abstract,
        keywords=keywords,
        year=where.year,
        venue=where.venue,
        venue_short=where.short,
        volume=where.volume,
        doi=doi,
        arxiv_id=arxiv,
        url=f"https://doi.org/{doi}" if doi else f"https://arxiv.org/abs/{arxiv}" if arxiv else "",
        emails=fields.find_emails("\n".join(f.text for f in flows if f.number == first)),
        language=find_language("\n".join(f.text for f in flows[:4])),
    )


def _keyword_texts(labelled: Sequence[Labelled]) -> list[str]:
    """Rows that begin with the word for keywords, each with the rows that go on from it."""
    texts: list[str] = []
    for at, item in enumerate(labelled):
        if not fields.opens_keywords(item.row.text):
            continue
        rows = [item.row]
        for other in labelled[at + 1 : at + _KEYWORD_ROWS]:
            step = other.row.line.baseline - rows[-1].line.baseline
            same = (other.row.page, other.row.column) == (rows[0].page, rows[0].column)
            if not same or step > 1.7 * rows[-1].line.size or other.label not in ("other", item.label):
                break
            rows.append(other.row)
        short = all(len(row.text.split()) <= 5 for row in rows)
        text = "\n".join(join_texts([row.text]) for row in rows)
        texts.append(text if short else join_rows([row.line for row in rows]))
    return texts


def imprint_lines(
    first: int, pages: Sequence[RawPage], labelled: Sequence[Labelled], title: Sequence[Row]
) -> tuple[list[str], list[str]]:
    """Lines that may tell where and when it appeared: those at the edges and above the title, and others.

    The edges are those of the first two pages; the others are labelled as no text of the paper, or name
    such things. Lists of references and the title are left out.
    """
    hidden = [*title, *(i.row for i in labelled if i.label in ("ref", "ref2"))]
    hidden = [row for row in hidden if first <= row.page <= first + 1]
    start = title[0].line.y0 if title else 0.0
    loose = [i.row for i in labelled if i.row.page == first and i.label in ("other", "note", "affiliation")]
    edges: list[str] = []
    others: list[str] = []
    for page in pages:
        for line in page.lines if first <= page.number <= first + 1 else ():
            if any(_covers(row, page.number, line) for row in hidden):
                continue
            above = page.number == first and line.y1 < start and len(line.words) <= _PROSE
            if above or _at_edge(line, page, _EDGE if page.number == first else _EDGE_LATER):
                edges.append(line.text)
            elif page.number == first and (
                any(_covers(row, first, line) for row in loose) or _TELLING.search(line.text)
            ):
                others.append(line.text)
    return edges, others


def _at_edge(line: Line, page: RawPage, depth: float) -> bool:
    return line.angle != 0 or line.y1 < depth * page.height or line.y0 > (1 - depth) * page.height


def _covers(row: Row, page: int, line: Line) -> bool:
    own = row.line
    return (
        row.page == page
        and abs(own.baseline - line.baseline) < 1
        and own.x0 - 1 <= line.x0
        and line.x1 <= own.x1 + 1
    )


def _info_authors(text: str) -> tuple[str, ...]:
    names = [n.strip() for n in re.split(r"[;,]|\band\b|&", text)]
    return tuple(n for n in names if is_name(n))
