"""The tables of papers, from the rows of the view `cells`, and what a question may call a row or a column.

    (grid,) = grids([{"table_id": "t", "row_index": 1, "column_index": 1, "cell_content": "81.2",
                      "row_label": "BERT > large", "column_label": "SQuAD > F1", ...}, ...])
    grid.column_names[1]   ->  ("SQuAD F1", "F1", "SQuAD")
    grid.row_names[1]      ->  ("BERT", "BERT large", "large")

`cells_named` and `cells_said` find the cells that a question means, by the names it quotes or its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from quire.ask.offline.plan import Row
from quire.ask.offline.question.likeness import alike, covered, squeeze, words_of

_JOINT = " > "
# A name with the number of the next column in the same cell, as a reader of PDFs may leave it.
_MERGED = re.compile(r"^(.*[^\W\d]\)?)\s+[-\u2212<>]?\d[\d.,]*(?:\s*[%(\u00b1].*)?$")
Names = Mapping[int, tuple[str, ...]]  # by the number of the row or column, the likeliest first


@dataclass(frozen=True)
class StoredGrid:
    """A table: a row of the view that names it, and its cells by (row, column)."""

    table: Row
    cells: Mapping[tuple[int, int], Row]

    @cached_property
    def body(self) -> tuple[int, ...]:
        """The numbers of the rows that are no heads; where nothing is marked as head, the first is one."""
        rows = sorted({row for row, _ in self.cells})
        heads = {at for (at, _), cell in self.cells.items() if cell["is_head"]}
        return tuple(row for row in rows if row not in heads) if heads else tuple(rows[1:])

    @property
    def width(self) -> int:
        """Number of columns."""
        return 1 + max((column for _, column in self.cells), default=-1)

    def text(self, row: int, column: int) -> str:
        """What a cell says; "" where nothing stands."""
        cell = self.cells.get((row, column))
        return " ".join(str(cell["cell_content"]).split()) if cell else ""

    @cached_property
    def column_names(self) -> Names:
        """Of every column but the first: its heads joined, then each from the lowest up."""
        first = min((row for row, _ in self.cells), default=0)
        named = {column: self.text(first, column) for column in range(1, self.width)}
        for (row, column), cell in self.cells.items():
            if column and row in self.body and cell["column_label"]:
                named[column] = str(cell["column_label"])
        return {
            column: _distinct([label.replace(_JOINT, " "), *reversed(label.split(_JOINT))])
            for column, label in named.items()
        }

    @cached_property
    def row_names(self) -> Names:
        """Of every row of the body: its first cell, that without a number of the next column, its labels."""
        named: dict[int, tuple[str, ...]] = {}
        for row in self.body:
            labels = [str(self.cells[at]["row_label"] or "") for at in self.cells if at[0] == row]
            label = max(labels, key=len, default="")
            first = self.text(row, 0) or label.split(_JOINT)[0]
            shorter = _MERGED.sub(r"\1", first)
            named[row] = _distinct([first, shorter, label.replace(_JOINT, " "), label.split(_JOINT)[-1]])
        return named


def grids(rows: Iterable[Row]) -> list[StoredGrid]:
    """The tables whose cells these are, in their order."""
    tables: dict[str, dict[tuple[int, int], Row]] = {}
    for row in rows:
        place = int(row["row_index"]), int(row["column_index"])
        tables.setdefault(str(row["table_id"]), {})[place] = row
    return [StoredGrid(next(iter(cells.values())), cells) for cells in tables.values()]


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name)) or ("",)


@dataclass(frozen=True, slots=True)
class StoredCell:
    """A cell of a grid, and how well its names fit what was asked (0 to 1)."""

    grid: StoredGrid
    row: int
    column: int
    fit: float

    @property
    def value(self) -> str:
        """What it says."""
        return self.grid.text(self.row, self.column)

    @property
    def names(self) -> str:
        """How its row, its column and its table are called."""
        row, column = self.grid.row_names[self.row], self.grid.column_names.get(self.column, ("",))
        return f"{row[0]} {column[0]} {self.grid.table['table_caption'] or ''}"


def cells_named(grid: StoredGrid, row: str, column: str) -> list[StoredCell]:
    """Cells whose row and column are called like that, the best first."""
    found = [
        StoredCell(grid, at_row, at_column, min(row_fit, column_fit) * 0.7 + 0.3 * row_fit * column_fit)
        for row_fit, at_row in _ranked(grid.row_names, row)[:4]
        for column_fit, at_column in _ranked(grid.column_names, column)[:4]
    ]
    return sorted(found, key=lambda cell: -cell.fit)


def _ranked(names: Names, wanted: str) -> list[tuple[float, int]]:
    scored = [
        (max(_alike_name(name, wanted) - (0.03 if number else 0.0) for number, name in enumerate(called)), at)
        for at, called in names.items()
    ]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1]))


def _alike_name(name: str, wanted: str) -> float:
    """Likeness of a name to what a question calls it; a part of a longer name counts less."""
    direct = alike(name, wanted)
    short, long = sorted((squeeze(name), squeeze(wanted)), key=len)
    if direct >= 0.9 or len(short) < 3:
        return direct
    share = len(short) / len(long)
    if long.startswith(short):
        return max(direct, 0.6 + 0.3 * share)
    return max(direct, 0.55 + 0.3 * share) if covered(wanted, words_of(name)) == 1.0 else direct


def cells_said(grid: StoredGrid, question: str) -> list[StoredCell]:
    """Filled cells whose row and column are said in a question, the best first.

    A name that stands in the question as it is printed counts more than one whose words are all there.
    """
    found = [
        ((min(row_fit, column_fit), row_size + column_size), row, column)
        for row_fit, row_size, row in _said(grid.row_names, question)
        for column_fit, column_size, column in _said(grid.column_names, question)
        if grid.text(row, column)
    ]
    found.sort(key=lambda each: each[0], reverse=True)
    # Of two that fit alike the one with the longer names is meant: the other is part of it.
    best = found[0][0] if found else (0.0, 0)
    return [
        StoredCell(grid, row, column, key[0])
        for key, row, column in found
        if key[0] < best[0] or key[1] == best[1]
    ]


def column_fits(grid: StoredGrid, quotes: Sequence[str], question: str) -> list[tuple[float, int]]:
    """The columns that a question may mean, the best first: (fit, column)."""
    said = _said(grid.column_names, question)
    for quote in quotes:
        said += [(fit, len(quote), at) for fit, at in _ranked(grid.column_names, quote) if fit >= 0.6]
    return [(fit, at) for fit, _, at in sorted(said, reverse=True)]


def _said(names: Names, question: str) -> list[tuple[float, int, int]]:
    """(fit, size of the name, number) of the rows or columns that are named in a question."""
    words, bare = words_of(question), squeeze(question)
    found = []
    for at, called in names.items():
        fits = [(_name_fit(name, words, bare), len(squeeze(name))) for name in called if name]
        fit, size = max(fits, default=(0.0, 0))
        if fit >= 0.5:
            found.append((fit, size, at))
    return found


def _name_fit(name: str, words: Sequence[str], bare: str) -> float:
    whole = squeeze(name)
    return 0.95 if len(whole) >= 2 and whole in bare else 0.85 * covered(name, words)
