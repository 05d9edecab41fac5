"""From a Document to rows of the public tables. Pure; runs in the child.

make_views(document, chunks, paper_id, file_name, bibtex)    # (MetadataRow(...), PageRow(...), ...)
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from quire import pdf
from quire.library import ids, tabular
from quire.library.tabular import shortened, table_summary
from quire.store import schema
from quire.text import sentence_texts
from quire.types import Box, Chunk, Document, Element, Image, Metadata

UNKNOWN = "uncategorized"
_SUMMARY = 50  # words
# Columns that are fields of the document's metadata, NULL where nothing is printed.
_PRINTED = (
    "received", "accepted", "published", "journal", "issue", "first_page", "last_page", "publisher",
    "licence", "keywords", "affiliations", "corresponding_author", "corresponding_email", "funding",
)  # fmt: skip
_CITED = ("authors", "venue", "volume", "first_page", "last_page", "doi")  # the same, of references
_LABEL = re.compile(r"([^\W\d]{1,40})\.?\s{0,9}(\d{1,9}|[IVX]{1,9})")


def make_views(
    document: Document, chunks: Sequence[Chunk], paper_id: str, file_name: str, bibtex: str
) -> tuple[schema.StoredRow, ...]:
    """The rows of a parsed paper, that of its metadata first, texts cleaned of what UTF-8 cannot hold."""
    maker = _Maker(document, chunks, paper_id)
    made = itertools.chain(
        [maker.metadata(file_name, bibtex)], maker.pages(), maker.sections(), maker.chunks(), maker.tables(),
        maker.images(), maker.equations(), maker.references(), maker.places(), maker.cells(),
        maker.sentences(),
    )  # fmt: skip
    return tuple(map(_clean, made))


@dataclass(frozen=True, slots=True)
class _Maker:
    document: Document
    passages: Sequence[Chunk]
    paper: str

    def metadata(self, file_name: str, bibtex: str) -> schema.MetadataRow:
        said = self.document.metadata
        return schema.MetadataRow(
            paper_id=self.paper,
            title=said.title,
            abstract=said.abstract,
            num_pages=len(self.document.pages),
            conference_full=said.venue or UNKNOWN,
            conference_abbreviation=said.venue_short or UNKNOWN,
            pub_year=said.year,
            volume=said.volume,
            download_url=download_url(said),
            bibtex=bibtex,
            authors=said.authors,
            pdf_path=file_name,
            tldr=pdf.tldr(self.document),
            tags=tuple(pdf.tags(self.document)),
            doi=said.doi.lower(),
            arxiv_id=said.arxiv_id,
            language=said.language,
            **{name: getattr(said, name) or None for name in _PRINTED},
        )

    def places(self) -> Iterator[schema.PlaceRow]:
        counts: Counter[str] = Counter()
        for place in self.document.metadata.places:
            ordinal = counts[place.field]
            counts[place.field] += 1
            yield schema.PlaceRow(
                place_id=self._id(f"metadata_places {place.field}", 0, ordinal),
                field=place.field,
                printed=place.text,
                **self._placed(place, ordinal),
            )

    def pages(self) -> Iterator[schema.PageRow]:
        for page in self.document.pages:
            yield schema.PageRow(
                page_id=self._page(page.number),
                page_number=page.number,
                page_width=whole(page.width),
                page_height=whole(page.height),
                page_content=page.text,
                page_summary=pdf.summarise(page.text, _SUMMARY),
                ref_paper_id=self.paper,
                page_label=page.label,
            )

    def sections(self) -> Iterator[schema.SectionRow]:
        for ordinal, section in enumerate(self.document.sections):
            number, title = section.number.strip(), section.title
            yield schema.SectionRow(
                section_id=self._section(ordinal),
                section_title=title if title.startswith(number) else f"{number} {title}",
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

    def chunks(self) -> Iterator[schema.ChunkRow]:
        for ordinal, chunk in on_pages(self.passages):
            yield schema.ChunkRow(
                chunk_id=self._id("chunks", chunk.page, ordinal),
                text_content=chunk.text,
                ref_section_id=None if chunk.section is None else self._section(chunk.section),
                **self._placed(chunk, ordinal),
            )

    def sentences(self) -> Iterator[schema.SentenceRow]:
        counts: Counter[int] = Counter()  # they are numbered on each page
        for ordinal, chunk in on_pages(self.passages):
            for sentence in chunk.sentences:
                number = counts[sentence.page]
                counts[sentence.page] += 1
                yield schema.SentenceRow(
                    sentence_id=self._id("sentences", sentence.page, number),
                    sentence_content=sentence.text,
                    ref_chunk_id=self._id("chunks", chunk.page, ordinal),
                    **self._placed(sentence, number),
                )

    def tables(self) -> Iterator[schema.TableRow]:
        for ordinal, table in on_pages(self.document.tables):
            yield schema.TableRow(
                table_id=self._id("tables", table.page, ordinal),
                table_caption=table.caption,
                table_content=table.html,
                table_summary=table_summary(table),
                table_label=table.label,
                **self._placed(table, ordinal),
            )

    def cells(self) -> Iterator[schema.CellRow]:
        for ordinal, table in on_pages(self.document.tables):
            table_id = self._id("tables", table.page, ordinal)
            texts = tabular.row_texts(table)
            for one in tabular.labelled(table):
                cell = one.cell
                yield schema.CellRow(
                    cell_id=ids.element_id(table_id, "cells", cell.row, cell.column),
                    cell_content=cell.text,
                    row_label=one.row_label,
                    column_label=one.column_label,
                    cell_number=one.number,
                    cell_unit=one.unit,
                    row_index=cell.row,
                    column_index=cell.column,
                    is_head=cell.head,
                    row_content="" if cell.head else texts.pop(cell.row, ""),
                    ref_table_id=table_id,
                    **self._placed(cell),
                )

    def images(self) -> Iterator[schema.ImageRow]:
        for ordinal, image in on_pages(self.document.images):
            yield schema.ImageRow(
                image_id=self._id("images", image.page, ordinal),
                image_caption=image.caption,
                image_summary=image_summary(image, self.document),
                image_label=image.label,
                **self._placed(image, ordinal),
            )

    def equations(self) -> Iterator[schema.EquationRow]:
        for ordinal, equation in on_pages(self.document.equations):
            yield schema.EquationRow(
                equation_id=self._id("equations", equation.page, ordinal),
                equation_content=equation.latex or equation.text,
                equation_number=equation.number,
                equation_format="latex" if equation.latex else "text",
                **self._placed(equation, ordinal),
            )

    def references(self) -> Iterator[schema.ReferenceRow]:
        for ordinal, entry in enumerate(self.document.references):
            cited: dict[str, Any] = {f"reference_{name}": getattr(entry, name) or None for name in _CITED}
            yield schema.ReferenceRow(
                reference_id=self._id("reference", 0, ordinal),
                reference_content=entry.text,
                reference_label=entry.label,
                reference_title=entry.title,
                reference_year=entry.year,
                cited_paper_id=None,
                **cited,
                **self._placed(entry, ordinal),
            )

    def _placed(self, element: Element, ordinal: int | None = None) -> dict[str, Any]:
        """What all rows of something that stands on a page tell, with its number if it has one."""
        place = {
            "bounding_box": int_box(element.bbox),
            "ref_paper_id": self.paper,
            "ref_page_id": self._page(element.page),
        }
        return place if ordinal is None else {**place, "ordinal": ordinal}

    def _id(self, table: str, page: int, ordinal: int) -> str:
        return ids.element_id(self.paper, table, page, ordinal)

    def _page(self, number: int) -> str:
        return ids.page_id(self.paper, number)

    def _section(self, ordinal: int) -> str:
        return self._id("sections", 0, ordinal)


def _clean(row: schema.StoredRow) -> schema.StoredRow:
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


_FARTHEST = 32_767  # points; pages end at 14 400, damaged files do not


def int_box(box: Box) -> schema.IntBox:
    """A box in whole points that is never empty and never beyond 16 bits."""
    return (whole(box.x0), whole(box.y0), max(1, whole(box.width)), max(1, whole(box.height)))


def whole(length: float) -> int:
    """A length in whole points."""
    if not math.isfinite(length):
        return 0
    return max(-_FARTHEST, min(_FARTHEST, round(length)))


_E = TypeVar("_E", bound=Element)


def on_pages(elements: Iterable[_E]) -> Iterator[tuple[int, _E]]:
    """Elements with their number among those of their page, from 0."""
    counts: Counter[int] = Counter()
    for element in elements:
        yield counts[element.page], element
        counts[element.page] += 1


def download_url(metadata: Metadata) -> str:
    """Where a paper can be had, from its arXiv id, its own words or its DOI; "" if it does not say."""
    if metadata.arxiv_id:
        return f"https://arxiv.org/pdf/{metadata.arxiv_id}"
    if metadata.url:
        return metadata.url
    return f"https://doi.org/{metadata.doi}" if metadata.doi else ""


def image_summary(image: Image, document: Document) -> str:
    """The first sentences of the paper that speak of the figure, else its caption, in at most 50 words."""
    found = _LABEL.search(image.label)
    if not found:
        return shortened(image.caption)
    stem, number = found.groups()
    mention = re.compile(rf"\b{re.escape(stem[:3])}[a-z]*\.?\s*{re.escape(number)}(?!\d)", re.IGNORECASE)
    told = []
    for section in document.sections:
        for paragraph in section.paragraphs:
            if mention.search(paragraph.text):
                told += [s for s in sentence_texts(paragraph.text) if mention.search(s)]
        if len(told) > 3:
            break
    return shortened(" ".join(told) or image.caption)
