from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quire.documents.raw import Word
from quire.documents.tables.anchors import rows_by_anchor
from quire.documents.tables.labels import group_labels
from quire.documents.tables.lines import Text, TextLine
from quire.documents.tables.tokens import Token
from quire.documents.tables.wraps import row_breaks

SIZE, PITCH = 9.0, 10.5


def line(y: float, **columns: str) -> TextLine:
    """A line of texts, `c0="name"` in column 0."""
    texts = []
    for name, text in columns.items():
        column, x = int(name[1:]), 100.0 * int(name[1:])
        word = Word(text, x, y - 7, x + 40, y + 2, y, SIZE, False, False, "Times")
        texts.append(Text(column, column, (Token((word,), x, x + 40, y, SIZE),)))
    return TextLine(tuple(texts), y, SIZE)


def centred(heights: list[tuple[int, int]], gap: float) -> tuple[list[TextLine], list[int]]:
    """Rows whose cells in columns 0 and 1 have so many lines, with a number at their middle in column 2."""
    marks: dict[float, dict[str, str]] = {}
    owner: dict[float, int] = {}
    top = 100.0
    for row, counts in enumerate(heights):
        height = (max(counts) - 1) * PITCH
        middle = top + height / 2
        for column, count in enumerate((*counts, 1)):
            for k in range(count):
                y = round(middle + (k - (count - 1) / 2) * PITCH, 3)
                marks.setdefault(y, {})[f"c{column}"] = f"{row}.{k}"
                owner[y] = row
        top += height + gap
    return [line(y, **marks[y]) for y in sorted(marks)], [owner[y] for y in sorted(owner)]


ONE_TALL = st.tuples(st.integers(1, 5), st.just(1)) | st.tuples(st.just(1), st.integers(1, 5))


@given(st.lists(ONE_TALL, min_size=3, max_size=9))
def test_rows_with_centred_cells_come_back(heights: list[tuple[int, int]]) -> None:
    lines, owners = centred([(2, 1), (1, 2), *heights, (2, 1)], gap=14)
    assert rows_by_anchor(lines) == owners


def test_single_lines_have_no_anchor() -> None:
    lines = [line(100 + 12 * k, c0="a", c1="1", c2="2") for k in range(6)]
    assert rows_by_anchor(lines) is None
    assert row_breaks(lines, [False] * 5, boxed=False) == [True] * 5


def test_wider_distance_parts_rows() -> None:
    ys = [100, 110, 125, 135, 150, 160]
    lines = [line(y, c0="name", **({"c1": "1", "c2": "2"} if k % 2 == 0 else {})) for k, y in enumerate(ys)]
    assert row_breaks(lines, [False] * 5, boxed=False) == [False, True, False, True, False]


def test_lower_case_goes_on_at_equal_distances() -> None:
    lines = [
        line(100, c0="Stone", c1="Where it was", c2="1"),
        line(111, c1="found first"),
        line(122, c0="Sand", c1="Everywhere", c2="2"),
    ]
    assert row_breaks(lines, [False] * 2, boxed=False) == [False, True]


def test_label_at_the_middle_of_its_rows() -> None:
    lines = [line(100 + 12 * k, **({"c0": "All"} if k == 2 else {}), c1=f"row {k}", c2="1") for k in range(5)]
    assert group_labels(lines, [False] * 4) == [(0, 4)]
    assert group_labels([line(100, c0="Top", c1="a"), *lines[1:]], [False] * 4) == []
