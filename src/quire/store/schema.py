"""The public tables, described once: for `quire schema`, for prompts and for the hints of SQL errors.

    schema.table("pages").column("page_number").doc     ->  "Number of the page in the file, from 1."
    schema.ddl()                                        ->  "CREATE TABLE metadata (..."

Names and types of the first columns of every table are those that agents of this kind are prompted with;
the rest are additions. Boxes are [x0, y0, width, height] in PDF points, origin at the page's top left.
"""

from __future__ import annotations

from dataclasses import dataclass

BOX = "Where it stands: [x0, y0, width, height] in points (1/72 inch) from the top left of the page."
PAPER = "The paper it belongs to: `metadata.paper_id`."
PAGE = "The page it stands on: `pages.page_id`."
ON_PAGE = "Its number among those of its page, from 0."


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its DuckDB type, what it holds, and the `table.column` that it points to, if any."""

    name: str
    type: str
    doc: str
    refers: str = ""


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

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            KeyError: there is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


def _paper() -> Column:
    return Column("ref_paper_id", "UUID", PAPER, "metadata.paper_id")


def _page() -> Column:
    return Column("ref_page_id", "UUID", PAGE, "pages.page_id")


def _box() -> Column:
    return Column("bounding_box", "INTEGER[4]", BOX)


METADATA = Table(
    "metadata",
    "One row per paper: what it says of itself.",
    (
        Column("paper_id", "UUID", "Id of the paper, made of its content."),
        Column("title", "VARCHAR", "Title."),
        Column("abstract", "VARCHAR", "Abstract, '' if the paper has none."),
        Column("num_pages", "INTEGER", "How many pages the file has."),
        Column("conference_full", "VARCHAR", "Conference or journal in full; 'uncategorized' if not told."),
        Column("conference_abbreviation", "VARCHAR", "Its abbreviation; 'uncategorized' if not told."),
        Column("pub_year", "INTEGER", "Year of publication, NULL if not told."),
        Column("volume", "VARCHAR", "Volume of the proceedings or journal, '' if not told."),
        Column(
            "download_url", "VARCHAR", "Where the paper can be had (from its DOI, arXiv id or own words)."
        ),
        Column("bibtex", "VARCHAR", "A BibTeX entry made from the metadata."),
        Column("authors", "VARCHAR[]", "Full names of the authors in order."),
        Column("pdf_path", "VARCHAR", "File name of the PDF as it was added."),
        Column("tldr", "VARCHAR", "The paper in a sentence or two."),
        Column("tags", "VARCHAR[]", "Key words: the authors' own, or drawn from title and abstract."),
        Column("doi", "VARCHAR", "DOI in lower case, '' if not told."),
        Column("arxiv_id", "VARCHAR", "arXiv id without version, '' if not told."),
        Column("language", "VARCHAR", "ISO 639-1 code of the language, '' if unsure."),
    ),
)
PAGES = Table(
    "pages",
    "One row per page of each paper.",
    (
        Column("page_id", "UUID", "Id of the page."),
        Column("page_number", "INTEGER", "Number of the page in the file, from 1."),
        Column("page_width", "INTEGER", "Width in points."),
        Column("page_height", "INTEGER", "Height in points."),
        Column("page_content", "VARCHAR", "All text of the page in reading order."),
        Column("page_summary", "VARCHAR", "A summary of the page."),
        _paper(),
        Column("page_label", "VARCHAR", "The page number as printed, e.g. '117' or 'iv'; '' if none."),
    ),
)
IMAGES = Table(
    "images",
    "One row per figure.",
    (
        Column("image_id", "UUID", "Id of the figure."),
        Column("image_caption", "VARCHAR", "Caption with its label, '' if it has none."),
        Column("image_summary", "VARCHAR", "What the paper says of the figure, shortened."),
        _box(),
        Column("ordinal", "INTEGER", ON_PAGE),
        _paper(),
        _page(),
        Column("image_label", "VARCHAR", "Label alone, e.g. 'Figure 2'."),
    ),
)
CHUNKS = Table(
    "chunks",
    "One row per passage: whole sentences of one section on one page, short enough to be encoded whole.",
    (
        Column("chunk_id", "UUID", "Id of the passage."),
        Column("text_content", "VARCHAR", "Text of the passage."),
        Column("ordinal", "INTEGER", ON_PAGE),
        _paper(),
        _page(),
        _box(),
        Column("ref_section_id", "UUID", "The section it is of, NULL if of none.", "sections.section_id"),
    ),
)
TABLES_TABLE = Table(
    "tables",
    "One row per table.",
    (
        Column("table_id", "UUID", "Id of the table."),
        Column("table_caption", "VARCHAR", "Caption with its label, '' if it has none."),
        Column("table_content", "VARCHAR", "Cells as HTML, with header rows and spans."),
        Column("table_summary", "VARCHAR", "Caption, column heads and size in words."),
        _box(),
        Column("ordinal", "INTEGER", ON_PAGE),
        _paper(),
        _page(),
        Column("table_label", "VARCHAR", "Label alone, e.g. 'Table 2'."),
    ),
)
SECTIONS = Table(
    "sections",
    "One row per section, with the text directly under its heading (subsections are rows of their own).",
    (
        Column("section_id", "UUID", "Id of the section."),
        Column("section_title", "VARCHAR", "Heading, with its printed number if it has one."),
        Column("section_content", "VARCHAR", "Text under the heading."),
        Column("section_summary", "VARCHAR", "A summary of that text."),
        Column("ordinal", "INTEGER", "Its number among the sections of the paper, from 0."),
        Column("page_numbers", "INTEGER[]", "The pages it stands on."),
        _paper(),
        Column("section_number", "VARCHAR", "Printed number, e.g. '3.2'; '' if none."),
        Column("section_level", "INTEGER", "Depth in the section tree, 1 at the top."),
        Column("parent_section_id", "UUID", "The section that encloses it, if any.", "sections.section_id"),
        Column("bounding_box", "INTEGER[4]", f"The heading. {BOX}"),
        Column("ref_page_id", "UUID", "The page of its heading: `pages.page_id`.", "pages.page_id"),
    ),
)
EQUATIONS = Table(
    "equations",
    "One row per displayed equation.",
    (
        Column("equation_id", "UUID", "Id of the equation."),
        Column(
            "equation_content",
            "VARCHAR",
            "LaTeX of the equation; its plain text if `equation_format` is 'text'.",
        ),
        Column("ordinal", "INTEGER", ON_PAGE),
        _paper(),
        _page(),
        _box(),
        Column("equation_number", "VARCHAR", "Printed number, e.g. '(3)'; '' if none."),
        Column(
            "equation_format",
            "VARCHAR",
            "'latex'; or 'text': signs in reading order, where LaTeX was unsure.",
        ),
    ),
)
REFERENCE = Table(
    "reference",
    "One row per entry of the list of references.",
    (
        Column("reference_id", "UUID", "Id of the entry."),
        Column("reference_content", "VARCHAR", "The whole entry."),
        Column("ordinal", "INTEGER", "Its number in the list of the paper, from 0."),
        _paper(),
        _page(),
        _box(),
        Column("reference_label", "VARCHAR", "Label as printed, e.g. '[12]'; '' in author-year lists."),
        Column("reference_title", "VARCHAR", "Title of the cited work, as far as it can be told."),
        Column("reference_year", "INTEGER", "Year of the cited work, NULL if not told."),
        Column("cited_paper_id", "UUID", "The cited paper, if it is in the library.", "metadata.paper_id"),
    ),
)
CELLS = Table(
    "cells",
    "One row per cell with text of each table, heads too.",
    (
        Column("cell_id", "UUID", "Id of the cell."),
        Column("cell_content", "VARCHAR", "Text of the cell."),
        Column(
            "row_label", "VARCHAR", "What names its row, outermost first, e.g. 'Women > Age'; '' in heads."
        ),
        Column("column_label", "VARCHAR", "Heads above it, topmost first, e.g. 'SQuAD > F1'; '' if none."),
        Column("cell_number", "DOUBLE", "The number that the cell begins with; NULL for words and ranges."),
        Column("cell_unit", "VARCHAR", "Unit of that number as cell or labels say, e.g. '%'; '' if none."),
        Column("row_index", "INTEGER", "Its row in the table, from 0, heads counted."),
        Column("column_index", "INTEGER", "Its column in the table, from 0."),
        Column("is_head", "BOOLEAN", "Whether it is a head of columns."),
        Column(
            "row_content", "VARCHAR", "In the first cell of a row: caption and row, each value with its head."
        ),
        _box(),
        Column("ref_table_id", "UUID", "The table it is of.", "tables.table_id"),
        _paper(),
        _page(),
    ),
)
SENTENCES = Table(
    "sentences",
    "One row per sentence of each passage.",
    (
        Column("sentence_id", "UUID", "Id of the sentence."),
        Column("sentence_content", "VARCHAR", "Text of the sentence."),
        Column("ordinal", "INTEGER", ON_PAGE),
        _box(),
        Column("ref_chunk_id", "UUID", "The passage it is of.", "chunks.chunk_id"),
        _paper(),
        _page(),
    ),
)

TABLES: tuple[Table, ...] = (
    METADATA, PAGES, IMAGES, CHUNKS, TABLES_TABLE, SECTIONS, EQUATIONS, REFERENCE, CELLS, SENTENCES,
)  # fmt: skip
NAMES: frozenset[str] = frozenset(t.name for t in TABLES)


def table(name: str) -> Table:
    """The public table of that name.

    Raises:
        KeyError: there is none.
    """
    for described in TABLES:
        if described.name == name:
            return described
    raise KeyError(name)


def ddl(described: Table | None = None) -> str:
    """Commented CREATE TABLE statements of all public tables (or one), as agents are shown them."""
    if described is None:
        return "\n".join(ddl(t) for t in TABLES)
    lines = [f"/* {described.name}: {described.doc} */", f"CREATE TABLE {described.name} ("]
    lines += [f"\t{c.name} {c.type}, -- {c.doc}" for c in described.columns]
    lines.append(f"\tPRIMARY KEY ({described.key})")
    for column in described.columns:
        if column.refers:
            other, _, key = column.refers.partition(".")
            lines[-1] += ","
            lines.append(f"\tFOREIGN KEY ({column.name}) REFERENCES {other}({key})")
    return "\n".join([*lines, ");"])


def compact() -> str:
    """One line per table, for short prompts: `pages(page_id, page_number, ...)`."""
    return "\n".join(f"{t.name}({', '.join(c.name for c in t.columns)})" for t in TABLES)
