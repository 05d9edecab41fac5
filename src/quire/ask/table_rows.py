"""Whether a quote is a row of a table: its name and values of it, in whatever way they were written down.

    stands_in_row("DeiT-B | 81.8", row)         row: name "DeiT-B", values 86M, 81.8, heads Params, Top-1
    stands_in_row("DeiT-B Top-1 = 81.8", row)

Contract: every word of the quote is a word of that one row (its name, its cells, the heads above them, or the
table's caption), each cell is taken whole, and the row's name and one of its values are among them. Only
punctuation may stand between. A value of another row never counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from quire.ask.readable import Readable
from quire.errors import QuireError
from quire.library.ids import ID
from quire.types import Box, Evidence

MOST_WORDS = 80  # of a quote


@dataclass(frozen=True, slots=True)
class QuotedRow:
    """A row of a table on one page: what names it, its cells with their boxes, what stands above them."""

    names: tuple[str, ...]
    cells: tuple[tuple[str, Box | None], ...]
    heads: tuple[str, ...]


def in_table(evidence: Evidence, library: Readable) -> tuple[bool, Box | None]:
    """Whether the quote is of a row of a table on its page, and the box of the first value it names."""
    for row in _rows(evidence, library):
        found, box = stands_in_row(evidence.quote, row)
        if found:
            return True, box
    return False, None


def stands_in_row(quote: str, row: QuotedRow) -> tuple[bool, Box | None]:
    """Whether the quote is a part of that row, its name and a value included; and the value's box."""
    wanted = words_of_row(quote)
    if not 1 < len(wanted) <= MOST_WORDS:
        return False, None
    names = [words_of_row(name) for name in row.names]
    values = [(words_of_row(text), box) for text, box in row.cells if words_of_row(text) not in names]
    units: list[tuple[list[str], str, Box | None]] = [(words, "name", None) for words in names]
    units += [(words, "value", box) for words, box in values]
    units += [(words_of_row(head), "head", None) for head in row.heads]
    units.sort(key=lambda unit: -len(unit[0]))
    at, kinds, where = 0, set(), None
    while at < len(wanted):
        unit = next((u for u in units if u[0] and wanted[at : at + len(u[0])] == u[0]), None)
        if unit is None:
            return False, None
        at += len(unit[0])
        kinds.add(unit[1])
        where = where or unit[2]
    return {"name", "value"} <= kinds, where


def _rows(evidence: Evidence, library: Readable) -> Sequence[QuotedRow]:
    if not ID.fullmatch(evidence.paper_id):
        return []
    try:
        found = library.sql(
            "SELECT CAST(c.ref_table_id AS VARCHAR), c.row_index, c.row_label, c.column_label, "
            "c.cell_content, c.bounding_box FROM cells c JOIN pages p ON c.ref_page_id = p.page_id "
            f"WHERE p.ref_paper_id = '{evidence.paper_id}' AND p.page_number = {int(evidence.page)} "
            "AND NOT coalesce(c.is_head, false) ORDER BY c.ref_table_id, c.row_index, c.column_index"
        ).rows
    except QuireError:
        return []
    by_row: dict[tuple[str, int], list[tuple[str, str, str, Box | None]]] = {}
    for table, row, label, head, text, edges in found:
        box = Box(*(float(edge) for edge in edges)) if edges else None
        by_row.setdefault((table, row), []).append((label or "", head or "", text or "", box))
    return [_row(cells) for cells in by_row.values()]


def _row(cells: Sequence[tuple[str, str, str, Box | None]]) -> QuotedRow:
    labels = [label for label, *_ in cells if label]
    names = {part.strip() for label in labels for part in (label, *label.split(" > "))}
    names.add(cells[0][2])
    heads = {part.strip() for _, head, *_ in cells for part in (head, *head.split(" > ")) if head}
    texts = tuple((text, box) for _, _, text, box in cells if text)
    return QuotedRow(tuple(sorted(names)), texts, tuple(sorted(heads)))


def words_of_row(text: str) -> list[str]:
    """The words as compared: case and accents written apart do not count, signs inside of numbers do."""
    flat = unicodedata.normalize("NFKD", text).casefold().replace("\u2212", "-")
    parts = re.split(r"[\s|:;=,\u2013\u2014\u00b7]", flat)
    return [word for part in parts if (word := part.strip(".()[]\"'*_"))]
