from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.library.tabular import number_in, unit_in


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("10.5 ± 2.3", 10.5),
        ("<0.001*", 0.001),
        ("1,234.5", 1234.5),
        ("12 345", 12345),
        ("3,5", 3.5),
        ("−3.2", -3.2),
        ("45 (23%)", 45),
        ("3 × 10^-5", 3e-5),
        ("2e-06", 2e-6),
        ("10^3", 1000),
        ("$ 2,110", 2110),
        ("(0.05)", 0.05),
        ("0.85^a", 0.85),
        ("128²", 128),
        ("5 mg/kg", 5),
    ],
)
def test_cells_that_are_numbers(text: str, wanted: float) -> None:
    assert number_in(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "Model 3",
        "C-11",
        "n/a",
        "—",
        "2–3",
        "45/100",
        "12, 13",
        "1.2.3",
        "3 patients",
        "3rd",
        "95% CI",
        "²",
        "1e999",
    ],
)
def test_words_ranges_and_lists_are_not_numbers(text: str) -> None:
    assert number_in(text) is None


def test_the_unit_is_that_of_the_cell_before_that_of_its_labels() -> None:
    assert unit_in("93.8%", "Weight (kg)") == "%"
    assert unit_in("US$ 4", "Weight (kg)") == "$"
    assert unit_in("62.1", "Weight (kg)") == "kg"
    assert unit_in("62.1", "Mean", "Age, years") == "years"
    assert unit_in("62.1", "Rate [mg/kg/day]") == "mg/kg/day"


@pytest.mark.parametrize("head", ["Mean (SD)", "n (32)", "Risk (95% CI)", "Setting (a)", "p (n = 3)", ""])
def test_what_stands_in_brackets_is_not_always_a_unit_in(head: str) -> None:
    assert unit_in("5", head) == ""


@given(st.text(alphabet="0123456789.,+-±×^e() %²٣mg", max_size=200))
def test_any_text_can_be_asked(text: str) -> None:
    number_in(text)
    unit_in(text, text)
