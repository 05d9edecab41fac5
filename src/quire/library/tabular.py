"""What a table says cell by cell: the labels of its row, the heads of its column, its rows as sentences.

    for cell in labelled(table):
        cell.text, cell.row_label, cell.column_label      # "90.9", "BERT > large", "SQuAD 1.1 > F1"
    row_texts(table)[3]                  # "Table 2. Results. BERT > large; SQuAD 1.1 > F1: 90.9"

A label is a path from the outermost name to the innermost, joined by " > ": group titles and stub columns for
rows, heads over several columns for columns.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quire.types import Table, TableCell

JOINT = " > "
_LEVEL = 2.0  # points by which labels of one depth may differ at their left edge
_CAPTION_WORDS = 25
_COUNTED = 0.8  # share of the rows that must count on where a column holds their numbers
_DIGITS = 9
_WORDS = 50

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
        return None if self.cell.head else number_in(self.cell.text)

    @property
    def unit(self) -> str:
        """The unit of that number, as the cell, its column or its row says; "" if none does."""
        if self.number is None:
            return ""
        return unit_in(self.cell.text, *reversed(self.column_label.split(JOINT)), self.row_label)


def labelled(table: Table) -> list[LabelledCell]:
    """The cells of a table with their labels."""
    slots = _slots(table)
    stub = _stub_columns(table)
    groups = _groups(table, slots)
    heads = 1 + max((c.row_end for c in table.cells if c.head), default=-1)
    found = []
    for cell in table.cells:
        left = [slots.get((cell.row, column)) for column in range(min(stub, cell.column))]
        above = [slots.get((row, cell.column)) for row in range(min(heads, cell.row))]
        row_label = "" if cell.head else _path((*groups.get(cell.row, ()), *left))
        found.append(LabelledCell(cell, row_label, _path([head for head in above if head and head.head])))
    return found


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
        if sum(number_in(text) is not None for text in texts) > 0.5 * len(texts):
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


def _path(cells: Sequence[TableCell | None]) -> str:
    """The texts of these cells, each cell once."""
    return JOINT.join(cell.text for cell in {id(c): c for c in cells if c is not None}.values())


_SIGNS = str.maketrans({"−": "-", "–": "-", "‐": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "·": "."})
_VALUE = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})+(?:\.\d+)?|\d+,\d{1,2}(?!\d)|\d+(?:\.\d+)?|\.\d+)"
)
_POWER = r"(?:[eE](?P<e>[-+]?\d{1,3})|\s?[×x]\s?10\s?\^?\s?(?P<ten>-?\d{1,3}))"
_NUMBER = re.compile(
    rf"^\(?(?:[<>≤≥≈~=]\s?)?(?:(?:US|[CA])?(?P<money>[$€£¥]))?\s?(?P<sign>[-+±]?)\s?"
    rf"(?:10\s?\^\s?(?P<alone>-?\d{{1,3}})|(?P<value>{_VALUE}){_POWER}?)(?P<rest>.*)$",
    re.DOTALL,
)
_REST = re.compile(
    r"^\s?\)?(?:\s?(?P<unit>[%‰°]C?|[A-Za-zµμΩ]{1,8}(?:/[A-Za-zµμΩ]{1,8}){0,2}))?"
    r"(?:\s?[*†‡§¶#⁰¹²³⁴-⁹]+|\s?\^[\w,*]{1,3})?(?:\s?(?:±|\+/-|\(|\[).*)?$",
    re.DOTALL,
)
_NAMED = re.compile(r"[(\[]([^()\[\]]{1,16})[)\]]\s*$|,\s*([^\s,()]{1,8})\s*$|\bin\s(\S{1,8})\s*$")
_MARKS = frozenset("abcd")  # letters that mark notes more often than they are units
_PREFIXED = "g|m|s|l|L|b|B|M|N|J|W|V|A|K|Pa|Hz|Wh|eV|mol|bp|Da|cal|bit|byte|bytes|Ω|Gy|Bq|U|IU|kat|sec|t|h"
_PLAIN = (
    "%|‰|°|°C|°F|C|min|mins|hr|hrs|hour|hours|day|days|d|week|weeks|wk|month|months|mo|year|years|yr|yrs|y|"
    "second|seconds|minute|minutes|ms|inch|in|ft|mi|mph|lb|lbs|oz|ha|rpm|ppm|ppb|dB|dBm|px|pixel|pixels|USD|EUR|GBP|"
    "point|points|percent|cfu|CFU|copies|cells|mmHg|Torr|bar|atm|mEq|Mbps|Gbps|kbps|FLOPS|FLOPs|params|"
    "[$€£¥]"
)
_ONE = rf"(?:[yzafpnµμmcdhkKMGTP]?(?:{_PREFIXED})|{_PLAIN})(?:\s?\^?-?[123])?"
_UNIT = re.compile(rf"^{_ONE}(?:\s?[/·.]\s?{_ONE}|\s{_ONE}){{0,3}}$")


def number_in(text: str) -> float | None:
    """The number that a cell begins with, if the cell is a number; None for words, ranges and lists.

    What follows it may be a unit, a mark of a note, a deviation or something in brackets.
    """
    found = _NUMBER.match(text.strip()[:80].translate(_SIGNS))
    rest = _REST.match(found["rest"]) if found else None
    if found is None or rest is None:
        return None
    letters = rest["unit"] or ""  # a unit, or the mark of a note
    if len(letters) > 1 and not _UNIT.match(letters):
        return None
    value = (found["value"] or "1").replace(" ", "")
    if re.fullmatch(r"\d+,\d{1,2}", value):
        value = value.replace(",", ".")
    power = found["alone"] or found["e"] or found["ten"] or "0"
    result = float(f"{value.replace(',', '')}e{power}")
    if not math.isfinite(result):
        return None
    return -result if found["sign"] == "-" else result


def unit_in(text: str, *heads: str) -> str:
    """The unit of a number: as its cell says, else the first of the heads and labels that names one."""
    found = _NUMBER.match(text.strip()[:80].translate(_SIGNS))
    if found is None:
        return ""
    if found["money"]:
        return str(found["money"])
    rest = _REST.match(found["rest"])
    if rest and rest["unit"] and rest["unit"] not in _MARKS and _UNIT.match(rest["unit"]):
        return str(rest["unit"])
    for head in heads:
        for part in _NAMED.findall(head[-80:]):
            named = next((p.strip() for p in part if p), "")
            if _UNIT.match(named):
                return str(named)
    return ""


def table_summary(table: Table) -> str:
    """Caption, heads of the columns and of the rows, and the size of a table in words."""
    rows = _begun(table)
    if not rows:
        return shortened(table.caption)
    heads = ", ".join(cell for cell in rows[0] if cell)
    first = ", ".join(row[0] for row in rows[1:] if row[0])
    size = f"{len(rows)} rows, {max(len(row) for row in rows)} columns."
    parts = [shortened(table.caption, 25), f"Columns: {shortened(heads, 25)}." if heads else ""]
    parts += [f"Rows: {shortened(first, 25)}." if first else "", size]
    return " ".join(part for part in parts if part)


def _begun(table: Table) -> list[list[str]]:
    """The texts that begin in each row, "" where nothing stands, without rows that others cover whole."""
    slots = _slots(table)
    rows: list[list[str]] = [[] for _ in range(1 + max((row for row, _ in slots), default=-1))]
    for row, column in itertools.product(range(len(rows)), range(1 + max((c for _, c in slots), default=-1))):
        cell = slots.get((row, column))
        if cell is None or (cell.row, cell.column) == (row, column):
            rows[row].append(cell.text if cell else "")
    return [row for row in rows if row]


def shortened(text: str, words: int = _WORDS) -> str:
    """The first words of a text."""
    parts = text.split()
    return " ".join(parts) if len(parts) <= words else " ".join(parts[:words]) + " ..."
