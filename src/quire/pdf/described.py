"""What rows tell of the elements made of them: how sure they are, which are code or items, which footnotes.

The line classifier gives each row a probability of every role. An element's confidence is the mean, over its
rows, of the probability of the roles that would have made it the same kind of element. It was never fitted to
how often such elements are right: read it as an order, and look at what is low first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from quire.pdf.geometry import centre_in, runs
from quire.pdf.joining import join_rows
from quire.pdf.layout.blocks import box_of
from quire.pdf.line_classifier.model import Labelled
from quire.pdf.raw import typed
from quire.pdf.vocabulary import opening
from quire.types import Box, Document, Paragraph, Place, Section

_RUNNING = ("para", "text", "abstract", "runin")
_HEADING = ("heading", "runin")
_ENTRY = ("ref", "ref2")
_FIELDS = {
    "title": ("title",),
    "authors": ("author",),
    "abstract": ("abstract",),
    "affiliations": ("affiliation",),
}  # of the metadata, whose rows have a role of their own
_TYPED = 0.8  # share of typewriter type that makes a paragraph code
_ITEM = re.compile(r"[•◦▪‣●○■□]\s*\S|[–*-]\s+\S|\d{1,2}[.)]\s+\S|\(?(?:[ivx]{1,4}|[a-z]|\d{1,2})\)\s+\S")
_MARK = re.compile(r"(?:\d{1,3}|[*∗†‡§¶#]{1,3})(?=\s*[^\W\d_])")  # before the text of a footnote


def described(document: Document, labelled: Sequence[Labelled]) -> Document:
    """The document with what its rows tell."""
    placed = {(item.row.page, item.row.box): item for item in labelled}
    on_page = defaultdict[int, list[Labelled]](list)
    for item in labelled:
        on_page[item.row.page].append(item)
    return replace(
        document,
        metadata=replace(
            document.metadata,
            places=tuple(_told(place, on_page[place.page]) for place in document.metadata.places),
        ),
        sections=tuple(_section(section, placed, on_page) for section in document.sections),
        references=tuple(
            replace(entry, confidence=_sure(_within(on_page[entry.page], entry.bbox, _ENTRY), _ENTRY))
            for entry in document.references
        ),
        footnotes=footnotes(labelled),
    )


def _told(place: Place, rows: Sequence[Labelled]) -> Place:
    labels = _FIELDS.get(place.field, ())
    return replace(place, confidence=_sure(_within(rows, place.bbox, labels), labels))


def footnotes(labelled: Sequence[Labelled]) -> tuple[Paragraph, ...]:
    """Rows at the foot of pages, those of one note together."""

    def goes_on(note: list[int], at: int) -> bool:
        row = labelled[at].row
        marked = row.line.words[0].script == 1 or _MARK.match(row.text)
        return at == note[-1] + 1 and row.page == labelled[note[-1]].row.page and not marked

    found: list[Paragraph] = []
    for note in runs((at for at, item in enumerate(labelled) if item.label == "note"), goes_on):
        items = [labelled[at] for at in note]
        rows = [item.row for item in items]
        text = join_rows([row.line for row in rows])
        found.append(Paragraph(rows[0].page, box_of(rows), text, confidence=_sure(items, ("note",))))
    return tuple(found)


def _section(
    section: Section, placed: dict[tuple[int, Box], Labelled], on_page: dict[int, list[Labelled]]
) -> Section:
    labels = (*_HEADING, "abstract") if "abstract" in opening(section.title) else _HEADING
    rows = _within(on_page[section.page], section.bbox, labels) if section.title else []
    own = (_paragraph(paragraph, placed) for paragraph in section.paragraphs)
    return replace(section, paragraphs=tuple(own), confidence=_sure(rows, labels))


def _paragraph(paragraph: Paragraph, placed: dict[tuple[int, Box], Labelled]) -> Paragraph:
    items = [placed[line.page, line.bbox] for line in paragraph.lines if (line.page, line.bbox) in placed]
    words = [word for item in items for word in item.row.line.words]
    code = bool(words) and typed(words) >= _TYPED
    item = not code and bool(_ITEM.match(paragraph.text))
    return replace(
        paragraph, kind="code" if code else "item" if item else "text", confidence=_sure(items, _RUNNING)
    )


def _within(items: Iterable[Labelled], box: Box | None, labels: Sequence[str]) -> list[Labelled]:
    """The rows with one of these labels whose middle is in a box, or else that run on from it."""
    own = [item for item in items if box and item.label in labels]
    inside = [item for item in own if box and centre_in(item.row.line, box)]
    return inside or [item for item in own if box and centre_in(box, item.row.line)]


def _sure(items: Sequence[Labelled], labels: Sequence[str]) -> float | None:
    """The mean probability of the labels; None where no row is known."""
    if not items:
        return None
    total = sum(min(1.0, sum(item.score(label) for label in labels)) for item in items)
    return round(total / len(items), 3)
