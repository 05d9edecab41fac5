"""Cells: what is encoded. One cell is one value of one row of a parsed view, with the place it stands in.

The encodable (table, column) pairs are the ones that agents are told of. Their order numbers them in
stored postings (`Pair.number`): append to it, never reorder.

    Cell("chunks", "text_content", key="e3aecd64-...", paper_id="5fe57755-...", page=2, text="...")
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Literal

from quire.errors import QueryError
from quire.types import Box

Modality = Literal["text", "image"]


@dataclass(frozen=True, slots=True)
class Pair:
    """An encodable column: its table, the column, the table's key column, and what a cell of it is."""

    number: int
    table: str
    column: str
    key: str
    modality: Modality


def _pairs(*rows: tuple[str, str, str, Modality]) -> tuple[Pair, ...]:
    return tuple(Pair(number, *row) for number, row in enumerate(rows))


ENCODABLE: tuple[Pair, ...] = _pairs(
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


@dataclass(frozen=True, slots=True)
class Cell:
    """A value to encode. `page` is -1 where the row has no page; image cells have a `bbox` and no text."""

    table: str
    column: str
    key: str
    paper_id: str
    page: int = -1
    text: str = ""
    bbox: Box | None = None


def pair(table: str, column: str) -> Pair:
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


_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


def plain(table: str, column: str, text: str) -> str:
    """The words of a cell: table cells are stored as HTML, whose tags say nothing to a search.

    Tags become spaces of the same length, so offsets in the result are offsets in the cell.
    """
    if (table, column) != ("tables", "table_content"):
        return text
    return _TAG.sub(lambda tag: " " * len(tag[0]), text)


def encodable_text(table: str, column: str, text: str) -> str:
    """What a dense encoder reads of a cell: `plain`, with entities resolved and blanks squeezed."""
    words = plain(table, column, text)
    if words is not text:
        words = html.unescape(words)
    return " ".join(words.split())
