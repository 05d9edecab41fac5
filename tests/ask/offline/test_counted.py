"""Numbers that count something else than what is asked."""

from __future__ import annotations

import pytest

from quire.ask.offline.extract.candidates import FoundUnit, candidates, counts_what_is_asked

DOSE = "The males were given 250 mg/kg/day for 48 days in all, 12 rats a group."


@pytest.mark.parametrize(
    ("question", "fitting"),
    [
        ("For how many days did the males get it?", [48]),
        ("How many rats were there?", [12]),
        ("How many?", [250, 48, 12]),
        ("What dose did they get?", [250, 48, 12]),
    ],
)
def test_a_number_stands_before_what_it_counts(question: str, fitting: list[int]) -> None:
    found = candidates([FoundUnit(DOSE, 0, 1.0, 1, "p", "k", "sentences")])
    assert [each.value for each in found if counts_what_is_asked(question, each)] == fitting


def test_a_cell_is_counted_by_its_labels() -> None:
    (cell,) = candidates(
        [FoundUnit("17", 0, 1.0, 1, "p", "k", "cells", row_label="Gout", column_label="Adults (n)")]
    )
    assert counts_what_is_asked("number of adults in the gout trial", cell)
    assert not counts_what_is_asked("How many mice had gout?", cell)


def test_the_number_of_a_table_or_figure_is_no_candidate() -> None:
    told = "Table 7: Scores (see Fig. 2 and section 3) of 12 models with figures below 5"
    assert [each.value for each in candidates([FoundUnit(told, 0, 1.0, 1, "p", "k", "tables")])] == [12, 5]
