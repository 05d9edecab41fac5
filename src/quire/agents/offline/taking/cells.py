"""Choosing the cell of a grid that a question means, by what it calls the row and the column."""

from __future__ import annotations

from collections.abc import Sequence
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


def by_words(grid: Grid, question: str) -> list[Cell]:
    """Filled cells whose row and column names are said in a question, the best first.

    A name that stands in the question as it is printed counts more than one whose words are all there.
    """
    rows = _said(grid.row_names, question)
    columns = [said for said in _said(grid.column_names, question) if said.at != 0]
    found = []
    for row in rows:
        for column in columns:
            value = grid.body[row.at][column.at]
            if value:
                fit = min(row.fit, column.fit)
                cell = Cell(value, grid.row_names[row.at][0], grid.column_names[column.at][0], fit)
                found.append(((fit, row.size + column.size), cell))
    ranked = sorted(found, key=lambda pair: pair[0], reverse=True)
    # Of two that fit alike the one with the longer names is meant: the other is part of it.
    best = ranked[0][0] if ranked else (0.0, 0)
    return [cell for key, cell in ranked if key[0] < best[0] or key[1] == best[1]]


def column_fits(grid: Grid, quotes: Sequence[str], question: str) -> list[tuple[float, int]]:
    """The columns that a question may mean, the best first: (fit, column); the first column is none."""
    said = [(each.fit, each.size, each.at) for each in _said(grid.column_names, question) if each.at]
    for quote in quotes:
        said += [(fit, len(quote), at) for fit, at in _ranked(grid.column_names, quote) if at and fit >= 0.6]
    return [(fit, at) for fit, _, at in sorted(said, reverse=True)]


@dataclass(frozen=True, slots=True)
class _Said:
    fit: float
    size: int
    at: int


def _said(names: Sequence[Sequence[str]], question: str) -> list[_Said]:
    words, bare = words_of(question), squeeze(question)
    found = []
    for at, called in enumerate(names):
        fits = [(_name_fit(name, words, bare), len(squeeze(name))) for name in called if name]
        fit, size = max(fits, default=(0.0, 0))
        if fit >= 0.5:
            found.append(_Said(fit, size, at))
    return found


def _name_fit(name: str, words: Sequence[str], bare: str) -> float:
    whole = squeeze(name)
    if len(whole) >= 2 and whole in bare:
        return 0.95
    return 0.85 * covered(name, words)
