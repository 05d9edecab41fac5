"""Raw pages into a `Document`: the order in which the parts of this room work.

Typography is measured, headers, footers and floats are taken out, every page is put in reading order, every
row gets a label (`line_classifier/`), and labelled rows become front matter, sections and references. Any
reader that makes `RawPage`s can use it (see `parsers/`).

The line classifier gives each row a probability of every role. An element's confidence is the mean, over its
rows, of the probability of the roles that would have made it the same kind of element. It was never fitted to
how often such elements are right: read it as an order, and look at what is low first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.pdf.citations import read_references
from quire.pdf.floats import FoundFloats, find_floats, with_notes
from quire.pdf.front.abstract import given_back
from quire.pdf.front.imprint import created
from quire.pdf.front.matter import Front, read_front
from quire.pdf.front.title import sheets
from quire.pdf.geometry import runs
from quire.pdf.guard import Guard
from quire.pdf.joining import join_rows
from quire.pdf.layout.blocks import box_of, settled, sure, vocabulary
from quire.pdf.layout.headers_footers import (
    page_labels,
    with_heads,
    without_doubles,
    without_line_numbers,
)
from quire.pdf.layout.profile import Profile, measure
from quire.pdf.layout.rows import PageFlow, PagePiece, Row, flow
from quire.pdf.line_classifier.model import LineClassifier, shipped
from quire.pdf.line_classifier.repair import bookmarked, repaired
from quire.pdf.pagetext import left_over, page_texts
from quire.pdf.raw import FileFacts, RawPage
from quire.pdf.scans import is_scanned, scan_note
from quire.pdf.sections.parts import body_parts
from quire.pdf.sections.tree import BodyPart, build_tree, with_introduction
from quire.types import Document, Metadata, Page, Paragraph, Reference

_KINDS = (("title",), ("abstract",), ("heading", "runin", "para", "text"), ("ref", "ref2"))


def assemble(
    pages: Sequence[RawPage], source: FileFacts, classifier: LineClassifier | None = None
) -> Document:
    """The document that stands on these pages, by the line classifier of this package or another."""
    laid = lay_out(pages)
    pages, flows, floats, profile = laid.pages, laid.flows, laid.floats, laid.profile
    rows = [row for done in flows for row in done.rows]
    guard = laid.guard
    cover = guard.run("cover sheets", 0, sheets, flows, profile.size)
    labelled = guard.run(
        "roles of lines", list[Row](), _labelled, rows, laid, source, cover, classifier or shipped()
    )
    unread = Front(Metadata(), [])
    front = guard.run("front matter", unread, read_front, labelled, pages, flows, source.info)
    running = given_back(labelled, front.abstract, profile.size)
    body = guard.run("sections", list[BodyPart](), body_parts, running, profile)
    references = guard.run("references", list[Reference](), read_references, labelled)
    scanned = tuple(page.number for page in pages if is_scanned(page))
    labels = page_labels(pages)
    sections = tuple(with_introduction(build_tree(front.abstract, body), front.metadata.language))
    texts = page_texts(flows, sections, floats.equations)
    metadata = front.metadata
    if metadata.year is None:
        newest = max((r.year for r in references if r.year), default=None)
        metadata = replace(metadata, year=created(source.info.get("CreationDate", ""), newest))
    document = Document(
        metadata=metadata,
        pages=tuple(
            Page(page.number, round(page.width, 2), round(page.height, 2), label, text)
            for page, text, label in zip(pages, texts, labels, strict=True)
        ),
        sections=sections,
        tables=floats.tables,
        images=floats.images,
        equations=floats.equations,
        references=tuple(references),
        scanned=scanned,
        parser=source.parser,
        footnotes=guard.run("footnotes", (), footnotes, labelled),
    )
    rest = guard.run("lines of no section", list[Paragraph](), left_over, document, flows)
    notes = (*source.notes, *_notes(scanned, pages))
    return replace(document, rest=tuple(rest), notes=(*notes, *guard.notes))


@dataclass(frozen=True)
class Layout:
    """Pages in reading order, with what is no running text set apart."""

    pages: Sequence[RawPage]
    profile: Profile
    floats: FoundFloats
    flows: Sequence[PageFlow]
    guard: Guard


def lay_out(pages: Sequence[RawPage]) -> Layout:
    """Measure the type, take out headers, footers and floats, put every page in reading order."""
    pages = with_heads([without_doubles(without_line_numbers(page)) for page in pages])
    profile = measure(pages)
    guard = Guard()
    floats = find_floats(pages, profile, guard)
    flows: list[PageFlow] = []
    for page in pages:
        what = f"order of page {page.number}"
        # in the order of the file, for search at least
        as_drawn = PageFlow(page.number, (), tuple(PagePiece(line.text) for line in page.lines))
        flows.append(guard.run(what, as_drawn, _flow, page, floats, profile))
    return Layout(pages, profile, floats, flows, guard)


def _flow(page: RawPage, floats: FoundFloats, profile: Profile) -> PageFlow:
    boxes = with_notes(floats.boxes.get(page.number, ()), floats.tables, page, profile)
    return flow(page, boxes, profile)


def rows_of(pages: Sequence[RawPage]) -> list[Row]:
    """The rows of running text of a document, in reading order: what the line classifier labels."""
    return [row for done in lay_out(pages).flows for row in done.rows]


def _labelled(
    rows: Sequence[Row], laid: Layout, source: FileFacts, cover: int, classifier: LineClassifier
) -> list[Row]:
    """The rows with their labels; those of the first `cover` pages are nothing of the paper's."""
    apart = [replace(row, label="other") for row in rows if row.page <= cover]
    found = repaired(classifier.label(rows[len(apart) :], laid.pages, laid.profile, source))
    return _settled([*apart, *bookmarked(found, source.outline)], laid.pages)


def _settled(labelled: Sequence[Row], pages: Sequence[RawPage]) -> list[Row]:
    """With the hyphens of line ends settled between rows of one kind, whatever stands between them."""
    out = list(labelled)
    known = vocabulary(pages)
    for kinds in _KINDS:
        at = [i for i, row in enumerate(out) if row.label in kinds]
        for i, row in zip(at, settled([out[i] for i in at], known), strict=True):
            out[i] = row
    return out


def _notes(scanned: Sequence[int], pages: Sequence[RawPage]) -> tuple[str, ...]:
    notes = [note for page in pages for note in page.notes]
    if not scanned and not any(page.lines for page in pages):
        notes.append("There is no text in this file.")
    if scanned:
        notes.append(scan_note(scanned))
    return tuple(notes)


_MARK = re.compile(r"(?:\d{1,3}|[*∗†‡§¶#]{1,3})(?=\s*[^\W\d_])")  # before the text of a footnote


def footnotes(labelled: Sequence[Row]) -> tuple[Paragraph, ...]:
    """Rows at the foot of pages, those of one note together."""

    def goes_on(note: list[int], at: int) -> bool:
        row = labelled[at]
        marked = row.line.words[0].script == 1 or _MARK.match(row.text)
        return at == note[-1] + 1 and row.page == labelled[note[-1]].page and not marked

    found: list[Paragraph] = []
    for note in runs((at for at, row in enumerate(labelled) if row.label == "note"), goes_on):
        rows = [labelled[at] for at in note]
        text = join_rows([row.line for row in rows])
        found.append(Paragraph(rows[0].page, box_of(rows), text, confidence=sure(rows, ("note",))))
    return tuple(found)
