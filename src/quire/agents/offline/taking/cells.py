"""Choosing the cell of a grid that a question means, by what it calls the row and the column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quire.agents.offline.question.likeness import alike, covered, squeeze, words_of
from quire.agents.offline.taking.grid import Grid


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell, how its row and column are called, and how well that fits (0 to 1)."""

    value: str
    row: str
    column: str
    fit: float


def by_names(grid: Grid, row: str, column: str) -> list[Cell]:
    """Cells whose row and column are called like that, the best first."""
    rows = _ranked(grid.row_names, row)
    columns = _ranked(grid.column_names, column)
    found = []
    for row_fit, at_row in rows[:4]:
        for column_fit, at_column in columns[:4]:
            if at_column == 0:
                continue
            found.append(
                Cell(
                    grid.body[at_row][at_column],
                    grid.row_names[at_row][0],
                    grid.column_names[at_column][0],
                    min(row_fit, column_fit) * 0.7 + 0.3 * row_fit * column_fit,
                )
            )
    return sorted(found, key=lambda cell: -cell.fit)


def _ranked(names: Sequence[Sequence[str]], wanted: str) -> list[tuple[float, int]]:
    scored = [
        (max(alike_name(name, wanted) - (0.03 if number else 0.0) for number, name in enumerate(called)), at)
        for at, called in enumerate(names)
    ]
    return sorted(scored, key=lambda pair: (-pair[0], pair[1]))


def alike_name(name: str, wanted: str) -> float:
    """Likeness of a header to what a question calls it; a part of a longer header counts less."""
    direct = alike(name, wanted)
    if direct >= 0.9:
        return direct
    short, long = sorted((squeeze(name), squeeze(wanted)), key=len)
    if len(short) >= 3 and long.startswith(short):
        return max(direct, 0.6 + 0.3 * len(short) / len(long))
    shared = covered(wanted, words_of(name))
    if shared == 1.0 and len(short) >= 3:
        return max(direct, 0.55 + 0.3 * len(short) / len(long))
    return direct


def by_words(grid: Grid, words: Sequence[str]) -> list[Cell]:
    """Cells whose row and column names are said among the words of a question, the best first."""
    rows = list(_said(grid.row_names, words))
    columns = [said for said in _said(grid.column_names, words) if said[2] != 0]
    found = []
    for row_share, row_size, at_row in rows:
        for column_share, column_size, at_column in columns:
            fit = min(row_share, column_share) * 0.9
            cell = Cell(
                grid.body[at_row][at_column],
                grid.row_names[at_row][0],
                grid.column_names[at_column][0],
                fit,
            )
            found.append(((fit, row_size + column_size), cell))
    return [cell for _, cell in sorted(found, key=lambda pair: pair[0], reverse=True)]


def _said(names: Sequence[Sequence[str]], words: Sequence[str]) -> Iterator[tuple[float, int, int]]:
    for at, called in enumerate(names):
        best = max(((covered(name, words), len(words_of(name))) for name in called if name), default=(0.0, 0))
        if best[0] >= 0.6:
            yield (*best, at)
