"""The public tables, described once: for the rows that go in, for prompts and for hints of SQL errors.

    PageRow(page_id=..., page_number=1, ...)    # a row of `pages`; the fields are its columns, in order
    schema.table("pages").columns[1].doc        # "Number of the page in the file, from 1."

Names and types of the first columns of every table are those that agents of this kind are prompted with;
the rest are additions. Boxes are [x0, y0, width, height] in PDF points, origin at the page's top left.
"""

from dataclasses import dataclass, fields, replace
from datetime import date
from functools import partial
from typing import Annotated, ClassVar

IntBox = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its DuckDB type, what it holds, and the `table.column` that it points to, if any."""

    type: str
    doc: str
    refers: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One public table; its first column is its key."""

    name: str
    doc: str
    columns: tuple[Column, ...]

    @property
    def key(self) -> str:
        """Name of the primary key column."""
        return self.columns[0].name


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row of `TABLE`; ids are UUIDs as text."""

    TABLE: ClassVar[str]


_text, _texts = partial(Column, "VARCHAR"), partial(Column, "VARCHAR[]")
_id, _integer, _date = partial(Column, "UUID"), partial(Column, "INTEGER"), partial(Column, "DATE")
_PAPER = _id("The paper it belongs to: `metadata.paper_id`.", "metadata.paper_id")
_PAGE = _id("The page it stands on: `pages.page_id`.", "pages.page_id")
_BOX = Column(
    "INTEGER[4]",
    "Where it stands: [x0, y0, width, height] in points (1/72 inch) from the top left of the page.",
)
_ON_PAGE = _integer("Its number among those of its page, from 0.")


@dataclass(frozen=True, slots=True)
class MetadataRow(StoredRow):
    """One row per paper: what it says of itself."""

    TABLE: ClassVar[str] = "metadata"
    paper_id: Annotated[str, _id("Id of the paper, made of its content.")]
    title: Annotated[str, _text("Title.")]
    abstract: Annotated[str, _text("Abstract, '' if the paper has none.")]
    num_pages: Annotated[int, _integer("How many pages the file has.")]
    conference_full: Annotated[str, _text("Conference or journal in full; 'uncategorized' if not told.")]
    conference_abbreviation: Annotated[str, _text("Its abbreviation; 'uncategorized' if not told.")]
    pub_year: Annotated[int | None, _integer("Year of publication, NULL if not told.")]
    volume: Annotated[str, _text("Volume of the proceedings or journal, '' if not told.")]
    download_url: Annotated[str, _text("Where the paper can be had (from its DOI, arXiv id or own words).")]
    bibtex: Annotated[str, _text("A BibTeX entry made from the metadata.")]
    authors: Annotated[tuple[str, ...], _texts("Full names of the authors in order.")]
    pdf_path: Annotated[str, _text("File name of the PDF as it was added.")]
    tldr: Annotated[str, _text("The paper in a sentence or two.")]
    tags: Annotated[tuple[str, ...], _texts("Key words: the authors' own, or drawn from title and abstract.")]
    doi: Annotated[str, _text("DOI in lower case, '' if not told.")]
    arxiv_id: Annotated[str, _text("arXiv id without version, '' if not told.")]
    language: Annotated[str, _text("ISO 639-1 code of the language, '' if unsure.")]
    received: Annotated[date | None, _date("When the paper was received, NULL if not printed.")] = None
    accepted: Annotated[date | None, _date("When it was accepted, NULL if not printed.")] = None
    published: Annotated[
        date | None, _date("When it was (first) published, NULL if no full date is printed.")
    ] = None
    journal: Annotated[str | None, _text("Journal, as printed; NULL if none.")] = None
    issue: Annotated[str | None, _text("Issue of the volume, NULL if not printed.")] = None
    first_page: Annotated[
        str | None, _text("First page in the volume, or the article's number; NULL if not printed.")
    ] = None
    last_page: Annotated[str | None, _text("Last page in the volume, NULL if not printed.")] = None
    publisher: Annotated[str | None, _text("Publisher, NULL if not printed.")] = None
    licence: Annotated[str | None, _text("Licence, e.g. 'CC BY 4.0'; NULL if not printed.")] = None
    keywords: Annotated[
        tuple[str, ...] | None, _texts("All of the authors' own key words; NULL if none are printed.")
    ] = None
    affiliations: Annotated[
        tuple[str, ...] | None, _texts("Where the authors work, in printed order; NULL if not printed.")
    ] = None
    corresponding_author: Annotated[str | None, _text("Whom to write to, NULL if not printed.")] = None
    corresponding_email: Annotated[str | None, _text("The address to write to, NULL if not printed.")] = None
    funding: Annotated[str | None, _text("Who paid, as printed; NULL if not printed.")] = None
    corrected: Annotated[tuple[str, ...] | None, _texts("Columns of this row that a user has corrected.")] = (
        None
    )


@dataclass(frozen=True, slots=True)
class PageRow(StoredRow):
    """One row per page of each paper."""

    TABLE: ClassVar[str] = "pages"
    page_id: Annotated[str, _id("Id of the page.")]
    page_number: Annotated[int, _integer("Number of the page in the file, from 1.")]
    page_width: Annotated[int, _integer("Width in points.")]
    page_height: Annotated[int, _integer("Height in points.")]
    page_content: Annotated[str, _text("All text of the page in reading order.")]
    page_summary: Annotated[str, _text("A summary of the page.")]
    ref_paper_id: Annotated[str, _PAPER]
    page_label: Annotated[str, _text("The page number as printed, e.g. '117' or 'iv'; '' if none.")]


@dataclass(frozen=True, slots=True)
class ImageRow(StoredRow):
    """One row per figure."""

    TABLE: ClassVar[str] = "images"
    image_id: Annotated[str, _id("Id of the figure.")]
    image_caption: Annotated[str, _text("Caption with its label, '' if it has none.")]
    image_summary: Annotated[str, _text("What the paper says of the figure, shortened.")]
    bounding_box: Annotated[IntBox, _BOX]
    ordinal: Annotated[int, _ON_PAGE]
    ref_paper_id: Annotated[str, _PAPER]
    ref_page_id: Annotated[str, _PAGE]
    image_label: Annotated[str, _text("Label alone, e.g. 'Figure 2'.")]


@dataclass(frozen=True, slots=True)
class ChunkRow(StoredRow):
    """One row per passage: whole sentences of one section on one page, short enough to be encoded whole."""

    TABLE: ClassVar[str] = "chunks"
    chunk_id: Annotated[str, _id("Id of the passage.")]
    text_content: Annotated[str, _text("Text of the passage.")]
    ordinal: Annotated[int, _ON_PAGE]
    ref_paper_id: Annotated[str, _PAPER]
    ref_page_id: Annotated[str, _PAGE]
    bounding_box: Annotated[IntBox, _BOX]
    ref_section_id: Annotated[
        str | None, _id("The section it is of, NULL if of none.", "sections.section_id")
    ]


@dataclass(frozen=True, slots=True)
class TableRow(StoredRow):
    """One row per table."""

    TABLE: ClassVar[str] = "tables"
    table_id: Annotated[str, _id("Id of the table.")]
    table_caption: Annotated[str, _text("Caption with its label, '' if it has none.")]
    table_content: Annotated[str, _text("Cells as HTML, with header rows and spans.")]
    table_summary: Annotated[str, _text("Caption, column heads and size in words.")]
    bounding_box: Annotated[IntBox, _BOX]
    ordinal: Annotated[int, _ON_PAGE]
    ref_paper_id: Annotated[str, _PAPER]
    ref_page_id: Annotated[str, _PAGE]
    table_label: Annotated[str, _text("Label alone, e.g. 'Table 2'.")]


@dataclass(frozen=True, slots=True)
class SectionRow(StoredRow):
    """One row per section, with the text directly under its heading (subsections are rows of their own)."""

    TABLE: ClassVar[str] = "sections"
    section_id: Annotated[str, _id("Id of the section.")]
    section_title: Annotated[str, _text("Heading, with its printed number if it has one.")]
    section_content: Annotated[str, _text("Text under the heading.")]
    section_summary: Annotated[str, _text("A summary of that text.")]
    ordinal: Annotated[int, _integer("Its number among the sections of the paper, from 0.")]
    page_numbers: Annotated[tuple[int, ...], Column("INTEGER[]", "The pages it stands on.")]
    ref_paper_id: Annotated[str, _PAPER]
    section_number: Annotated[str, _text("Printed number, e.g. '3.2'; '' if none.")]
    section_level: Annotated[int, _integer("Depth in the section tree, 1 at the top.")]
    parent_section_id: Annotated[
        str | None, _id("The section that encloses it, if any.", "sections.section_id")
    ]
    bounding_box: Annotated[IntBox | None, Column("INTEGER[4]", f"The heading. {_BOX.doc}")]
    ref_page_id: Annotated[str, _id("The page of its heading: `pages.page_id`.", "pages.page_id")]


@dataclass(frozen=True, slots=True)
class EquationRow(StoredRow):
    """One row per displayed equation."""

    TABLE: ClassVar[str] = "equations"
    equation_id: Annotated[str, _id("Id of the equation.")]
    equation_content: Annotated[
        str, _text("LaTeX of the equation; its plain text if `equation_format` is 'text'.")
    ]
    ordinal: Annotated[int, _ON_PAGE]
    ref_paper_id: Annotated[str, _PAPER]
    ref_page_id: Annotated[str, _PAGE]
    bounding_box: Annotated[IntBox, _BOX]
    equation_number: Annotated[str, _text("Printed number, e.g. '(3)'; '' if none.")]
    equation_format: Annotated[
        str, _text("'latex'; or 'text': signs in reading order, where LaTeX was unsure.")
    ]


@dataclass(frozen=True, slots=True)
class ReferenceRow(StoredRow):
    """One row per entry of the list of references."""

    TABLE: ClassVar[str] = "reference"
    reference_id: Annotated[str, _id("Id of the entry.")]
    reference_content: Annotated[str, _text("The whole entry.")]
    ordinal: Annotated[int, _integer("Its number in the list of the paper, from 0.")]
    ref_paper_id: Annotated[str, _PAPER]
    ref_page_id: Annotated[str, _PAGE]
    bounding_box: Annotated[IntBox, _BOX]
    reference_label: Annotated[str, _text("Label as printed, e.g. '[12]'; '' in author-year lists.")]
    reference_title: Annotated[str, _text("Title of the cited work, as far as it can be told.")]
    reference_year: Annotated[int | None, _integer("Year of the cited work, NULL if not told.")]
    cited_paper_id: Annotated[
        str | None, _id("The cited paper, if it is in the library.", "metadata.paper_id")
    ]
    reference_authors: Annotated[
        tuple[str, ...] | None, _texts("Its authors as printed, in order; NULL if not told.")
    ] = None
    reference_venue: Annotated[
        str | None, _text("Journal, book or conference it appeared in, as printed; NULL if not told.")
    ] = None
    reference_volume: Annotated[str | None, _text("Volume, NULL if not told.")] = None
    reference_first_page: Annotated[str | None, _text("First page or article number, NULL if not told.")] = (
        None
    )
    reference_last_page: Annotated[str | None, _text("Last page in full, NULL if not told.")] = None
    reference_doi: Annotated[str | None, _text("DOI in lower case, NULL if not told.")] = None


@dataclass(frozen=True, slots=True)
class CellRow(StoredRow):
    """One row per cell with text of each table, heads too."""

    TABLE: ClassVar[str] = "cells"
    cell_id: Annotated[str, _id("Id of the cell.")]
    cell_content: Annotated[str, _text("Text of the cell.")]
    row_label: Annotated[str, _text("What names its row, outermost first, e.g. 'Women > Age'; '' in heads.")]
    column_label: Annotated[str, _text("Heads above it, topmost first, e.g. 'SQuAD > F1'; '' if none.")]
    cell_number: Annotated[
        float | None, Column("DOUBLE", "The number that the cell begins with; NULL for words and ranges.")
    ]
    cell_unit: Annotated[str, _text("Unit of that number as cell or labels say, e.g. '%'; '' if none.")]
    row_index: Annotated[int, _integer("Its row in the table, from 0, heads counted.")]
    column_index: Annotated[int, _integer("Its column in the table, from 0.")]
    is_head: Annotated[bool, Column("BOOLEAN", "Whether it is a head of columns.")]
    row_content: Annotated[
        str, _text("In the first cell of a row: caption and row, each value with its head.")
    ]
    bounding_box: Annotated[IntBox, _BOX]
    ref_table_id: Annotated[str, _id("The table it is of.", "tables.table_id")]
    ref_paper_id: Annotated[str, _PAPER]
    ref_page_id: Annotated[str, _PAGE]


@dataclass(frozen=True, slots=True)
class SentenceRow(StoredRow):
    """One row per sentence of each passage."""

    TABLE: ClassVar[str] = "sentences"
    sentence_id: Annotated[str, _id("Id of the sentence.")]
    sentence_content: Annotated[str, _text("Text of the sentence.")]
    ordinal: Annotated[int, _ON_PAGE]
    bounding_box: Annotated[IntBox, _BOX]
    ref_chunk_id: Annotated[str, _id("The passage it is of.", "chunks.chunk_id")]
    ref_paper_id: Annotated[str, _PAPER]
    ref_page_id: Annotated[str, _PAGE]


@dataclass(frozen=True, slots=True)
class PlaceRow(StoredRow):
    """One row per place where a value of `metadata` is printed."""

    TABLE: ClassVar[str] = "metadata_places"
    place_id: Annotated[str, _id("Id of the place.")]
    field: Annotated[str, _text("Column of `metadata`, e.g. 'received'.")]
    printed: Annotated[str, _text("What is printed there.")]
    ordinal: Annotated[int, _integer("Its number among the paper's places of that column, from 0.")]
    bounding_box: Annotated[IntBox, _BOX]
    ref_paper_id: Annotated[str, _PAPER]
    ref_page_id: Annotated[str, _PAGE]


VIEW_ROWS: tuple[type[StoredRow], ...] = (
    MetadataRow, PageRow, ImageRow, ChunkRow, TableRow, SectionRow, EquationRow, ReferenceRow,
    CellRow, SentenceRow, PlaceRow,
)  # fmt: skip


_columns: dict[str, tuple[Column, ...]] = {}  # by table


def columns(kind: type[StoredRow]) -> tuple[Column, ...]:
    """The columns of a kind of row, in order."""
    if kind.TABLE not in _columns:
        _columns[kind.TABLE] = tuple(
            replace(kind.__annotations__[field.name].__metadata__[0], name=field.name)
            for field in fields(kind)
        )
    return _columns[kind.TABLE]


TABLES: tuple[Table, ...] = tuple(Table(kind.TABLE, kind.__doc__ or "", columns(kind)) for kind in VIEW_ROWS)
NAMES: frozenset[str] = frozenset(t.name for t in TABLES)


def table(name: str) -> Table:
    """The public table of that name.

    Raises:
        KeyError: there is none.
    """
    return _BY_NAME[name]


_BY_NAME = {described.name: described for described in TABLES}
