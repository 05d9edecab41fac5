"""From the rows of a paper to the units that are searched: what each says, what stands over it, its parts.

analyse(paper_id, units_of(paper_id, rows))      # in the child that parsed it; or, from rows that were read
# again, wherever the index is to be made
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from quire.search.cells import CELL_JOINT, ENCODABLE, EncodableColumn, Unit
from quire.store import schema
from quire.text import bare
from quire.types import Box

_TELLING = 25  # letters of a sentence that is known again in a summary
_QUOTED = 0.7  # of a summary's letters, which make it one of the paper's sentences


class _Around:
    """What the rows of a paper say of each other."""

    def __init__(self, rows: Sequence[schema.StoredRow]) -> None:
        self.pages = {row.page_id: row.page_number for row in rows if isinstance(row, schema.PageRow)}
        self.headings = {
            row.section_id: row.section_title for row in rows if isinstance(row, schema.SectionRow)
        }
        self.section_of = {
            row.chunk_id: row.ref_section_id or "" for row in rows if isinstance(row, schema.ChunkRow)
        }
        self.captions = {row.table_id: row.table_caption for row in rows if isinstance(row, schema.TableRow)}
        self.rows: dict[tuple[str, int], list[schema.CellRow]] = defaultdict(list)
        for cell in (row for row in rows if isinstance(row, schema.CellRow)):
            self.rows[cell.ref_table_id, cell.row_index].append(cell)

    def page(self, row: schema.StoredRow) -> int:
        """The page of a row; -1 where it has none."""
        if isinstance(row, schema.PageRow):
            return row.page_number
        return self.pages.get(getattr(row, "ref_page_id", ""), -1)

    def heading(self, chunk: str) -> str:
        """What stands over a passage."""
        return self.headings.get(self.section_of.get(chunk, ""), "")


def units_of(paper: str, rows: Sequence[schema.StoredRow]) -> list[Unit]:
    """Every encodable cell of a paper as a unit, in the order of the columns."""
    around = _Around(rows)
    of_table: dict[str, list[schema.StoredRow]] = defaultdict(list)
    for row in rows:
        of_table[row.TABLE].append(row)
    units, owners = [], []
    for pair in ENCODABLE:
        for row in of_table[pair.table]:
            value = getattr(row, pair.column) or ""
            if not value or (pair.modality == "text" and not value.strip()):
                continue
            units.append(_unit(pair, paper, row, value, around))
            owners.append(row)
    return _with_parts(units, owners, around)


def _unit(pair: EncodableColumn, paper: str, row: schema.StoredRow, value: Any, around: _Around) -> Unit:
    key, page = getattr(row, pair.key), around.page(row)
    if pair.modality == "image":
        return Unit(pair, paper, page, key, "", box=Box(*value))
    if isinstance(row, schema.SentenceRow):
        heading = around.heading(row.ref_chunk_id)
        return Unit(
            pair, paper, page, key, value, value, "", heading, row.ref_chunk_id, Box(*row.bounding_box)
        )
    if isinstance(row, schema.CellRow):
        cells = sorted(around.rows[row.ref_table_id, row.row_index], key=lambda cell: cell.column_index)
        said, label = CELL_JOINT.join(cell.cell_content for cell in cells), max(c.row_label for c in cells)
        caption = around.captions.get(row.ref_table_id, "")
        whole = reduce(Box.union, (Box(*cell.bounding_box) for cell in cells))
        return Unit(pair, paper, page, key, value, said, label, caption, row.ref_table_id, whole)
    box: schema.IntBox | None = getattr(row, "bounding_box", None)
    return Unit(pair, paper, page, key, value, value, group=key, box=Box(*box) if box else None)


def _with_parts(units: list[Unit], owners: list[schema.StoredRow], around: _Around) -> list[Unit]:
    """The units with the numbers of those that the larger ones consist of."""
    parts: dict[tuple[str, str], list[int]] = defaultdict(list)
    references: dict[str, list[int]] = defaultdict(list)  # of pages
    sentences: dict[str, int] = {}
    for number, (unit, row) in enumerate(zip(units, owners, strict=True)):
        if isinstance(row, schema.SentenceRow):
            parts["chunks", row.ref_chunk_id].append(number)
            parts["sections", around.section_of.get(row.ref_chunk_id, "")].append(number)
            parts["pages", row.ref_page_id].append(number)
            if len(unit.text) >= _TELLING:
                sentences.setdefault(bare(unit.text), number)
        elif isinstance(row, schema.CellRow):
            parts["tables", row.ref_table_id].append(number)
        elif isinstance(row, schema.ReferenceRow):
            references[row.ref_page_id].append(number)
    for page, numbers in references.items():
        parts.setdefault(("pages", page), numbers)  # a page without sentences
    found = []
    for unit in units:
        column = unit.pair.column
        if column in ("text_content", "section_content", "page_content", "table_content"):
            numbers = parts.get((unit.pair.table, unit.key), [])
        elif column.endswith("_summary"):
            numbers = _quoted(unit.text, sentences)
        else:
            numbers = []
        found.append(replace(unit, parts=tuple(numbers)) if numbers else unit)
    return found


def _quoted(summary: str, sentences: dict[str, int]) -> list[int]:
    """The sentences that an extractive summary consists of; none if it says much else."""
    told = bare(summary)
    quoted = [said for said in sentences if said in told]
    enough = sum(map(len, quoted)) >= _QUOTED * len(told)
    return [sentences[said] for said in quoted] if enough else []


def arranged(paper: str, units: Sequence[Unit], wanted: Sequence[tuple[int, str]]) -> list[Unit]:
    """The units in the order of entries that have their ids already: (number of the pair, key) each.

    An entry whose row is gone gets a unit without words.
    """
    at = {(unit.pair.number, unit.key): number for number, unit in enumerate(units)}
    order = [at.get(entry) for entry in wanted]
    place = {number: new for new, number in enumerate(order) if number is not None}
    made = []
    for number, (pair, key) in zip(order, wanted, strict=True):
        if number is None:
            made.append(Unit(ENCODABLE[pair], paper, -1, key, ""))
        else:
            parts = tuple(place[part] for part in units[number].parts if part in place)
            made.append(replace(units[number], parts=parts))
    return made
