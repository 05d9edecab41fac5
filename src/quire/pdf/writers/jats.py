"""A document in the XML of journals: JATS 1.3 (Archiving), https://jats.nlm.nih.gov/archiving/1.3/.

The tree of sections becomes nested `sec`; what is not known is left out rather than guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from html import escape
from itertools import groupby
from os.path import commonprefix

from quire.pdf.writers import grids
from quire.pdf.writers.order import OrderedItem, heading_of_references, ordered
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
    title = _title_of_references(document, kept)
    body = _nested(document, _body(document, [item for item in kept if item is not title]))
    back = _back(document, title.text if title else "")
    parts = [f"{_HEAD}{named}>", _front(document.metadata), f"<body>\n{body}\n</body>", back]
    return "\n".join([*parts, "</article>\n"])


def _text(text: str) -> str:
    return escape(_NO_XML.sub(" ", text))


def _front(said: Metadata) -> str:
    names = "".join(f'<contrib contrib-type="author">{_name(name)}</contrib>' for name in said.authors)
    words = "".join(f"<kwd>{_text(word)}</kwd>" for word in said.keywords)
    named = said.journal or said.venue
    dates = _date("received", said.received) + _date("accepted", said.accepted)
    parts = [
        _element("article-id", said.doi, ' pub-id-type="doi"'),
        _element("article-id", said.arxiv_id, ' pub-id-type="arxiv"'),
        f"<title-group><article-title>{_text(said.title)}</article-title></title-group>",
        _group("contrib-group", names),
        *(_element("aff", place) for place in said.affiliations),
        f"<pub-date><year>{said.year}</year></pub-date>" if said.year else "",
        _element("volume", said.volume),
        _element("issue", said.issue),
        _element("fpage", said.first_page),
        _element("lpage", said.last_page),
        _group("history", dates),
        _group("abstract", _element("p", said.abstract)),
        _group("kwd-group", words),
        _group("funding-group", _element("funding-statement", said.funding)),
    ]
    inside = "\n".join(filter(None, parts))
    return (
        f"<front>\n<journal-meta><journal-title-group>{_element('journal-title', named)}"
        f"</journal-title-group>{_group('publisher', _element('publisher-name', said.publisher))}"
        f"</journal-meta>\n"
        f"<article-meta>\n{inside}\n</article-meta>\n</front>"
    )


def _element(tag: str, text: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{_text(text)}</{tag}>" if text else ""


def _group(tag: str, inside: str) -> str:
    return f"<{tag}>{inside}</{tag}>" if inside else ""


def _date(kind: str, day: date | None) -> str:
    if day is None:
        return ""
    parts = f"<day>{day.day}</day><month>{day.month}</month><year>{day.year}</year>"
    return f'<date date-type="{kind}">{parts}</date>'


def _name(name: str) -> str:
    given, _, surname = name.rpartition(" ")
    return f"<name><surname>{_text(surname)}</surname>{_element('given-names', given)}</name>"


def _body(document: Document, items: Sequence[OrderedItem]) -> list[OrderedItem]:
    """Without the abstract, which stands in front."""
    first = document.sections[0] if document.sections else None
    if not (document.metadata.abstract and first and _ABSTRACT.match(first.title)):
        return list(items)
    return [item for item in items if item.section != 0 or isinstance(item.source, Table | Image)]


def _title_of_references(document: Document, items: Sequence[OrderedItem]) -> OrderedItem | None:
    """The heading of the list of references, which stands in the back, if nothing else is below it."""
    found = heading_of_references(items)
    if found is None or not document.references:
        return None
    alone = [item.section for item in items].count(found.section) == 1
    return found if alone and all(section.parent != found.section for section in document.sections) else None


def _nested(document: Document, items: Sequence[OrderedItem]) -> str:
    """Items in the sections of the tree."""
    out: list[str] = []
    stack: list[int] = []
    for section, group in groupby(items, key=lambda item: item.section):
        own = list(group)
        if section is not None and (not stack or stack[-1] != section):
            chain = _chain(document, section)
            shared = len(commonprefix([stack, chain]))
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
        return f"<table-wrap>{_labelled(source)}{grids.in_table(source, _text)}</table-wrap>"
    if isinstance(source, Image):
        picture = f'<graphic xlink:href="{_text(source.picture)}"/>' if source.picture else ""
        return f"<fig>{_labelled(source)}{picture}</fig>"
    if isinstance(source, Equation):
        formula = _element("tex-math", source.latex) or _text(source.text)
        return f"<disp-formula>{_element('label', source.number)}{formula}</disp-formula>"
    return f"<p>{item.rendered(_text, _shown)}</p>"


def _shown(span: InlineSpan) -> str:
    if span.kind == "math":
        return f"<inline-formula><tex-math>{_text(span.shown)}</tex-math></inline-formula>"
    return f"<{span.kind}>{_text(span.shown)}</{span.kind}>"


def _labelled(element: Table | Image) -> str:
    text = element.caption.removeprefix(element.label).lstrip(" .:|–—")
    return _element("label", element.label) + _group("caption", _element("p", text))


def _back(document: Document, title: str) -> str:
    entries = "\n".join(_reference(at, entry) for at, entry in enumerate(document.references, 1))
    notes = "".join(f"<fn><p>{_text(note.text)}</p></fn>" for note in document.footnotes)
    listed = "\n".join(filter(None, (_element("title", title), entries)))
    inside = (f"<ref-list>\n{listed}\n</ref-list>" if entries else "") + _group("fn-group", notes)
    return _group("back", inside)


def _reference(number: int, entry: Reference) -> str:
    text = _text(entry.text.removeprefix(entry.label).strip())
    label = _element("label", entry.label)
    return f'<ref id="r{number}">{label}<mixed-citation>{text}</mixed-citation></ref>'
