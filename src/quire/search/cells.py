"""What is encoded: the columns, and the units in them. A unit is one value of one row of a parsed view.

The encodable (table, column) pairs are the ones that agents are told of. Their order numbers them on disk
(`Pair.number`): append to it, never reorder. Units of some pairs are what `quire search` ranks (`KINDS`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quire.errors import QueryError
from quire.types import Box

Modality = Literal["text", "image"]


@dataclass(frozen=True, slots=True)
class EncodableColumn:
    """An encodable column: its table, the column, the table's key column, and what a cell of it is."""

    number: int
    table: str
    column: str
    key: str
    modality: Modality


def _pairs(*rows: tuple[str, str, str, Modality]) -> tuple[EncodableColumn, ...]:
    return tuple(EncodableColumn(number, *row) for number, row in enumerate(rows))


ENCODABLE: tuple[EncodableColumn, ...] = _pairs(
    ("metadata", "title", "paper_id", "text"),
    ("metadata", "abstract", "paper_id", "text"),
    ("metadata", "bibtex", "paper_id", "text"),
    ("metadata", "tldr", "paper_id", "text"),
    ("pages", "page_content", "page_id", "text"),
    ("pages", "page_summary", "page_id", "text"),
    ("images", "image_caption", "image_id", "text"),
    ("images", "image_summary", "image_id", "text"),
    ("images", "bounding_box", "image_id", "image"),
    ("chunks", "text_content", "chunk_id", "text"),
    ("tables", "table_caption", "table_id", "text"),
    ("tables", "table_content", "table_id", "text"),
    ("tables", "table_summary", "table_id", "text"),
    ("tables", "bounding_box", "table_id", "image"),
    ("sections", "section_title", "section_id", "text"),
    ("sections", "section_content", "section_id", "text"),
    ("sections", "section_summary", "section_id", "text"),
    ("equations", "equation_content", "equation_id", "text"),
    ("reference", "reference_content", "reference_id", "text"),
    ("cells", "row_content", "cell_id", "text"),  # a row at a time: single numbers say nothing
    ("sentences", "sentence_content", "sentence_id", "text"),
)
_BY_NAME = {(pair.table, pair.column): pair for pair in ENCODABLE}


def main_column(table: str) -> str:
    """The column of a table that is searched where none is named; "" where it has none."""
    return next((each.column for each in ENCODABLE if each.table == table), "")


def pair(table: str, column: str) -> EncodableColumn:
    """The encodable pair of that name.

    Raises:
        QueryError: the table has no encodable column, or not that one; the message lists the choices.
    """
    if found := _BY_NAME.get((table, column)):
        return found
    columns = [p.column for p in ENCODABLE if p.table == table]
    if not columns:
        tables = sorted({p.table for p in ENCODABLE})
        raise QueryError(
            f"Table `{table}` has no encodable column.", hint=f"Choose from: {', '.join(tables)}."
        )
    raise QueryError(
        f"Column `{column}` of table `{table}` is not encoded.", hint=f"Choose from: {', '.join(columns)}."
    )


# What one search looks through.
KINDS: dict[str, EncodableColumn] = {
    "sentence": pair("sentences", "sentence_content"),
    "row": pair("cells", "row_content"),
    "table": pair("tables", "table_caption"),
    "figure": pair("images", "image_caption"),
    "heading": pair("sections", "section_title"),
    "abstract": pair("metadata", "abstract"),
    "title": pair("metadata", "title"),
}
NAMES: tuple[str, ...] = tuple(KINDS)
NO_KIND = len(NAMES)
# The place in `NAMES` of each pair's kind, by the pair's number.
KIND_OF = np.full(256, NO_KIND, dtype=np.int8)
KIND_OF[[each.number for each in KINDS.values()]] = np.arange(len(NAMES))

CELL_JOINT = " | "


@dataclass(frozen=True, slots=True)
class Unit:
    """A value of an encodable column, with the place it stands in.

    `text` is what it says, `label` what names it (a row's label), `context` what stands over it (a section's
    heading, a table's caption), `quote` its words as they are printed (the cells of a row apart). `group` is
    the row that it is a part of: the key of its passage, table or figure. `parts` are the numbers, among the
    units of its paper, of the smaller ones that it consists of. Pictures have no text.
    """

    pair: EncodableColumn
    paper_id: str
    page: int  # from 1; -1 where the row has none
    key: str
    text: str
    quote: str = ""
    label: str = ""
    context: str = ""
    group: str = ""
    box: Box | None = None
    parts: Sequence[int] = ()

    @property
    def kind(self) -> str:
        """Its place in `KINDS`; "" for what no search ranks."""
        number = int(KIND_OF[self.pair.number])
        return NAMES[number] if number < NO_KIND else ""


_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def plain(pair: EncodableColumn, text: str) -> str:
    """The words of a cell: tables are stored as HTML, whose tags say nothing to a search.

    Tags become spaces of the same length, so offsets in the result are offsets in the cell.
    """
    if (pair.table, pair.column) != ("tables", "table_content"):
        return text
    return _TAG.sub(lambda tag: " " * len(tag[0]), text)


def encodable_text(pair: EncodableColumn, text: str) -> str:
    """What a dense encoder reads of a cell: `plain`, with entities resolved and blanks squeezed."""
    words = plain(pair, text)
    if words is not text:
        words = html.unescape(words)
    return " ".join(words.split())
