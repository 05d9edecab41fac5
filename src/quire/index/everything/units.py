"""Units of reading: the sentence, row, caption, heading or title that an entry stands for, with its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from quire.index.cells import Pair
from quire.index.everything.entries import KINDS
from quire.types import Box


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of reading.

    `text` is what it says, `label` what names it (a row's label), `context` what stands over it (a section's
    heading, a table's caption), `quote` its words as they are printed (the cells of a row apart). `group` is
    the row that it is a part of: the id of its passage, table or figure.
    """

    id: int
    kind: str
    paper_id: str
    page: int
    key: str
    text: str
    quote: str
    label: str = ""
    context: str = ""
    group: str = ""
    box: Box | None = None

    @property
    def pair(self) -> Pair:
        """The column that it is a cell of."""
        return KINDS[self.kind]


CELL_JOINT = " | "
_SENTENCES = """
    SELECT e.id, 'sentence', e.pdf_id, e.page_number, e.primary_key, s.sentence_content, s.sentence_content,
           '', coalesce(x.section_title, ''), s.ref_chunk_id::VARCHAR, s.bounding_box
    FROM entries e JOIN sentences s ON s.sentence_id = e.primary_key::UUID
    LEFT JOIN chunks c ON c.chunk_id = s.ref_chunk_id LEFT JOIN sections x ON x.section_id = c.ref_section_id
    WHERE e.id IN (SELECT unnest(?::BIGINT[]))"""
_ROWS = f"""
    SELECT e.id, 'row', e.pdf_id, e.page_number, e.primary_key, first_cell.row_content,
           string_agg(c.cell_content, '{CELL_JOINT}' ORDER BY c.column_index), max(c.row_label),
           coalesce(any_value(t.table_caption), ''), any_value(c.ref_table_id)::VARCHAR,
           [min(c.bounding_box[1]), min(c.bounding_box[2]),
            max(c.bounding_box[1] + c.bounding_box[3]) - min(c.bounding_box[1]),
            max(c.bounding_box[2] + c.bounding_box[4]) - min(c.bounding_box[2])]
    FROM entries e JOIN cells first_cell ON first_cell.cell_id = e.primary_key::UUID
    JOIN cells c ON c.ref_table_id = first_cell.ref_table_id AND c.row_index = first_cell.row_index
    LEFT JOIN tables t ON t.table_id = first_cell.ref_table_id
    WHERE e.id IN (SELECT unnest(?::BIGINT[])) GROUP BY ALL"""


def _whole(kind: str, table: str, key: str, column: str, box: str) -> str:
    return f"""
    SELECT e.id, '{kind}', e.pdf_id, e.page_number, e.primary_key, r.{column}, r.{column}, '', '',
           e.primary_key, {box}
    FROM entries e JOIN {table} r ON r.{key} = e.primary_key::UUID
    WHERE e.id IN (SELECT unnest(?::BIGINT[]))"""


_SQL = {
    "sentence": _SENTENCES,
    "row": _ROWS,
    "table": _whole("table", "tables", "table_id", "table_caption", "r.bounding_box"),
    "figure": _whole("figure", "images", "image_id", "image_caption", "r.bounding_box"),
    "heading": _whole("heading", "sections", "section_id", "section_title", "r.bounding_box"),
    "abstract": _whole("abstract", "metadata", "paper_id", "abstract", "NULL"),
    "title": _whole("title", "metadata", "paper_id", "title", "NULL"),
}


def read_units(connection: duckdb.DuckDBPyConnection, kind: str, ids: Sequence[int]) -> list[Unit]:
    """The units of some entries of one kind, in any order; entries whose rows are gone are left out."""
    if not ids:
        return []
    rows = connection.execute(_SQL[kind], [list(ids)]).fetchall()
    return [
        Unit(
            row[0],
            row[1],
            row[2],
            max(1, row[3]),  # a title is told by no page; it stands on the first
            row[4],
            row[5] or "",
            row[6] or "",
            row[7] or "",
            row[8] or "",
            row[9] or "",
            Box(*row[10]) if row[10] else None,
        )
        for row in rows
    ]


def pack(unit: Unit) -> bytes:
    """What a snapshot keeps of a unit beside its numbers."""
    quote = None if unit.quote == unit.text else unit.quote
    box = [round(value, 2) for value in unit.box] if unit.box else None
    told = [unit.key, unit.text, quote, unit.label, unit.context, unit.group, box]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def unpack(packed: bytes, id: int, kind: str, paper_id: str, page: int) -> Unit:
    """The unit that was packed."""
    told = json.loads(packed.decode("utf-8", "surrogatepass"))
    key, text, quote, label, context, group, box = told
    return Unit(
        id,
        kind,
        paper_id,
        page,
        key,
        text,
        text if quote is None else quote,
        label,
        context,
        group,
        Box(*box) if box else None,
    )
