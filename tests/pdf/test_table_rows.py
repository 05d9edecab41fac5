from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from quire.pdf.raw import Word
from quire.pdf.tables.joins import best_division, labelled_rows, row_breaks
from quire.pdf.tables.tokens import TableLine, Text, Token

SIZE = 9.0


def line(y: float, **columns: str) -> TableLine:
    """A line of texts, `c0="name"` in column 0."""
    texts = []
    for name, text in columns.items():
        column, x = int(name[1:]), 100.0 * int(name[1:])
        word = Word(text, x, y - 7, x + 40, y + 2, y, SIZE, False, False, "Times")
        texts.append(Text((Token((word,), x, x + 40, y, SIZE, word.text),), column, column))
    return TableLine(tuple(texts), y, SIZE)


def brute(count: int, links: list[tuple[int, int, float]]) -> float:
    """The best sum over all divisions."""
    best = 0.0
    for mask in range(2 ** (count - 1)):
        rows = [bin(mask & ((1 << i) - 1)).count("1") for i in range(count)]
        best = max(best, sum(s for i, k, s in links if rows[i] == rows[k]))
    return best


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(1, 3), st.integers(-5, 5)), max_size=12))
def test_no_other_division_has_a_higher_sum(drawn: list[tuple[int, int, int]]) -> None:
    links = [(i, min(7, i + step), float(score)) for i, step, score in drawn]
    breaks = best_division(8, links, [False] * 7)
    rows = [sum(breaks[:i]) for i in range(8)]
    assert sum(s for i, k, s in links if rows[i] == rows[k]) == brute(8, links)


def test_a_drawn_line_ends_a_row_whatever_the_words_say() -> None:
    assert best_division(3, [(0, 1, 9.0), (1, 2, 9.0)], [False, True]) == [False, True]
    assert best_division(1, [], []) == []


def test_rows_of_numbers_stay_rows() -> None:
    lines = [line(100 + 12 * k, c0=f"Name {k}", c1=f"1.{k}", c2=f"2{k}") for k in range(6)]
    assert row_breaks(lines, [False] * 5, boxed=False) == [True] * 5


def test_wider_distance_parts_rows() -> None:
    ys = [100, 110, 125, 135, 150, 160]
    names = ["Distance of the", "sun at noon", "Weight of all the", "water drunk", "Height of the", "tide"]
    lines = [line(y, c0=names[k], **({"c1": "1", "c2": "2"} if k % 2 == 0 else {})) for k, y in enumerate(ys)]
    assert row_breaks(lines, [False] * 5, boxed=False) == [False, True, False, True, False]


def test_lower_case_goes_on_at_equal_distances() -> None:
    lines = [
        line(100, c0="Stone", c1="Where it was", c2="1"),
        line(111, c1="found first"),
        line(122, c0="Sand", c1="Everywhere", c2="2"),
    ]
    assert row_breaks(lines, [False] * 2, boxed=False) == [False, True]


def single(lines: Sequence[TableLine], drawn: Sequence[bool]) -> list[bool]:
    return [True] * (len(lines) - 1)


def test_a_label_at_the_middle_of_its_rows_stands_for_all_of_them() -> None:
    lines = [line(100 + 12 * k, **({"c0": "All"} if k == 2 else {}), c1=f"row {k}", c2="1") for k in range(5)]
    found = labelled_rows(lines, single)
    assert found is not None
    assert found == ([True] * 4, [(0, 4)])
    assert labelled_rows([line(100, c0="Top", c1="a"), *lines[1:]], single) is None


def test_a_label_between_its_two_rows() -> None:
    lines = [
        line(y + dy, **cells)
        for y, name in ((100, "NC"), (124, "VC"))
        for dy, cells in ((0, {"c1": "-S9", "c2": "1"}), (6, {"c0": name}), (12, {"c1": "+S9", "c2": "2"}))
    ]
    found = labelled_rows(lines, single)
    assert found is not None
    breaks, groups = found
    assert groups == [(0, 2), (3, 5)]
    assert sum(breaks) == 3
