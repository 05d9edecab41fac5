"""The front matter put together: which parts are title, authors and abstract, and the `Metadata`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.documents.front import fields
from quire.documents.front.abstract import find_abstract
from quire.documents.front.authors import find_authors, is_name
from quire.documents.front.imprint import read as read_imprint
from quire.documents.front.language import find_language
from quire.documents.front.title import find_title
from quire.documents.layout.blocks import Block
from quire.documents.layout.profile import Profile
from quire.documents.layout.rows import PageFlow, Row
from quire.documents.raw import Line, RawPage
from quire.documents.sections.headings import Heading, Look, Part, without_words
from quire.documents.sections.names import ABSTRACT, REFERENCES, is_known
from quire.documents.words import join_texts, tidy
from quire.types import Metadata

_TELLING = re.compile(r"copyright|©|published|received|accepted|doi|citation", re.IGNORECASE)
_KEYWORDS = re.compile(
    r"^(?:key\s?-?words?|index terms|categories and subject|general terms|acm reference format)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Front:
    """Metadata, the abstract as parts of a section, and the parts that follow the front matter."""

    metadata: Metadata
    abstract: list[Part]
    body: list[Part]


def read_front(
    parts: Sequence[Part],
    pages: Sequence[RawPage],
    flows: Sequence[PageFlow],
    notes: Sequence[Row],
    profile: Profile,
    info: dict[str, str],
) -> Front:
    """Take the front matter off the parts of a document."""
    first = _first_page(parts)
    head = [i for i, part in enumerate(parts) if _page(part) == first]
    blocks = [_as_block(parts[i]) for i in head]
    height = next((p.height for p in pages if p.number == first), 800.0)
    chosen = find_title(blocks, info.get("Title", ""), height)
    if _running(blocks, chosen, profile):
        chosen = []
    title = tidy(join_texts([blocks[k].text for k in chosen])) if chosen else ""
    title_end = head[chosen[-1]] + 1 if chosen else 0
    abstract_at, abstract = find_abstract(parts, title_end)
    body_at = _body_start(parts, title_end, abstract_at, profile.size) if chosen or abstract_at else 0
    between = [
        _as_block(parts[i])
        for i in range(title_end, min(body_at, len(parts)))
        if i not in abstract_at and _page(parts[i]) == first
    ]
    authors = find_authors(between) if chosen else ()
    if not authors:
        authors = _info_authors(info.get("Author", ""))
    page_text = "\n".join(f.text for f in flows if f.number == first)
    given = tidy(info.get("Title", ""))
    if (not title and len(given.split()) > 2) or (_sentence(title) and _proper(given)):
        title = given
    lines = imprint_lines(first, pages, notes, parts, [head[k] for k in chosen])
    metadata = _metadata(title, authors, abstract, parts, lines, page_text, flows, info, head)
    body = [p for i, p in enumerate(parts) if i >= body_at and i not in abstract_at]
    return Front(metadata, _without_keywords(_abstract_parts(parts, abstract_at)), _without_keywords(body))


def _running(blocks: Sequence[Block], chosen: Sequence[int], profile: Profile) -> bool:
    """What stands out least ill is running text: long, in body type, ending as a sentence does."""
    text = " ".join(blocks[k].text for k in chosen)
    plain = all(blocks[k].size < 1.05 * profile.size and blocks[k].bold < 0.5 for k in chosen)
    words = len(text.split())
    return words > 60 or (plain and words > 12 and (text.rstrip().endswith(".") or text[:1].islower()))


def _sentence(title: str) -> bool:
    return len(title.split()) > 25 or (title.endswith(".") and len(title.split()) > 12)


def _proper(given: str) -> bool:
    """Whether a title of the file's metadata is more than a file name."""
    return len(given.split()) >= 2 and not re.search(
        r"\.\w{2,4}$|untitled|microsoft|\\|/", given, re.IGNORECASE
    )


def _metadata(
    title: str,
    authors: tuple[str, ...],
    abstract: str,
    parts: Sequence[Part],
    lines: tuple[list[str], list[str]],
    page_text: str,
    flows: Sequence[PageFlow],
    info: dict[str, str],
    head: Sequence[int],
) -> Metadata:
    imprint = "\n".join([*lines[0], *lines[1]])
    where = read_imprint(*lines, info.get("Subject", ""))
    arxiv = fields.find_arxiv(imprint)
    doi = fields.find_doi(imprint) or fields.find_doi(
        " ".join(info.get(k, "") for k in ("Subject", "doi", "DOI"))
    )
    keywords = fields.find_keywords([_rows_text(parts[i]) for i in head])
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
        emails=fields.find_emails(page_text),
        language=find_language("\n".join(f.text for f in flows[:4])),
    )


