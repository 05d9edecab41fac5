"""A cell of a table by the names of its row and column.

Tables are read from the rows of the view `cells`, with what a question may call a row or a column:

    (grid,) = grids([{"table_id": "t", "row_index": 1, "column_index": 1, "cell_content": "81.2",
                      "row_label": "BERT > large", "column_label": "SQuAD > F1", ...}, ...])
    grid.column_names[1]   ->  ("SQuAD F1", "F1", "SQuAD")
    grid.row_names[1]      ->  ("BERT", "BERT large", "large")

`cells_named` and `cells_said` find the cells that a question means, by the names it quotes or its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from quire.ask.observations import SeenRow
from quire.ask.offline.lexicon import alike, covered, plain, squeeze, words_of
from quire.ask.offline.plan import NOTHING, Finding, QuestionKind, Seen, fitting, found
from quire.ask.offline.question import QuestionFeatures

_JOINT = " > "
# A name with the number of the next column in the same cell, as a reader of PDFs may leave it.
_MERGED = re.compile(r"^(.*[^\W\d]\)?)\s+[-\u2212<>]?\d[\d.,]*(?:\s*[%(\u00b1].*)?$")
Labels = Mapping[int, tuple[str, ...]]  # by the number of the row or column, the likeliest first


@dataclass(frozen=True)
class StoredGrid:
    """A table: a row of the view that names it, and its cells by (row, column)."""

    table: SeenRow
    cells: Mapping[tuple[int, int], SeenRow]

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
    def column_names(self) -> Labels:
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
    def row_names(self) -> Labels:
        """Of every row of the body: its first cell, that without a number of the next column, its labels."""
        named: dict[int, tuple[str, ...]] = {}
        for row in self.body:
            labels = [str(self.cells[at]["row_label"] or "") for at in self.cells if at[0] == row]
            label = max(labels, key=len, default="")
            first = self.text(row, 0) or label.split(_JOINT)[0]
            shorter = _MERGED.sub(r"\1", first)
            named[row] = _distinct([first, shorter, label.replace(_JOINT, " "), label.split(_JOINT)[-1]])
        return named


def grids(rows: Iterable[SeenRow]) -> list[StoredGrid]:
    """The tables whose cells these are, in their order."""
    tables: dict[str, dict[tuple[int, int], SeenRow]] = {}
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
    cells = [
        StoredCell(grid, at_row, at_column, min(row_fit, column_fit) * 0.7 + 0.3 * row_fit * column_fit)
        for row_fit, _, at_row in _called(grid.row_names, row)[:4]
        for column_fit, _, at_column in _called(grid.column_names, column)[:4]
    ]
    return sorted(cells, key=lambda cell: -cell.fit)


def cells_said(grid: StoredGrid, question: str) -> list[StoredCell]:
    """Filled cells whose row and column are said in a question, the best first.

    A name that stands in the question as it is printed counts more than one whose words are all there.
    """
    cells = [
        ((min(row_fit, column_fit), row_size + column_size), row, column)
        for row_fit, row_size, row in _said(grid.row_names, question)
        for column_fit, column_size, column in _said(grid.column_names, question)
        if grid.text(row, column)
    ]
    cells.sort(key=lambda each: each[0], reverse=True)
    # Of two that fit alike the one with the longer names is meant: the other is part of it.
    best = cells[0][0] if cells else (0.0, 0)
    fitting = (each for each in cells if each[0][0] < best[0] or each[0][1] == best[1])
    return [StoredCell(grid, row, column, fit) for (fit, _), row, column in fitting]


_Scores = list[tuple[float, int, int]]  # (fit, letters of the name, number) of rows or columns, best first


def _scored(names: Labels, fit: Callable[[str], float], behind: float = 0.0) -> _Scores:
    """How well each fits by the best of its names; those after the first fit less."""
    scores = []
    for at, called in names.items():
        fits = [(fit(name) - behind * (place > 0), len(squeeze(name))) for place, name in enumerate(called)]
        scores.append((*max(fits), at))
    return sorted(scores, key=lambda score: (-score[0], score[2]))


def _called(names: Labels, wanted: str) -> _Scores:
    """By likeness to what a question calls it; a part of a longer name counts less."""

    def fit(name: str) -> float:
        direct = alike(name, wanted)
        short, long = sorted((squeeze(name), squeeze(wanted)), key=len)
        if direct >= 0.9 or len(short) < 3:
            return direct
        share = len(short) / len(long)
        if long.startswith(short):
            return max(direct, 0.6 + 0.3 * share)
        return max(direct, 0.55 + 0.3 * share) if covered(wanted, words_of(name)) == 1.0 else direct

    return _scored(names, fit, behind=0.03)


def _said(names: Labels, question: str) -> _Scores:
    """Those that are named in a question."""
    words, bare = words_of(question), squeeze(question)

    def fit(name: str) -> float:
        whole = squeeze(name)
        return 0.95 if len(whole) >= 2 and whole in bare else 0.85 * covered(name, words)

    return [score for score in _scored(names, fit) if score[0] >= 0.5]


_LABEL = re.compile(r"\b(?:tables?|tabs?\b\.?)\s*(?:no\.?\s*)?[\w.]{0,20}\d\w*", re.IGNORECASE)


fits = fitting(
    (0.95, "quotes row|column|table|value"),
    (0.8, "#table quote|topic -caption|count|page|section|most|least"),
)


def take(reading: QuestionFeatures, seen: Seen) -> Finding:
    """Match the names of row and column; less sure where the table is another or a rival is near."""
    tables = grids(seen["cells"])
    labelled = labelled_grids(tables, reading)
    best = _best(reading, labelled)
    if best is None or best[0].fit < 0.75:
        other = _best(reading, [grid for grid in tables if grid not in labelled])
        if other and (best is None or other[0].fit > best[0].fit + 0.1):
            best = other
    if best is None:
        return NOTHING
    cell, margin = best
    elsewhere = bool(reading.labels.table) and cell.grid not in labelled
    sure = cell.fit - 0.15 * elsewhere - 0.25 * (margin < 0.02)
    row = cell.grid.cells.get((cell.row, cell.column), cell.grid.table)
    return found(cell.value, sure, row, cell.value, cell.names)


def labelled_grids(tables: Sequence[StoredGrid], reading: QuestionFeatures) -> list[StoredGrid]:
    """The tables that carry the label that the question points at, such as the (a) in "In (a), what"."""
    part = re.search(r"\bin \(([a-z])\)", reading.bare, re.IGNORECASE)
    wanted = reading.labels.table or (part[1].lower() if part else "")
    return [grid for grid in tables if plain(label_of(grid.table)) == wanted] if wanted else []


def label_of(row: SeenRow) -> str:
    """The number of a table or figure, from its label or its caption."""
    text = str(row.get("table_label") or row.get("image_label") or "")
    if not text:
        text = str(row.get("table_caption") or row.get("image_caption") or "")[:30]
    match = re.match(
        r"\s*(?:[^\W\d_]+\.?\s+)?(?:no\.?\s*)?([A-Z]?\.?\d+(?:\.\d+)*[a-z]?|[IVX]+|[A-Z]\.?\d*)\b", text
    )
    return match[1] if match else text


def _best(reading: QuestionFeatures, tables: Sequence[StoredGrid]) -> tuple[StoredCell, float] | None:
    """The best cell, and how far it is ahead of the best other value."""
    found = sorted((cell for grid in tables for cell in _cells(reading, grid)), key=lambda cell: -cell.fit)
    if not found:
        return None
    rivals = [other.fit for other in found[1:] if other.value != found[0].value]
    return found[0], found[0].fit - max(rivals, default=0.0)


def _cells(reading: QuestionFeatures, grid: StoredGrid) -> Iterator[StoredCell]:
    for row, column, bonus in _names(reading):
        for cell in cells_named(grid, row, column)[:3]:
            yield StoredCell(grid, cell.row, cell.column, cell.fit * bonus)
    if len(reading.quotes) < 2:
        yield from cells_said(grid, _LABEL.sub(" ", reading.text))[:3]  # the 2 of "Table 2" names no row


def _names(reading: QuestionFeatures) -> Iterator[tuple[str, str, float]]:
    """What may be meant as (row, column), and how plausible that is by the words around the quotes."""
    called = [(_role(reading, number), quote) for number, quote in enumerate(reading.quotes)]
    for (one, row), (other, column) in permutations(called, 2):
        crossed, told = one == "column" or other == "row", one == "row" or other == "column"
        yield row, column, 0.8 if crossed else 1.0 if told else 0.97


def _role(reading: QuestionFeatures, number: int) -> str:
    """Whether the words next to a quote call it a row or a column, "" if they do not say."""
    place = reading.quote_places[number]
    before = reading.bare[max(0, place - 40) : place].rsplit("~", 1)[-1].lower()
    after = reading.bare[place + 1 : place + 12].split("~", 1)[0].lower()
    last = re.findall(r"\b(row|line|column|header)s?\b", before)
    following = re.match(r"\s*(row|line|column|header)\b", after)
    word = following[1] if following else last[-1] if last else ""
    return {"line": "row", "header": "column"}.get(word, word)


KIND = QuestionKind("cell of a table", fits, {"cells": "The answer is a cell of a table: read them."}, take)
