from __future__ import annotations

from quire.documents.captions import Caption
from quire.documents.false_floats import is_prose_equation, is_prose_table
from quire.documents.raw import Edges
from quire.documents.tables import Cell, FoundTable, Grid
from quire.types import Box, Equation

BOX = Edges(0, 0, 100, 100)


def _table(rows: list[list[str]], caption: Caption | None = None) -> FoundTable:
    cells = tuple(Cell(i, j, i, j, text) for i, row in enumerate(rows) for j, text in enumerate(row) if text)
    return FoundTable(1, BOX, Grid(BOX, len(rows), len(rows[0]), cells), caption)


def test_sentences_and_lists_are_no_tables() -> None:
    prose = [
        ["", "these are the words of a paragraph that goes on"],
        ["", "and on until it fills the page with words"],
    ]
    entries = [
        [f"{k}.", "Smith J, Doe R (2010) How things work in small rivers. Mol Things 16: 1-9."]
        for k in (3, 4)
    ]
    assert is_prose_table(_table(prose))
    assert is_prose_table(_table(entries))


def test_tables_stay_tables() -> None:
    numbers = [["Hull", "80 g"], ["Hat boat", "61.2"], ["Keel boat", "57.5"]]
    assert not is_prose_table(_table(numbers))
    captioned = Caption(1, "table", "Table 1", "Table 1: words", BOX, (0,), 9.0)
    assert not is_prose_table(_table([["", "words " * 20]], captioned))


def test_equations() -> None:
    box = Box(0, 0, 10, 10)
    assert not is_prose_equation(Equation(1, box, "T = a w^2 / (1 + b n)", "(1)"))
    assert not is_prose_equation(Equation(1, box, "f(x) = 1 if x is positive, 0 otherwise", "(2)"))
    text = "The average number of cells was 0.4 × 10^8 whereas the count of others was 1.1 × 10^5 in both"
    assert is_prose_equation(Equation(1, box, text, ""))
