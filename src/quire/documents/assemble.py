"""Raw pages into a `Document`: the order in which the parts of this room work.

Typography is measured, furniture and floats are taken out, every page is put in reading order, footnotes
are set apart, rows become blocks, blocks become front matter, sections and references. Any reader that
makes `RawPage`s can use it (see `parsers/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from quire.documents.floats import find_floats
from quire.documents.front.imprint import created
from quire.documents.front.matter import read_front
from quire.documents.hyphens import settled
from quire.documents.labels import page_labels
from quire.documents.layout.blocks import build_blocks
from quire.documents.layout.floatnotes import with_notes
from quire.documents.layout.furniture import find_furniture
from quire.documents.layout.linenumbers import without_line_numbers
from quire.documents.layout.notes import split_notes
from quire.documents.layout.profile import Profile, measure
from quire.documents.layout.rows import PageFlow, Row, flow
from quire.documents.outline import OutlineEntry, with_outline
from quire.documents.raw import RawPage
from quire.documents.references.find import take_references
from quire.documents.scans import is_scanned
from quire.documents.sections.contents import without_contents
from quire.documents.sections.headings import find_headings
from quire.documents.sections.tree import build_tree
from quire.documents.tables.loose import gutters
from quire.documents.words import tidy
from quire.types import Document, Metadata, Page, Reference


@dataclass(frozen=True)
class Source:
    """What a reader knows of a file besides its pages."""

    parser: str
    info: dict[str, str]
    outline: Sequence[OutlineEntry] = ()
    notes: tuple[str, ...] = ()


def assemble(pages: Sequence[RawPage], source: Source) -> Document:
    """The document that stands on these pages."""
    pages = [without_line_numbers(page) for page in pages]
    profile = measure(pages)
    furniture = find_furniture(pages)
    floats = find_floats(pages, profile, furniture)
    gutter = _usual_gutter(pages)
    flows = [
        flow(page, with_notes(floats.boxes.get(page.number, ()), page, profile), furniture, profile, gutter)
        for page in pages
    ]
    rows, notes = _running_text(pages, flows, profile)
    blocks = build_blocks(settled(rows, pages), profile)
    parts = without_contents(with_outline(find_headings(blocks, profile), source.outline, profile))
    front = read_front(parts, pages, flows, notes, profile, source.info)
    body, references = take_references(front.body)
    scanned = tuple(page.number for page in pages if is_scanned(page))
    labels = page_labels(pages, furniture)
    return Document(
        metadata=_dated(front.metadata, source, references),
        pages=tuple(
            Page(page.number, round(page.width, 2), round(page.height, 2), label, _page_text(done))
            for page, done, label in zip(pages, flows, labels, strict=True)
        ),
        sections=tuple(build_tree(front.abstract, body)),
        tables=floats.tables,
        images=floats.images,
        equations=floats.equations,
        references=tuple(references),
        scanned=scanned,
        parser=source.parser,
        notes=(*source.notes, *_notes(scanned, pages)),
    )


def _usual_gutter(pages: Sequence[RawPage]) -> float | None:
    """The middle of the page if most pages have two columns."""
    found = [cuts[0] for page in pages[:30] if len(cuts := gutters(page)) == 1]
    return found[0] if len(found) >= max(1, 0.5 * min(len(pages), 30)) else None


def _running_text(
    pages: Sequence[RawPage], flows: Sequence[PageFlow], profile: Profile
) -> tuple[list[Row], list[Row]]:
    rows: list[Row] = []
    notes: list[Row] = []
    for page, done in zip(pages, flows, strict=True):
        text, foot = split_notes(done.rows, page, profile)
        rows += text
        notes += foot
    return rows, notes


def _dated(metadata: Metadata, source: Source, references: Sequence[Reference]) -> Metadata:
    """With the year of the file where the pages print none."""
    if metadata.year is not None:
        return metadata
    newest = max((r.year for r in references if r.year), default=None)
    return replace(metadata, year=created(source.info.get("CreationDate", ""), newest))


def _page_text(done: PageFlow) -> str:
    return "\n".join(filter(None, (tidy(line) for line in done.text.split("\n"))))


def _notes(scanned: Sequence[int], pages: Sequence[RawPage]) -> tuple[str, ...]:
    notes = [note for page in pages for note in page.notes]
    if not scanned and not any(page.lines for page in pages):
        notes.append("There is no text in this file.")
    if scanned:
        which = ", ".join(map(str, scanned[:12])) + (" ..." if len(scanned) > 12 else "")
        notes.append(
            f"No usable text layer on page{'s' if len(scanned) > 1 else ''} {which}. "
            'Install the extra `quire[ocr]` and set `parsing.parser = "ocr"` to read scans.'
        )
    return tuple(notes)
