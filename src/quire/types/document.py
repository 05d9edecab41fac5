"""A parsed PDF: one document as many views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from typing import Literal, NamedTuple


class Piece(NamedTuple):
    """A part of a line without break: `u0` to `u1` along its direction, `v` its baseline, in points."""

    text: str
    u0: float
    u1: float
    v: float
    size: float  # of its type
    angle: int


class Box(NamedTuple):
    """A rectangle in PDF points, origin top left."""

    x0: float
    y0: float
    width: float
    height: float

    @property
    def x1(self) -> float:
        """Right edge."""
        return self.x0 + self.width

    @property
    def y1(self) -> float:
        """Bottom edge."""
        return self.y0 + self.height

    @classmethod
    def from_edges(cls, x0: float, y0: float, x1: float, y1: float) -> Box:
        """The box between two corners."""
        return cls(x0, y0, x1 - x0, y1 - y0)

    def union(self, other: Box) -> Box:
        """The smallest box that holds both."""
        return Box.from_edges(
            min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1)
        )


@dataclass(frozen=True, slots=True)
class Element:
    """Anything that stands in one place of one page.

    `confidence` is how sure the reader is that it is what it is told to be, 0 to 1; None where rules decide.
    """

    page: int
    bbox: Box
    confidence: float | None = field(default=None, kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class TextLine(Element):
    """A printed line of a paragraph: from the character `start` of its text on, it stands here."""

    start: int


class InlineSpan(NamedTuple):
    """A part of a text, from `start` to `end`: a formula (`shown` is its LaTeX), raised or lowered signs."""

    start: int
    end: int
    kind: Literal["math", "sup", "sub"]
    shown: str


@dataclass(frozen=True, slots=True)
class Paragraph(Element):
    """A paragraph (or list item) of running text; its box is on the page and in the column where it begins.

    `lines` tell where each part of the text stands, over columns and pages; empty if it is not known.
    `spans` are those formulas and scripts in it that are sure, in their order.
    """

    text: str
    lines: tuple[TextLine, ...] = ()
    spans: tuple[InlineSpan, ...] = field(default=(), kw_only=True, compare=False)
    kind: Literal["text", "item", "code"] = field(default="text", kw_only=True, compare=False)


@dataclass(frozen=True, slots=True)
class Section:
    """A section with the text that stands directly under its own heading (not in its subsections).

    `parent` is the ordinal (index in `Document.sections`) of the enclosing section; `level` is 1 for the
    top. `number` is the printed number ("3.2") or "". The paragraphs joined by blank lines are the text.
    """

    title: str
    number: str
    level: int
    parent: int | None
    page: int
    bbox: Box | None
    paragraphs: tuple[Paragraph, ...]
    pages: tuple[int, ...]
    confidence: float | None = field(default=None, kw_only=True, compare=False)  # that its title is one

    @property
    def text(self) -> str:
        """The section's own text."""
        return "\n\n".join(p.text for p in self.paragraphs)


@dataclass(frozen=True, slots=True)
class Sentence(Element):
    """A sentence of a passage (or the part of one that fits in it); its text stands so in the passage."""

    text: str


@dataclass(frozen=True, slots=True)
class Chunk(Element):
    """A passage for search: whole sentences of one section on one page, within the encoder's tokens."""

    text: str
    section: int | None  # index in Document.sections
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """One page: size in points, the label printed on it (or given by the file), its text in reading order."""

    number: int
    width: float
    height: float
    label: str
    text: str


@dataclass(frozen=True, slots=True)
class TableCell(Element):
    """A cell with text, on the page where it is printed; `head` if it is of the table's header rows.

    It covers rows `row` to `row_end` and columns `column` to `column_end`, both ends included, from 0.
    """

    row: int
    column: int
    row_end: int
    column_end: int
    text: str
    head: bool


@dataclass(frozen=True, slots=True)
class Table(Element):
    """A table: label ("Table 2" or ""), caption (with its label), cells as HTML with header rows, spans.

    `cells` are the same cells each in its place, row by row; those without text are left out.
    """

    label: str
    caption: str
    html: str
    cells: tuple[TableCell, ...] = ()

    def _repr_html_(self) -> str:
        columns = 1 + max((cell.column_end for cell in self.cells), default=0)
        grid = [[""] * columns for _ in range(2 + max((cell.row_end for cell in self.cells), default=0))]
        first = 0 if any(cell.head and cell.row == 0 for cell in self.cells) else 1
        for cell in self.cells:
            grid[cell.row + first][cell.column] = cell.text
        return table_html(grid[0], grid[1 : len(grid) - 1 + first], self.caption)


