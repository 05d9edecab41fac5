"""From a Document to rows of the public tables. Pure; runs in the child.

views = make_views(document, chunks, paper_id, file_name, bibtex)
views.rows       # MetadataRow, PageRow, ... ready for `store.rows.insert`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from quire import pdf
from quire.library import float_summaries, ids
from quire.library.parts import cell_rows, int_box, on_pages, sentence_rows, whole
from quire.store.schema import (
    ChunkRow,
    EquationRow,
    ImageRow,
    MetadataRow,
    PageRow,
    PlaceRow,
    ReferenceRow,
    SectionRow,
    StoredRow,
    TableRow,
)
from quire.types import Chunk, Document, Section

UNKNOWN = "uncategorized"
_SUMMARY = 50  # words


@dataclass(frozen=True, slots=True)
class Views:
    """All rows of one paper."""

    paper_id: str
    rows: tuple[StoredRow, ...]


def make_views(
    document: Document, chunks: Sequence[Chunk], paper_id: str, file_name: str, bibtex: str
) -> Views:
    """The rows of a parsed paper, texts cleaned of what UTF-8 cannot hold."""
    maker = _Maker(document, chunks, paper_id)
    rows: list[StoredRow] = [maker.metadata(file_name, bibtex)]
    for made in (
        maker.pages(), maker.sections(), maker.chunks(), maker.tables(), maker.images(), maker.equations(),
        maker.references(), maker.places(), cell_rows(document.tables, paper_id),
        sentence_rows(chunks, paper_id),
    ):  # fmt: skip
        rows.extend(made)
    return Views(paper_id, tuple(_clean(row) for row in rows))


@dataclass(frozen=True, slots=True)
class _Maker:
    document: Document
    passages: Sequence[Chunk]
    paper: str

    def metadata(self, file_name: str, bibtex: str) -> MetadataRow:
        said = self.document.metadata
        return MetadataRow(
            paper_id=self.paper,
            title=said.title,
            abstract=said.abstract,
            num_pages=len(self.document.pages),
            conference_full=said.venue or UNKNOWN,
            conference_abbreviation=said.venue_short or UNKNOWN,
            pub_year=said.year,
            volume=said.volume,
            download_url=float_summaries.download_url(said),
            bibtex=bibtex,
            authors=said.authors,
            pdf_path=file_name,
            tldr=pdf.tldr(self.document),
            tags=tuple(pdf.tags(self.document)),
            doi=said.doi.lower(),
            arxiv_id=said.arxiv_id,
            language=said.language,
            received=said.received,
            accepted=said.accepted,
            published=said.published,
            journal=said.journal or None,
            issue=said.issue or None,
            first_page=said.first_page or None,
            last_page=said.last_page or None,
            publisher=said.publisher or None,
            licence=said.licence or None,
            keywords=said.keywords or None,
            affiliations=said.affiliations or None,
            corresponding_author=said.corresponding_author or None,
            corresponding_email=said.corresponding_email or None,
            funding=said.funding or None,
        )

    def places(self) -> Iterator[PlaceRow]:
        counts: Counter[str] = Counter()
        for place in self.document.metadata.places:
            ordinal = counts[place.field]
            counts[place.field] += 1
            yield PlaceRow(
                place_id=ids.element_id(self.paper, f"metadata_places {place.field}", 0, ordinal),
                field=place.field,
                printed=place.text,
                ordinal=ordinal,
                bounding_box=int_box(place.bbox),
                ref_paper_id=self.paper,
                ref_page_id=self._page(place.page),
            )

    def pages(self) -> Iterator[PageRow]:
        for page in self.document.pages:
            yield PageRow(
                page_id=self._page(page.number),
                page_number=page.number,
                page_width=whole(page.width),
                page_height=whole(page.height),
                page_content=page.text,
                page_summary=pdf.summarise(page.text, _SUMMARY),
                ref_paper_id=self.paper,
                page_label=page.label,
            )

    def sections(self) -> Iterator[SectionRow]:
        for ordinal, section in enumerate(self.document.sections):
            yield SectionRow(
                section_id=self._section(ordinal),
                section_title=_heading(section),
                section_content=section.text,
                section_summary=pdf.summarise(section.text, _SUMMARY),
                ordinal=ordinal,
                page_numbers=tuple(section.pages) or (section.page,),
                ref_paper_id=self.paper,
                section_number=section.number,
                section_level=section.level,
                parent_section_id=None if section.parent is None else self._section(section.parent),
                bounding_box=int_box(section.bbox) if section.bbox else None,
                ref_page_id=self._page(section.page),
            )

    def chunks(self) -> Iterator[ChunkRow]:
        for ordinal, chunk in on_pages(self.passages):
            yield ChunkRow(
                chunk_id=ids.element_id(self.paper, "chunks", chunk.page, ordinal),
                text_content=chunk.text,
                ordinal=ordinal,
                ref_paper_id=self.paper,
                ref_page_id=self._page(chunk.page),
                bounding_box=int_box(chunk.bbox),
                ref_section_id=None if chunk.section is None else self._section(chunk.section),
            )

    def tables(self) -> Iterator[TableRow]:
        for ordinal, table in on_pages(self.document.tables):
            yield TableRow(
                table_id=ids.element_id(self.paper, "tables", table.page, ordinal),
                table_caption=table.caption,
                table_content=table.html,
                table_summary=float_summaries.table_summary(table),
                bounding_box=int_box(table.bbox),
                ordinal=ordinal,
                ref_paper_id=self.paper,
                ref_page_id=self._page(table.page),
                table_label=table.label,
            )

    def images(self) -> Iterator[ImageRow]:
        for ordinal, image in on_pages(self.document.images):
            yield ImageRow(
                image_id=ids.element_id(self.paper, "images", image.page, ordinal),
                image_caption=image.caption,
                image_summary=float_summaries.image_summary(image, self.document),
                bounding_box=int_box(image.bbox),
                ordinal=ordinal,
                ref_paper_id=self.paper,
                ref_page_id=self._page(image.page),
                image_label=image.label,
            )

    def equations(self) -> Iterator[EquationRow]:
        for ordinal, equation in on_pages(self.document.equations):
            yield EquationRow(
                equation_id=ids.element_id(self.paper, "equations", equation.page, ordinal),
                equation_content=equation.latex or equation.text,
                ordinal=ordinal,
                ref_paper_id=self.paper,
                ref_page_id=self._page(equation.page),
                bounding_box=int_box(equation.bbox),
                equation_number=equation.number,
                equation_format="latex" if equation.latex else "text",
            )

    def references(self) -> Iterator[ReferenceRow]:
        for ordinal, entry in enumerate(self.document.references):
            yield ReferenceRow(
                reference_id=ids.element_id(self.paper, "reference", 0, ordinal),
                reference_content=entry.text,
                ordinal=ordinal,
                ref_paper_id=self.paper,
                ref_page_id=self._page(entry.page),
                bounding_box=int_box(entry.bbox),
                reference_label=entry.label,
                reference_title=entry.title,
                reference_year=entry.year,
                cited_paper_id=None,
                reference_authors=entry.authors or None,
                reference_venue=entry.venue or None,
                reference_volume=entry.volume or None,
                reference_first_page=entry.first_page or None,
                reference_last_page=entry.last_page or None,
                reference_doi=entry.doi or None,
            )

    def _page(self, number: int) -> str:
        return ids.page_id(self.paper, number)

    def _section(self, ordinal: int) -> str:
        return ids.element_id(self.paper, "sections", 0, ordinal)


def _heading(section: Section) -> str:
    number = section.number.strip()
    if not number or section.title.startswith(number):
        return section.title
    return f"{number} {section.title}"


def _clean(row: StoredRow) -> StoredRow:
    changed: dict[str, Any] = {}
    for field in fields(row):
        value = getattr(row, field.name)
        if isinstance(value, str) and (not value.isascii() or "\0" in value):
            changed[field.name] = _text(value)
        elif isinstance(value, tuple) and value and isinstance(value[0], str):
            changed[field.name] = tuple(_text(text) for text in value)
    return replace(row, **changed) if changed else row


def _text(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode()
