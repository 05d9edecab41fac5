"""A table's HTML as a grid, and cells found in it by the names of their row and column.

    grid = read_grid("<tr><th></th><th>F1</th></tr><tr><td>BERT</td><td>81.2</td></tr>")
    grid.column_names   ->  (("",), ("F1",))
    grid.row_names      ->  (("BERT",),)

Spans are repeated into every slot that they cover. A column's names are its header texts from top to
bottom, each alone and all joined; a row's are its first cell, alone and with the group that it stands in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

_MOST_CELLS = 200_000
# A name with the number of the next column in the same cell, as a reader of PDFs may leave it.
_MERGED = re.compile(r"^(.*[^\W\d]\)?)\s+[-\u2212<>]?\d[\d.,]*(?:\s*[%(\u00b1].*)?$")


@dataclass(frozen=True, slots=True)
class Grid:
    """`head` are the header rows, `body` the others; all rows have the same length."""

    head: tuple[tuple[str, ...], ...]
    body: tuple[tuple[str, ...], ...]

    @property
    def width(self) -> int:
        """Number of columns."""
        return len((self.head + self.body)[0]) if self.head or self.body else 0

    @property
    def column_names(self) -> tuple[tuple[str, ...], ...]:
        """For every column the names that it may be called by, the most complete first."""
        return tuple(_names([row[column] for row in self.head]) for column in range(self.width))

    @property
    def row_names(self) -> tuple[tuple[str, ...], ...]:
        """For every body row the names that it may be called by; the first cell comes first."""
        names, group = [], ""
        for row in self.body:
            first = row[0] if row else ""
            filled = [cell for cell in row[1:] if cell and cell != first]
            called = [first, _MERGED.sub(r"\1", first)] if _MERGED.match(first) else [first]
            if group and first:
                called.append(f"{group} {first}")
            if len(row) > 2 and _has_letters(first) and row[1] and row[1] != first:
                called.append(f"{first} {row[1]}")
            names.append(tuple(called))
            if first and not filled:
                group = first
        return tuple(names)


def _has_letters(text: str) -> bool:
    return any(char.isalpha() for char in text)


def _names(parts: list[str]) -> tuple[str, ...]:
    distinct = list(dict.fromkeys(part for part in parts if part))
    joined = " ".join(distinct)
    return tuple(dict.fromkeys([joined, *reversed(distinct)])) or ("",)


class _Cell:
    def __init__(self, header: bool, colspan: int, rowspan: int) -> None:
        self.header, self.colspan, self.rowspan = header, colspan, rowspan
        self.parts: list[str] = []


class _Reader(HTMLParser):
    """Collects rows of cells; anything else is skipped."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[tuple[bool, list[_Cell]]] = []
        self.in_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "thead":
            self.in_head = True
        elif tag == "tr":
            self.rows.append((self.in_head, []))
        elif tag in ("td", "th") and self.rows:
            given = dict(attrs)
            cell = _Cell(tag == "th", _span(given.get("colspan")), _span(given.get("rowspan")))
            self.rows[-1][1].append(cell)
        elif tag == "br":
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "thead":
            self.in_head = False

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1][1]:
            self.rows[-1][1][-1].parts.append(data)


def _span(text: str | None) -> int:
    return min(max(int(text), 1), 200) if text and text.isdigit() else 1


def read_grid(html: str) -> Grid:
    """The grid of the first table in the text; an empty one if there is none."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    rows = _spread(reader.rows)
    width = max((len(row) for row in rows), default=0)
    full = [row + [""] * (width - len(row)) for row in rows]
    head_rows = _head_rows(reader.rows)
    return Grid(tuple(map(tuple, full[:head_rows])), tuple(map(tuple, full[head_rows:])))


def _head_rows(rows: list[tuple[bool, list[_Cell]]]) -> int:
    """How many rows at the top are headers: those in a thead, else those of th only, else one."""
    count = 0
    for in_head, cells in rows:
        if not in_head and not (cells and all(cell.header for cell in cells)):
            break
        count += 1
    return count if count or not rows else 1


def _spread(rows: list[tuple[bool, list[_Cell]]]) -> list[list[str]]:
    grid: list[list[str]] = []
    pending: dict[int, tuple[int, str]] = {}
    for _, cells in rows:
        row: list[str] = []
        waiting = list(cells)
        while waiting or len(row) in pending:
            if len(row) in pending:
                left, text = pending.pop(len(row))
                if left > 1:
                    pending[len(row)] = (left - 1, text)
                row.append(text)
                continue
            cell = waiting.pop(0)
            text = " ".join("".join(cell.parts).split())
            for _ in range(cell.colspan):
                if cell.rowspan > 1:
                    pending[len(row)] = (cell.rowspan - 1, text)
                row.append(text)
        grid.append(row)
        if sum(map(len, grid)) > _MOST_CELLS:
            break
    return grid