def imprint_lines(
    first: int, pages: Sequence[RawPage], notes: Sequence[Row], parts: Sequence[Part], title_at: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Lines that may tell where and when it appeared: those at the edges and above the title, and others.

    The edges are those of the first two pages; the others stand below the title or in footnotes, or name
    such things. Lists of references and the title are left out.
    """
    start, end = (title_at[0], title_at[-1] + 1) if title_at else (0, 0)
    above, below = _plain_rows(parts[:start]), _plain_rows(parts[end : end + 4])
    small = {id(r.line) for r in notes if r.page == first}
    hidden = _cited_rows(parts) + [r for p in parts[start:end] for r in _as_block(p).rows]
    hidden = [row for row in hidden if first <= row.page <= first + 1]
    edges: list[str] = []
    others: list[str] = []
    for page in pages:
        for line in page.lines if first <= page.number <= first + 1 else ():
            if any(_covers(row, page.number, line) for row in hidden):
                continue
            if id(line) in above or _at_edge(line, page, 0.13 if page.number == first else 0.09):
                edges.append(line.text)
            elif page.number == first and (
                id(line) in below or id(line) in small or _TELLING.search(line.text)
            ):
                others.append(line.text)
    return edges, others


def _plain_rows(parts: Sequence[Part]) -> set[int]:
    """Ids of the lines of what is no prose."""
    return {id(r.line) for p in parts if len(_text(p).split()) <= 25 for r in _as_block(p).rows}


def _at_edge(line: Line, page: RawPage, depth: float) -> bool:
    return line.angle != 0 or line.y1 < depth * page.height or line.y0 > (1 - depth) * page.height


def _cited_rows(parts: Sequence[Part]) -> list[Row]:
    """Rows that stand behind the heading of a list of references."""
    rows: list[Row] = []
    inside = False
    for part in parts:
        if inside:
            rows += _as_block(part).rows
        inside = inside or (part.heading is not None and bool(REFERENCES.match(part.heading.text.strip())))
    return rows


def _covers(row: Row, page: int, line: Line) -> bool:
    own = row.line
    return (
        row.page == page
        and abs(own.baseline - line.baseline) < 1
        and own.x0 - 1 <= line.x0
        and line.x1 <= own.x1 + 1
    )


def _first_page(parts: Sequence[Part]) -> int:
    """The page that carries the title: the first with text, unless it is a cover sheet of few words."""
    return _page(parts[0]) if parts else 1


def _page(part: Part) -> int:
    return part.heading.rows[0].page if part.heading else part.block.page if part.block else 0


def _text(part: Part) -> str:
    return part.heading.text if part.heading else part.block.text if part.block else ""


def _rows_text(part: Part) -> str:
    """A part with its line breaks, as keywords may stand one on a line."""
    rows = _as_block(part).rows
    short = all(len(row.text.split()) <= 5 for row in rows)
    return "\n".join(join_texts([row.text]) for row in rows) if short else _text(part)


def _as_block(part: Part) -> Block:
    if part.block is not None:
        return part.block
    assert part.heading is not None
    return Block(part.heading.rows)


def _body_start(parts: Sequence[Part], title_end: int, abstract_at: Sequence[int], size: float) -> int:
    """Index of the first part of the body: the first heading behind the abstract, or the text itself.

    `size` is that of the body type: a long paragraph in it before any heading opens the body too.
    """
    start = max(abstract_at) + 1 if abstract_at else title_end
    for i in range(start, min(len(parts), start + 25)):
        block, heading = parts[i].block, parts[i].heading
        if heading and not ABSTRACT.match(heading.text) and (heading.number or is_known(heading.title)):
            break
        if block and abs(block.size - size) < 0.03 * size and len(block.text.split()) > 60:
            return i
    near = [i for i in range(start, min(len(parts), start + 25)) if parts[i].heading is not None]
    for i in near:
        heading = parts[i].heading
        if heading and not ABSTRACT.match(heading.text) and (heading.number or is_known(heading.title)):
            return i
    if near and abstract_at:
        return near[0]
    if abstract_at:
        return start
    for i in range(start, len(parts)):
        block = parts[i].block
        if block is not None and len(block.text.split()) > 30:
            return i
    return start


def _abstract_parts(parts: Sequence[Part], at: Sequence[int]) -> list[Part]:
    """The abstract as a section; a heading run into one of its paragraphs stays in the paragraph."""
    blocks: list[Block] = []
    opened = False
    for part in (parts[i] for i in at):
        block = _as_block(part)
        blocks = [*blocks[:-1], Block(blocks[-1].rows + block.rows)] if opened else [*blocks, block]
        opened = part.heading is not None and part.heading.look.run_in
    if not blocks:
        return []
    named = ABSTRACT.match(blocks[0].text)
    look = Look(blocks[0].size, True, False, False, False)
    heading = Heading("Abstract", "", "Abstract", 0, look, blocks[0].rows[:1])
    rest = blocks[1:] if named else [_unlabelled(blocks[0]), *blocks[1:]]
    return [Part(heading, None), *(Part(None, block) for block in rest)]


def _unlabelled(block: Block) -> Block:
    """The first block of an abstract without the word itself."""
    words = block.rows[0].line.words
    if not ABSTRACT.match(words[0].text):
        return block
    return (
        without_words(block, 2 if len(words) > 1 and words[1].text in (".", ":", "—", "–", "-") else 1)
        or block
    )


def _without_keywords(body: list[Part]) -> list[Part]:
    """The parts without lists of keywords, which are metadata."""
    out: list[Part] = []
    skip = whole = False
    for part in body:
        if skip and part.block is not None:
            skip = whole
            continue
        text = _text(part)
        skip = bool(part.heading and _KEYWORDS.match(text) and len(text.split()) <= 5)
        whole = skip and text.startswith("ACM")  # all that stands under "ACM Reference Format"
        if not skip and not (part.block and re.match(r"^key\s?-?words?\b.{0,3}[:—–.-]", text, re.IGNORECASE)):
            out.append(part)
    return out


def _info_authors(text: str) -> tuple[str, ...]:
    names = [n.strip() for n in re.split(r"[;,]|\band\b|&", text)]
    return tuple(n for n in names if is_name(n))