@dataclass(frozen=True, slots=True)
class Image(Element):
    """A figure: label ("Figure 2" or ""), caption (with its label, "" if it has none).

    `picture` is the file in which it was cut out of its page; "" if it was not.
    """

    label: str
    caption: str
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Equation(Element):
    """A displayed equation: its raw text, its printed number ("(3)" or ""), its LaTeX ("" where unsure)."""

    text: str
    number: str
    latex: str = ""


@dataclass(frozen=True, slots=True)
class Reference(Element):
    """One entry of the list of references. `label` as printed ("[12]", "12.", "" for author-year lists).

    What the entry does not tell is empty. `last_page` is in full ("161" of "145-61").
    """

    text: str
    label: str
    title: str
    year: int | None
    authors: tuple[str, ...] = ()
    venue: str = ""
    volume: str = ""
    first_page: str = ""
    last_page: str = ""
    doi: str = ""


@dataclass(frozen=True, slots=True)
class Place(Element):
    """Where a field of the metadata is printed, and the words there."""

    field: str
    text: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the paper says of itself; empty where it does not say."""

    title: str = ""
    authors: tuple[str, ...] = ()
    abstract: str = ""
    keywords: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""  # full name as printed: conference or journal
    venue_short: str = ""  # abbreviation, e.g. "ACL"
    volume: str = ""
    doi: str = ""
    arxiv_id: str = ""
    url: str = ""
    emails: tuple[str, ...] = ()
    language: str = ""  # ISO 639-1 as far as it can be told, e.g. "en"
    received: date | None = None
    accepted: date | None = None
    published: date | None = None
    journal: str = ""
    issue: str = ""
    first_page: str = ""  # in the volume; or the number of the article
    last_page: str = ""
    publisher: str = ""
    licence: str = ""  # "CC BY 4.0"
    affiliations: tuple[str, ...] = ()
    corresponding_author: str = ""
    corresponding_email: str = ""
    funding: str = ""
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A PDF as many views. Everything stands in reading order.

    `rest` is what no element holds of pages of which little stands in one: listings, forms, word lists.
    `footnotes` stand at the foot of a page; they may be in `rest` too.
    `scanned` holds the numbers of pages that have no usable text layer. `notes` says in words what could
    not be read, for people.
    """

    metadata: Metadata
    pages: tuple[Page, ...]
    sections: tuple[Section, ...] = ()
    tables: tuple[Table, ...] = ()
    images: tuple[Image, ...] = ()
    equations: tuple[Equation, ...] = ()
    references: tuple[Reference, ...] = ()
    rest: tuple[Paragraph, ...] = ()
    scanned: tuple[int, ...] = ()
    parser: str = ""  # name and version of the parser
    notes: tuple[str, ...] = ()
    footnotes: tuple[Paragraph, ...] = ()

    def _repr_html_(self) -> str:
        counts = ("pages", "tables", "images", "equations", "references")
        held = ", ".join(f"{len(getattr(self, name))} {name}" for name in counts)
        rows = [(f"{section.number} {section.title}", section.page) for section in self.sections]
        return table_html(("section", "page"), rows, f"{self.metadata.title or 'Untitled'}: {held}")

    def to(self, form: str) -> str:
        """The document as text of a form: md, json, jsonl, html, jats, or one that a package adds.

        Raises:
            UnknownNameError: there is no such form.
        """
        from quire.types.forms import FORMS

        return str(FORMS.load(form)(self))

    def to_markdown(self) -> str:
        """Headings, paragraphs, lists, tables, LaTeX, figures, references and footnotes as Markdown."""
        return self.to("md")

    def to_html(self) -> str:
        """The same as one page of HTML; whatever the PDF says is escaped."""
        return self.to("html")

    def to_json(self) -> str:
        """Every element in reading order, with kind, page, box and confidence."""
        return self.to("json")

    def to_jats(self) -> str:
        """The document in the XML of journals (JATS 1.3)."""
        return self.to("jats")


_ROWS = 50
_LONGEST = 600  # characters of a cell


def table_html(heads: Sequence[str], rows: Sequence[Iterable[object]], caption: str = "") -> str:
    """A table of HTML for a notebook: all is escaped; of long tables and cells the beginning."""
    more = f"{len(rows) - _ROWS} more rows" if len(rows) > _ROWS else ""
    told = " · ".join(part for part in (caption, more) if part)
    body = "".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows[:_ROWS])
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    foot = f"<caption>{escape(told)}</caption>" if told else ""
    return f"<table>{foot}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return escape(text if len(text) <= _LONGEST else f"{text[:_LONGEST]} [...]")
