from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from quire.pdf.layout.columns import FlowItem, reading_order
from quire.pdf.raw import Edges


def _column(x: float, top: float, count: int, first: int) -> list[FlowItem]:
    return [
        FlowItem(Edges(x, top + 12 * k, x + 220, top + 12 * k + 10), first + k, False) for k in range(count)
    ]


def _order(atoms: list[FlowItem], *, rtl: bool = False) -> list[int]:
    return [placed.key for placed in reading_order(atoms, 10, rtl=rtl)]


def test_columns_between_spanning_lines() -> None:
    title = [FlowItem(Edges(60, 50, 530, 62), 0, False)]
    wide = [FlowItem(Edges(60, 300, 530, 312), 50, False)]
    atoms = (
        title + _column(60, 100, 10, 1) + _column(310, 100, 10, 11)
        + wide + _column(60, 330, 8, 51) + _column(310, 330, 8, 60)
    )  # fmt: skip
    wanted = [0, *range(1, 21), 50, *range(51, 59), *range(60, 68)]
    assert _order(list(reversed(atoms))) == wanted


def test_right_to_left_begins_with_the_right_column() -> None:
    atoms = _column(60, 100, 10, 1) + _column(310, 100, 10, 11)
    assert _order(atoms, rtl=True) == [*range(11, 21), *range(1, 11)]


def test_labels_of_a_list_are_no_column() -> None:
    atoms = []
    for k in range(10):
        atoms.append(FlowItem(Edges(60, 100 + 12 * k, 72, 110 + 12 * k), 2 * k, False))
        atoms.append(FlowItem(Edges(100, 100 + 12 * k, 500, 110 + 12 * k), 2 * k + 1, False))
    assert _order(atoms) == list(range(20))


def test_an_abstract_that_narrows_the_right_column() -> None:
    title = [FlowItem(Edges(60, 50, 430, 62), 0, False)]
    abstract = [FlowItem(Edges(60, 104 + 13 * k, 350, 114 + 13 * k), 10 + k, False) for k in range(8)]
    narrow = [FlowItem(Edges(385, 96 + 12 * k, 530, 106 + 12 * k), 30 + k, False) for k in range(10)]
    left, right = _column(60, 230, 12, 50), _column(310, 216, 13, 70)
    wanted = [0, *range(10, 18), *range(50, 62), *range(30, 40), *range(70, 83)]
    assert _order([*right, *narrow, *left, *abstract, *title]) == wanted


def test_a_grid_of_authors_is_no_narrowed_column() -> None:
    widths = ((58, 161, 50, 63), (40, 162, 48, 64), (55, 162, 48, 63), (105, 162, 48, 63))
    middles = ((139, 94), (311, 94), (482, 94), (130, 157))  # three side by side, a fourth below
    title = [FlowItem(Edges(95, 53, 517, 76), 0, False)]
    grid = [
        FlowItem(Edges(x - w / 2, y + 12.5 * row, x + w / 2, y + 12.5 * row + 9.5), 1 + 4 * n + row, False)
        for n, ((x, y), each) in enumerate(zip(middles, widths, strict=True))
        for row, w in enumerate(each)
    ]
    left = [FlowItem(Edges(49, 232 + 10 * k, 300, 240 + 10 * k), 20 + k, False) for k in range(40)]
    right = [FlowItem(Edges(312, 232 + 10 * k, 563, 240 + 10 * k), 60 + k, False) for k in range(40)]
    order = _order([*title, *grid, *left, *right])
    assert {1, 2, 3, 5, 6, 7, 9, 10, 11, 13} < set(order[:17])  # all names stand before the columns


def test_lines_in_the_margin_come_behind_the_text_that_they_stand_beside() -> None:
    text = [FlowItem(Edges(200, 80 + 12 * k, 570, 90 + 12 * k), k, False) for k in range(12)]
    margin = [FlowItem(Edges(36, 80 + 12 * k, 180, 88 + 12 * k), 20 + k, False) for k in range(2)]
    placed = reading_order([*margin, *text], 10)
    assert [each.key for each in placed] == [*range(12), 20, 21]
    assert [each.aside for each in placed] == [False] * 12 + [True] * 2
    assert {(each.left, each.right) for each in placed} == {(200, 570), (36, 180)}


# Boxes without width or height, at the edge of what looks like a column beside wide lines.
_FLAT = [(0.0, 0.0, 0.0, 0.0)] * 8 + [(0.0, 0.0, 0.0, 1.0)] * 2
_FLAT += [(0.0, 1.0, 40.0, 1.0), (187.0, 0.0, 232.0, 0.0), (193.0, 0.0, 0.0, 0.0), (193.0, 1.0, 1.0, 0.0)]
_FLAT += [(193.0, 0.0, 0.0, 0.0), (183.0, 0.0, 230.0, 0.0), (0.0, 0.0, 0.0, 1.0), (186.0, 0.0, 186.0, 0.0)]


@example(_FLAT)
@given(st.lists(st.tuples(*[st.floats(0, 600) for _ in range(4)]), max_size=40))
def test_nothing_is_lost_or_doubled(boxes: list[tuple[float, float, float, float]]) -> None:
    atoms = [
        FlowItem(Edges(min(a, c), min(b, d), max(a, c), max(b, d)), k, k % 5 == 0)
        for k, (a, b, c, d) in enumerate(boxes)
    ]
    assert sorted(_order(atoms)) == list(range(len(atoms)))


def test_two_columns_below_two_others() -> None:
    info = [FlowItem(Edges(60, 100 + 12 * k, 180, 110 + 12 * k), k, False) for k in range(8)]
    abstract = [FlowItem(Edges(210, 104 + 12 * k, 530, 114 + 12 * k), 10 + k, False) for k in range(12)]
    left, right = _column(60, 280, 6, 30), _column(310, 276, 7, 40)
    foot = [FlowItem(Edges(60, 380, 530, 390), 60, False)]
    wanted = [*range(8), *range(10, 22), *range(30, 36), *range(40, 47), 60]
    assert _order([*right, *foot, *abstract, *left, *info]) == wanted


def test_a_note_beside_the_columns_does_not_part_their_lines() -> None:
    left = [FlowItem(Edges(120, 80 + 11 * k, 333, 88.8 + 11 * k), k, False) for k in range(30)]
    right = [FlowItem(Edges(344, 80 + 11 * k, 557, 88.8 + 11 * k), 40 + k, False) for k in range(30)]
    note = FlowItem(Edges(51, 104, 111, 110), 99, False)
    placed = reading_order([note, *left, *right], 9)
    assert [each.key for each in placed] == [*range(30), *range(40, 70), 99]
    assert [each.key for each in placed if each.aside] == [99]
