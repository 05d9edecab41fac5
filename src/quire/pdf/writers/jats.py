"""A document in the XML of journals: JATS 1.3 (Archiving), https://jats.nlm.nih.gov/archiving/1.3/.

The tree of sections becomes nested `sec`; what is not known is left out rather than guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from html import escape
from itertools import groupby

from quire.pdf.writers import grids
from quire.pdf.writers.order import OrderedItem, ordered
from quire.types import Document, Equation, Image, InlineSpan, Metadata, Reference, Table

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ABSTRACT = re.compile(r"\s*(?:abstract|summary)\b", re.IGNORECASE)
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<article xmlns:xlink="http://www.w3.org/1999/xlink" dtd-version="1.3" article-type="research-article"'
)


def jats(document: Document) -> str:
    """The document as an `article`."""
    items = ordered(document)
    language = document.metadata.language
    named = f' xml:lang="{language}"' if language.isalpha() and language.isascii() else ""
    kept = [item for item in items if item.kind not in ("title", "reference", "footnote")]
    return "\n".join(
        [
            f"{_HEAD}{named}>",
            _front(document.metadata),
            f"<body>\n{_nested(document, _body(document, kept))}\n</body>",
            _back(document),
            "</article>\n",
        ]
    )


def _text(text: str) -> str:
    return escape(_NO_XML.sub(" ", text))


def _front(said: Metadata) -> str:
    names = "".join(f'<contrib contrib-type="author">{_name(name)}</contrib>' for name in said.authors)
    words = "".join(f"<kwd>{_text(word)}</kwd>" for word in said.keywords)
    named = said.journal or said.venue
    journal = f"<journal-title>{_text(named)}</journal-title>" if named else ""
    publisher = _element("publisher-name", said.publisher)
    dates = "".join(
        _date(kind, day) for kind, day in (("received", said.received), ("accepted", said.accepted))
    )
    parts = [
        f'<article-id pub-id-type="doi">{_text(said.doi)}</article-id>' if said.doi else "",
        f'<article-id pub-id-type="arxiv">{_text(said.arxiv_id)}</article-id>' if said.arxiv_id else "",
        f"<title-group><article-title>{_text(said.title)}</article-title></title-group>",
        f"<contrib-group>{names}</contrib-group>" if names else "",
        *(_element("aff", place) for place in said.affiliations),
        f"<pub-date><year>{said.year}</year></pub-date>" if said.year else "",
        _element("volume", said.volume),
        _element("issue", said.issue),
        _element("fpage", said.first_page),
        _element("lpage", said.last_page),
        f"<history>{dates}</history>" if dates else "",
        f"<abstract><p>{_text(said.abstract)}</p></abstract>" if said.abstract else "",
        f"<kwd-group>{words}</kwd-group>" if words else "",
        f"<funding-group>{_element('funding-statement', said.funding)}</funding-group>"
        if said.funding
        else "",
    ]
    inside = "\n".join(filter(None, parts))
    return (
        f"<front>\n<journal-meta><journal-title-group>{journal}</journal-title-group>"
        f"{f'<publisher>{publisher}</publisher>' if publisher else ''}</journal-meta>\n"
        f"<article-meta>\n{inside}\n</article-meta>\n</front>"
    )


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{_text(text)}</{tag}>" if text else ""


def _date(kind: str, day: date | None) -> str:
    if day is None:
        return ""
    parts = f"<day>{day.day}</day><month>{day.month}</month><year>{day.year}</year>"
    return f'<date date-type="{kind}">{parts}</date>'


def _name(name: str) -> str:
    given, _, surname = name.rpartition(" ")
    inside = f"<surname>{_text(surname)}</surname>"
    return f"<name>{inside}{f'<given-names>{_text(given)}</given-names>' if given else ''}</name>"


def _body(document: Document, items: Sequence[OrderedItem]) -> list[OrderedItem]:
    """Without the abstract, which stands in front."""
    first = document.sections[0] if document.sections else None
    if not (document.metadata.abstract and first and _ABSTRACT.match(first.title)):
        return list(items)
    return [item for item in items if item.section != 0 or isinstance(item.source, Table | Image)]


def _nested(document: Document, items: Sequence[OrderedItem]) -> str:
    """Items in the sections of the tree."""
    out: list[str] = []
    stack: list[int] = []
    for section, group in groupby(items, key=lambda item: item.section):
        own = list(group)
        if section is not None and (not stack or stack[-1] != section):
            chain = _chain(document, section)
            shared = 0
            while shared < min(len(stack), len(chain)) and stack[shared] == chain[shared]:
                shared += 1
            out += ["</sec>"] * (len(stack) - shared)
            out += ["<sec>"] * (len(chain) - shared)
            stack = chain
        out += _blocks(own)
    return "\n".join(out + ["</sec>"] * len(stack))


def _chain(document: Document, section: int) -> list[int]:
    """A section and all that hold it, the outermost first."""
    chain = [section]
    while (above := document.sections[chain[0]].parent) is not None:
        chain.insert(0, above)
    return chain


def _blocks(items: Sequence[OrderedItem]) -> Iterator[str]:
    for kind, group in groupby(items, key=lambda item: item.kind):
        if kind == "item":
            inside = "".join(
                f"<list-item><p>{item.rendered(_text, _shown)}</p></list-item>" for item in group
            )
            yield f'<list list-type="simple">{inside}</list>'
        else:
            yield from (_block(item) for item in group)


def _block(item: OrderedItem) -> str:
    source = item.source
    if item.kind == "heading":
        return f"<title>{_text(item.text)}</title>"
    if item.kind == "code":
        return f"<preformat>{_text(item.text)}</preformat>"
    if isinstance(source, Table):
        return f"<table-wrap>{_labelled(source)}{grids.tagged(source, _text)}</table-wrap>"
    if isinstance(source, Image):
        picture = f'<graphic xlink:href="{_text(source.picture)}"/>' if source.picture else ""
        return f"<fig>{_labelled(source)}{picture}</fig>"
    if isinstance(source, Equation):
        label = f"<label>{_text(source.number)}</label>" if source.number else ""
        return f"<disp-formula>{label}{_formula(source)}</disp-formula>"
    return f"<p>{item.rendered(_text, _shown)}</p>"


def _shown(span: InlineSpan) -> str:
    if span.kind == "math":
        return f"<inline-formula><tex-math>{_text(span.shown)}</tex-math></inline-formula>"
    return f"<{span.kind}>{_text(span.shown)}</{span.kind}>"


def _formula(equation: Equation) -> str:
    return f"<tex-math>{_text(equation.latex)}</tex-math>" if equation.latex else _text(equation.text)


def _labelled(element: Table | Image) -> str:
    label = f"<label>{_text(element.label)}</label>" if element.label else ""
    text = element.caption.removeprefix(element.label).lstrip(" .:|–—")
    return label + (f"<caption><p>{_text(text)}</p></caption>" if text else "")


def _back(document: Document) -> str:
    entries = "\n".join(_reference(at, entry) for at, entry in enumerate(document.references, 1))
    notes = "".join(f"<fn><p>{_text(note.text)}</p></fn>" for note in document.footnotes)
    inside = (f"<ref-list>\n{entries}\n</ref-list>" if entries else "") + (
        f"<fn-group>{notes}</fn-group>" if notes else ""
    )
    return f"<back>{inside}</back>" if inside else ""


def _reference(number: int, entry: Reference) -> str:
    label = f"<label>{_text(entry.label)}</label>" if entry.label else ""
    text = entry.text.removeprefix(entry.label).strip()
    return f'<ref id="r{number}">{label}<mixed-citation>{_text(text)}</mixed-citation></ref>'
