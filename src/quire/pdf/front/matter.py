"""The front matter put together: title, authors, abstract, and what else the first pages say of a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.pdf.front.abstract import abstract_part, find_abstract
from quire.pdf.front.authors import find_authors, is_name, names_of
from quire.pdf.front.telling import Telling
from quire.pdf.front.title import find_title, is_proper, title_text
from quire.pdf.joining import bare_letters, tidy
from quire.pdf.layout.rows import PageFlow
from quire.pdf.line_classifier.model import Labelled
from quire.pdf.raw import RawPage
from quire.pdf.sections.tree import BodyBlock
from quire.types import Metadata

_TITLE_WORDS = 3  # a shorter title is doubted if the file's own is longer and printed
_NOTICE_WORDS = 20  # of sentences that are no title if the file's own is printed
_TITLE_PAGES = 3  # on which


@dataclass(frozen=True, slots=True)
class Front:
    """Metadata, and the abstract as parts of a section."""

    metadata: Metadata
    abstract: list[BodyBlock]


def read_front(
    labelled: Sequence[Labelled], pages: Sequence[RawPage], flows: Sequence[PageFlow], info: dict[str, str]
) -> Front:
    """What the labelled rows say of the paper itself."""
    title_rows = find_title(labelled)
    if _is_notice(title_text(title_rows)):  # a sheet with a word of the publisher's, and the paper behind it
        behind = [item for item in labelled if item.row.page > title_rows[0].page]
        if found := find_title(behind):
            title_rows, labelled = found, behind
    title = title_text(title_rows)
    authors = names_of(find_authors(labelled, title_rows))
    given = tidy(info.get("Title", ""))
    printed = bare_letters(given) in bare_letters(" ".join(flow.text for flow in flows[:_TITLE_PAGES]))
    if is_proper(given) and len(title.split()) < _TITLE_WORDS <= len(given.split()):
        title = given if not title or printed else title
    elif is_proper(given) and printed and _is_notice(title):
        title, authors = given, info_authors(info.get("Author", "")) or authors
    abstract, parts = abstract_part(find_abstract(labelled))
    first = title_rows[0].page if title_rows else labelled[0].row.page if labelled else 1
    named = Metadata(title=title, authors=authors or info_authors(info.get("Author", "")), abstract=abstract)
    return Front(Telling(labelled, pages, flows, info, first, title_rows).told(named), parts)


def _is_notice(title: str) -> bool:
    """Sentences in place of a title: how a book may be used, say."""
    return len(title.split()) >= _NOTICE_WORDS and title.endswith(".") and ". " in title


def info_authors(text: str) -> tuple[str, ...]:
    """The names in the file's own field of authors."""
    names = [n.strip() for n in re.split(r"[;,]|\band\b|&", text)]
    return tuple(n for n in names if is_name(n))
