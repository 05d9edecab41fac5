from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import ScoringError
from quire.eval.scorers.numbers import near, read_number, truth, whole
from quire.eval.scorers.structure import included, list_included, overlap, pair, same
from quire.eval.scorers.text import exact, fuzzy, relevant


@given(st.lists(st.integers(0, 4), max_size=5), st.lists(st.integers(0, 4), max_size=5))
def test_pairs_are_as_many_as_the_best_arrangement(left: list[int], right: list[int]) -> None:
    def alike(a: int, b: int) -> bool:
        return abs(a - b) <= 1

    found = pair(left, right, alike)
    assert len(set(found.values())) == len(found)
    assert all(alike(left[i], right[j]) for i, j in found.items())
    short, long = sorted((left, right), key=len)
    best = max(
        (sum(alike(a, b) for a, b in zip(short, chosen, strict=True)))
        for chosen in itertools.permutations(long, len(short))
    )
    assert len(found) == best


def test_a_long_chain_of_moves() -> None:
    size = 400
    found = pair(range(size), range(size), lambda a, b: b in (a - 1, a) if a else b == size - 1)
    assert len(found) == size


def test_too_many_elements_are_refused() -> None:
    with pytest.raises(ScoringError, match="More than 1000"):
        pair(range(2000), range(2000), lambda a, b: a == b)


def test_fuzzy_matching_does_not_depend_on_how_things_sort() -> None:
    gold = ["model a", "model ab"]
    assert same(["xmodel ab", "model a"], gold, ignore_order=True, threshold=90).value == 1
    assert same(["model a", "model a"], ["model a", "model b"], ignore_order=True).value == 0


def test_the_order_counts_unless_it_is_said_not_to() -> None:
    assert same([1, 2], [2, 1]).value == 0
    assert same([[2, 1], "a"], ["a", [1, 2]], ignore_order=True).value == 1


def test_mappings_have_no_order_but_keys_and_values_belong_together() -> None:
    assert same({"b": 2, "a": 1}, {"a": 1, "b": 2}).value == 1
    assert same({"a": 2, "b": 1}, {"a": 1, "b": 2}, ignore_order=True).value == 0
    assert same({"A ": 1}, {"a": 1}, lowercase=True).value == 1
    assert same("{1: 'x'}", {"1": "x"}).value == 1


def test_lists_may_be_spelled_as_text_wherever_one_is_asked() -> None:
    assert same("[1, 2]", [1, 2]).value == same("(1, 2,)", [1, 2]).value == 1
    assert same(["a", "[1, 2]"], ["a", [1, 2]]).value == 1
    assert included("(1, 2,)", [[1, 2], [3]], element_type="structured").value == 1
    assert same("[1, 2", [1, 2]).value == same(["a", "b"], ["a", [1]]).value == 0


def test_likeness_is_that_of_fuzzywuzzy() -> None:
    assert fuzzy("Naming: (FADE, a)", "a fade naming", fuzz_method="token_sort_ratio").value == 1
    assert fuzzy("FADE!", "fade", fuzz_method="token_set_ratio").value == 1
    assert fuzzy("FADE", "fade").value == 0
    nearly = "a" * 52 + "b" * 3  # 94.5 of 100: as a whole number enough
    assert fuzzy(nearly, "a" * 52 + "c" * 3, threshold=95).value == 1


def test_reasons_say_where() -> None:
    assert same(["a", [1]], ["a", [2]]).reason == "Element 2: Element 1: 1 is not 2."
    assert "'m'" in same({"m": 1}, {"m": 2}).reason


def test_a_single_letter_is_no_part_of_anything() -> None:
    assert fuzzy("a", "Compassion Fade", fuzz_method="partial_ratio").value == 0
    assert fuzzy("the", "the cat on the mat", fuzz_method="token_set_ratio").value == 0
    assert fuzzy("Compassion Fade, as named", "Compassion Fade", fuzz_method="partial_ratio").value == 1


def test_texts() -> None:
    assert exact("e\u0301", "\u00e9").value == 1
    assert exact("A b", "ab", lowercase=True, ignore_blank=True).value == 1
    assert exact(True, "true", lowercase=True).value == 1
    assert exact(["ab"], "ab").value == exact("['ab']", "ab").value == 1
    assert exact(["ab", "ab"], "ab").value == exact([["ab"]], "ab").value == exact("[ab]", "ab").value == 0
    assert exact("[ab]", "[ab]").value == 1
    assert exact("'ab'", "ab").value == 1
    assert exact("```\nab\n```", "ab").value == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [("4", 4), ("4.0", 4.0), ("1,234", 1234), ("\u22123", -3), ("'7'", 7), (".5", 0.5), ("1e3", 1000.0)]
    + [
        ("12,34", None),
        ("NaN", None),
        ("inf", None),
        ("4 layers", None),
        ("", None),
        ("-", None),
        ("e5", None),
    ]
    + [("1e999", None), ("4%", None), ("\u0664", 4)],
)
def test_numbers(text: str, number: float | None) -> None:
    assert read_number(text) == number


def test_numbers_and_truth_values_are_not_mixed_up() -> None:
    assert whole(True, 1).value == 0
    assert whole(4.2, 4).value == 0
    assert near(10**400, 1.0).value == 0
    assert near(float("nan"), 1.0).value == 0
    assert near(0.0, 0.0).value == 1
    assert near("39.54", 39.5, ndigits=1).value == 1
    assert (truth("No.", False).value, truth("maybe", False).value, truth(0, False).value) == (1, 0, 1)


def test_sets() -> None:
    assert included("t5", ["T5"], lowercase=True).value == 1
    assert included(3, ["3"], element_type="int").value == 1
    assert list_included(["a", "b"], ["b", "a", "c"]).value == 1
    assert list_included(["a", "x"], ["a"]).value == 0
    assert list_included("[]", ["a"]).value == 0
    assert overlap(["a", "a"], ["a", "b"], count=2).value == 0
    assert overlap(["b", "a", "z"], ["a", "b"], count=2).value == 1
    assert overlap("a, b", ["a"]).value == 0


def test_titles() -> None:
    assert relevant("Attention is\n all you need", "", ["BERT", "Attention Is All You Need"]).value == 1
    assert relevant("Attention", "", "Attention Is All You Need").value == 0
    assert relevant(["BERT"], "", "BERT").value == 1
    assert relevant(["BERT", "T5"], "", "BERT").value == 0
