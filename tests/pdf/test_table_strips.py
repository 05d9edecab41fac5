from __future__ import annotations

from collections.abc import Sequence

from quire.pdf.raw import Edges, Word
from quire.pdf.tables.columns import Blank, band, blank_at, separators, strips_of
from quire.pdf.tables.reading import read_grid
from quire.pdf.tables.rules import DrawnLines
from quire.pdf.tables.tokens import Token, TokenRow, rows_of

SIZE = 10.0
SPACE = 2.6  # points between words


def token(text: str, x: float, y: float) -> Token:
    """A word, 5 points a letter."""
    end = x + 5.0 * len(text)
    return Token((Word(text, x, y - 7, end, y + 2, y, SIZE, False, False, "Times"),), x, end, y, SIZE, text)


def tokens(rows: Sequence[Sequence[tuple[float, str]]]) -> list[Token]:
    """Rows of cells (left end, words), 14 points apart."""
    out = []
    for k, row in enumerate(rows):
        for x, cell in row:
            for word in cell.split():
                out.append(token(word, x, 100.0 + 14 * k))
                x = out[-1].x1 + SPACE
    return out


def names(gap: float) -> list[list[tuple[float, str]]]:
    """Two columns of words with a narrow gap between them: the first ends at 145, the second is aligned."""
    firsts = ["colour name", "green paint", "brown stain", "white glaze", "black sauce", "amber resin"]
    seconds = ["dry in shade", "keeps well", "wash by hand", "no heat here", "stir slowly", "two days old"]
    return [[(87.6, a), (145.2 + gap, b)] for a, b in zip(firsts, seconds, strict=True)]


def test_columns_that_stand_closer_than_usual_are_told_by_their_alignment() -> None:
    rows = names(4.0)
    grid = read_grid(rows_of(tokens(rows)), DrawnLines([], []), Edges(80, 90, 300, 190))
    assert grid is not None
    assert grid.columns == 2
    assert [c.text for c in grid.cells] == [cell for row in rows for _, cell in row]


def test_running_text_has_no_columns() -> None:
    lines = [
        "the boats went out at noon and came",
        "back late with little to show for a",
        "day on the water that had been calm",
        "and grey since the morning when all",
        "of them had left the harbour in the",
        "first light of a cold spring season",
    ]
    assert separators(rows_of(tokens([[(100.0, line)] for line in lines])), []) == []


def test_candidates_come_emptiest_first_and_long_tables_are_thinned() -> None:
    rows = rows_of(tokens(names(8.0)))
    own = band(rows, 80, 300, framed=False)
    assert own is not None
    found = strips_of(own)
    assert [s.crossed for s in found] == sorted(s.crossed for s in found)
    many = band([TokenRow(r.tokens, r.baseline, r.size) for r in rows * 200], 80, 300, framed=False)
    assert many is not None
    assert len(many.rows) <= 400
    assert band([], 0, 1, framed=False) is None


def test_a_gap_parts_words_only_where_the_columns_leave_it_blank() -> None:
    blank = Blank(150.0, 160.0, None, 160.0, 1.0)
    assert blank.parts(token("ab", 139, 0), token("cd", 161, 0))
    assert not blank.parts(token("ab", 142, 0), token("cd", 157, 0))  # words of a text over both columns
    assert blank.parts(token("ab", 144, 0), token("cd", 160, 0))  # a long text, but the next one is aligned
    assert not blank.parts(token("ab", 100, 0), token("cd", 120, 0))
    own = band(rows_of(tokens(names(4.0))), 80, 300, framed=False)
    assert own is not None
    assert blank_at(own, 60.0, 50.0, 300.0) is None
