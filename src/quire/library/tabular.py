"""What a table says cell by cell: the labels of its row, the heads of its column, its rows as sentences.

    for cell in labelled(table):
        cell.text, cell.row_label, cell.column_label      # "90.9", "BERT > large", "SQuAD 1.1 > F1"
    row_texts(table)[3]                  # "Table 2. Results. BERT > large; SQuAD 1.1 > F1: 90.9"

A label is a path from the outermost name to the innermost, joined by " > ": group titles and stub columns for
rows, heads over several columns for columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.library import quantities
from quire.library.float_summaries import shortened
from quire.types import Table, TableCell

JOINT = " > "
_LEVEL = 2.0  # points by which labels of one depth may differ at their left edge
_CAPTION_WORDS = 25
_COUNTED = 0.8  # share of the rows that must count on where a column holds their numbers
_DIGITS = 9

Slots = Mapping[tuple[int, int], TableCell]


@dataclass(frozen=True, slots=True)
class LabelledCell:
    """A cell with the paths of labels that name its row and its column."""

    cell: TableCell
    row_label: str
    column_label: str

    @property
    def number(self) -> float | None:
        """The number in it, if it is one."""
        return None if self.cell.head else quantities.number(self.cell.text)

    @property
    def unit(self) -> str:
        """The unit of that number, as the cell, its column or its row says; "" if none does."""
        if self.number is None:
            return ""
        return quantities.unit(self.cell.text, *reversed(self.column_label.split(JOINT)), self.row_label)


def labelled(table: Table) -> list[LabelledCell]:
    """The cells of a table with their labels."""
    slots = _slots(table)
    stub = _stub_columns(table)
    groups = _groups(table, slots)
    heads = 1 + max((c.row_end for c in table.cells if c.head), default=-1)
    return [
        LabelledCell(
            cell,
            "" if cell.head else _path(groups.get(cell.row, ()), _left_of(cell, slots, stub)),
            _path((), _above(cell, slots, heads)),
        )
        for cell in table.cells
    ]


def row_texts(table: Table) -> dict[int, str]:
    """Each row of the body that has values, in words: caption, label of the row, each value with its head."""
    stub = _stub_columns(table)
    caption = shortened(table.caption, _CAPTION_WORDS)
    rows: dict[int, list[LabelledCell]] = {}
    for one in labelled(table):
        if not one.cell.head:
            rows.setdefault(one.cell.row, []).append(one)
    texts = {}
    for row, cells in rows.items():
        values = [c for c in cells if c.cell.column >= stub]
        if not values:
            continue
        told = [f"{c.column_label}: {c.cell.text}" if c.column_label else c.cell.text for c in values]
        label = values[0].row_label
        texts[row] = " ".join(filter(None, (caption, "; ".join(filter(None, (label, *told))))))
    return texts


def _slots(table: Table) -> Slots:
    return {
        (row, column): cell
        for cell in table.cells
        for row in range(cell.row, cell.row_end + 1)
        for column in range(cell.column, cell.column_end + 1)
    }


def _stub_columns(table: Table) -> int:
    """How many columns name rows: the first, and each next to one that counts rows or stands over several."""
    body = [c for c in table.cells if not c.head]
    last = max((c.column_end for c in body), default=0)
    columns: dict[int, list[TableCell]] = {}
    for cell in body:
        if cell.column == cell.column_end:
            columns.setdefault(cell.column, []).append(cell)
    stub = min(1, last)
    while 0 < stub < last and _names_too_little(columns.get(stub - 1, ())):
        texts = [c.text for c in columns.get(stub, ())]
        if sum(quantities.number(text) is not None for text in texts) > 0.5 * len(texts):
            break
        stub += 1
    return stub


def _names_too_little(column: Sequence[TableCell]) -> bool:
    """Labels that stand over several rows, or mere numbers of the rows, up to some that are missing."""
    texts = [c.text.rstrip(".") for c in column]
    numbers = [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < _DIGITS]
    steps = sum(other == one + 1 for one, other in itertools.pairwise(numbers))
    counted = numbers[:1] in ([0], [1]) and 0 < steps >= _COUNTED * (len(texts) - 1)
    return counted or any(c.row_end > c.row for c in column)


def _groups(table: Table, slots: Slots) -> dict[int, tuple[TableCell, ...]]:
    """The titles (rows with one cell alone) under which each row of the body stands."""
    columns = 1 + max((c.column_end for c in table.cells), default=0)
    body = sorted({c.row for c in table.cells if not c.head})
    groups: dict[int, tuple[TableCell, ...]] = {}
    titles: tuple[TableCell, ...] = ()
    member: float | None = None  # left edge of the first label under the last title
    for row in body if columns > 1 else ():
        cells = {id(cell): cell for c in range(columns) if (cell := slots.get((row, c)))}
        first = slots.get((row, 0))
        if first is not None and len(cells) == 1 and first.row == first.row_end:
            groups[row] = _outer(titles, first, direct=bool(titles) and member is None)
            titles, member = (*groups[row], first), None
            continue
        if first is not None and first.row == row:
            if member is not None and first.bbox.x0 < member - _LEVEL:
                titles = ()
            member = first.bbox.x0 if member is None else member
        groups[row] = titles
    return groups


def _outer(titles: tuple[TableCell, ...], title: TableCell, *, direct: bool) -> tuple[TableCell, ...]:
    """The titles that go on over a new one: those less indented, or all if nothing stands between them."""
    for k, other in enumerate(titles):
        if abs(other.bbox.x0 - title.bbox.x0) < _LEVEL:
            return titles[:k]
    return titles if titles and (direct or title.bbox.x0 > titles[-1].bbox.x0) else ()


def _left_of(cell: TableCell, slots: Slots, stub: int) -> list[TableCell]:
    found = [slots.get((cell.row, column)) for column in range(min(stub, cell.column))]
    return _distinct(found)


def _above(cell: TableCell, slots: Slots, heads: int) -> list[TableCell]:
    found = [slots.get((row, cell.column)) for row in range(min(heads, cell.row))]
    return [c for c in _distinct(found) if c.head]


def _distinct(cells: Sequence[TableCell | None]) -> list[TableCell]:
    return list({id(c): c for c in cells if c is not None}.values())


def _path(outer: Sequence[TableCell], inner: Sequence[TableCell]) -> str:
    return JOINT.join(c.text for c in (*outer, *inner))
