"""What the published evaluators assume when a question says nothing, and the limits of what is scored."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from quire.errors import ScoringError
from quire.eval.scorers import EVALUATORS, judged
from quire.eval.scorers.evaluators import Evaluator, honest_answer, read_evaluator
from quire.eval.scorers.judged import m3sciqa
from quire.eval.scorers.judging import Panel, read_choice, read_grades, read_verdict
from quire.eval.scorers.numbers import near
from quire.eval.scorers.scores import beyond_limits, is_right, shorten, verdict
from quire.eval.scorers.structure import Rules, included, list_included, overlap
from quire.eval.scorers.text import FuzzMethod, TextRule, fuzzy, relevant
from quire.literals import MAX_CHARS, MAX_DEPTH
from quire.types import Score, Verdict
from tests.eval.scorers.spellings import perturbed, reordered, spellings, wrong_typed
from tests.eval.scorers.test_judging import FALSE, TRUE, Scripted

_TEXT = {"lowercase": False, "ignore_blank": False, "fuzz_method": "ratio", "threshold": -1}
_ELEMENT = {**_TEXT, "element_type": "str", "ndigits": 2, "tolerance": 1e-6}
_POINTS = {"question": "", "ignore_order": True}
DEFAULTS: dict[str, dict[str, Any]] = {
    "abstain": {},
    "eval_bool_exact_match": {},
    "eval_candidate_reference_answer_with_llm": {"question": ""},
    "eval_complex_math_formula_with_llm": _POINTS,
    "eval_conjunction": {},
    "eval_disjunction": {},
    "eval_element_included": _ELEMENT,
    "eval_element_list_included": _ELEMENT,
    "eval_element_list_overlap": {**_ELEMENT, "count": 1},
    "eval_float_exact_match": {"ndigits": None, "tolerance": 1e-6},
    "eval_int_exact_match": {},
    "eval_m3sciqa": {"question": ""},
    "eval_negation": {},
    "eval_paper_relevance_with_reference_answer": {"threshold": 95},
    "eval_partial_scoring_points_with_llm": {"question": "", "count": 1},
    "eval_reference_answer_and_scoring_points_with_llm": _POINTS,
    "eval_reference_answer_with_llm": {"question": ""},
    "eval_scidqa": {"question": ""},
    "eval_scoring_points_with_llm": _POINTS,
    "eval_string_exact_match": {"lowercase": False, "ignore_blank": False},
    "eval_string_fuzzy_match": {**_TEXT, "threshold": 95},
    "eval_structured_object_exact_match": {
        **_TEXT,
        "ignore_order": False,
        "tolerance": 1e-6,
        "ndigits": None,
    },
}


@pytest.mark.parametrize("name", sorted(EVALUATORS))
def test_what_is_assumed_when_nothing_is_said(name: str) -> None:
    parameters = inspect.signature(EVALUATORS.load(name)).parameters.values()
    assumed = {one.name: one.default for one in parameters if one.default is not one.empty}
    assumed.pop("judge", None)
    assert assumed == DEFAULTS[name]


def test_what_is_assumed_is_what_happens() -> None:
    assert included("A", ["a"]).value == included("a b", ["ab"]).value == 0
    assert included("3.0", ["3"], element_type="int").value == 1
    assert included("0.123", ["0.12"], element_type="float").value == 1
    assert included("0.13", ["0.12"], element_type="float").value == 0
    assert overlap(["a", "x"], ["a", "b"]).value == 1
    assert list_included(["b", "b"], ["a", "b"]).value == 1
    assert relevant("Attention Is All You Nee", "", "Attention Is All You Need").value == 1
    assert relevant("Attention Is All", "", "Attention Is All You Need").value == 0
    assert near(1.0 + 5e-7, 1.0).value == 1
    assert near(1.0 + 2e-6, 1.0).value == 0


def test_the_longest_the_deepest_and_the_largest_answer() -> None:
    assert beyond_limits("a" * MAX_CHARS) == beyond_limits(["a" * (MAX_CHARS - 1)]) == ""
    assert beyond_limits("a" * (MAX_CHARS + 1)) == "The answer is longer than 100000 characters."
    assert "longer" in beyond_limits([1] * (MAX_CHARS + 1))
    assert "longer" in beyond_limits({"a" * MAX_CHARS: "b"})
    assert beyond_limits([10**399, -(10**399)]) == ""
    assert "400 digits" in beyond_limits({"a": [10**400 * 2]})
    deep: Any = 1
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert beyond_limits(deep) == ""
    assert beyond_limits([deep]) == "The answer is nested deeper than 50 levels."


def test_values_are_shown_within_a_line() -> None:
    assert shorten([[[[1]]]]) == "[[[[...]]]]"
    assert len(shorten("a" * 500)) == 80
    assert len(shorten(list(range(500)))) <= 80


def test_a_panel_tells_how_many_said_so() -> None:
    said = Panel(Scripted(TRUE, FALSE, TRUE), votes=3).decide("?").reason
    assert said == "2 of 3 judgements: true. It fits."
    said = Panel(Scripted(FALSE, FALSE, TRUE), votes=3).decide("?").reason
    assert said == "2 of 3 judgements: false. It does not."
    assert Panel(Scripted(TRUE, FALSE), votes=2).decide("?").reason == "The judgements are tied."
    assert "neither true nor false: 'hm'" in Panel(Scripted("hm")).decide("?").reason


def test_a_panel_quotes_a_reply_of_its_own_mind() -> None:
    assert Panel(Scripted(TRUE, FALSE, FALSE), votes=3).decide("?").reason.endswith("false. It does not.")


def test_scores_become_verdicts() -> None:
    assert verdict(Score(None, "no judge"), "llm") == Verdict("unknown", "no judge", "llm")
    assert verdict(Score(0.5, "half")) == Verdict("right", "half", "metric")
    assert verdict(Score(0.49, "less")) == Verdict("wrong", "less", "metric")
    assert [is_right(value) for value in (None, 0.0, 0.5, 1.0)] == [False, False, True, True]


def test_rules_are_strict_unless_told_otherwise() -> None:
    assert TextRule() == TextRule(False, False, "ratio", -1)
    assert Rules() == Rules(TextRule(), None, 1e-6, False)


def test_half_of_a_text_is_part_of_it_and_less_is_not() -> None:
    methods: tuple[FuzzMethod, ...] = ("partial_ratio", "token_set_ratio")
    for method in methods:
        assert fuzzy("ab cd", "ab cd ef g", fuzz_method=method).value == 1
        assert fuzzy("ab cd", "ab cd ef gh", fuzz_method=method).value == 0


@pytest.mark.parametrize(
    ("name", "gold", "read"),
    [
        ("eval_string_exact_match", ["BART"], "BART"),
        ("eval_string_exact_match", 4, "4"),
        ("eval_int_exact_match", "4", 4),
        ("eval_int_exact_match", "4.5", None),
        ("eval_float_exact_match", "4.5", 4.5),
        ("eval_bool_exact_match", "yes", True),
        ("eval_string_exact_match", ["a", "b"], None),
        ("eval_string_exact_match", True, None),
        ("eval_element_list_included", "a", ["a"]),
        ("eval_element_list_included", {"a": 1}, None),
    ],
)
def test_what_a_gold_of_another_type_must_mean(name: str, gold: Any, read: Any) -> None:
    evaluator = read_evaluator({"eval_func": name, "eval_kwargs": {"gold": gold}}).evaluator
    assert (evaluator.parameters["gold"] if evaluator else None) == read


def test_an_honest_answer_to_formulas() -> None:
    for given, honest in (("a", "a"), (["a"], "a"), (["a", "b"], ["a", "b"])):
        found = honest_answer("eval_complex_math_formula_with_llm", {"formulas": given})
        assert found is not None
        assert found.value == honest


def test_a_panel_takes_means_and_medians() -> None:
    grades = Scripted("a: 8\nb: 2", "a: 4\nb: 2", "none")
    graded = Panel(grades, votes=3).grade("?", ["a", "b"])
    assert graded.value == pytest.approx(0.4)
    assert graded.reason == "Of 10: a 6, b 2."
    assert len(grades.prompts) == 3
    votes = Scripted("verdict: 1", "verdict: 0", "verdict: 0.5")
    assert m3sciqa("a", "b", "?", judge=Panel(votes, votes=3)).value == 0.5
    assert len(votes.prompts) == 3
    assert m3sciqa("a", "b", "?", judge=Panel(Scripted("verdict: 1", "verdict: 0"), votes=2)).value == 0


@pytest.mark.parametrize(("after", "seen"), [(3900, True), (4100, False)])
def test_only_the_end_of_a_reply_is_read(after: int, seen: bool) -> None:
    end = "\n" + "x" * after
    assert (read_verdict(f"verdict: true{end}") is True) == seen
    assert (read_grades(f"a: 7{end}", ["a"]) == [7]) == seen
    assert (read_choice(f"verdict: 0.5{end}", (0, 0.5, 1)) == 0.5) == seen
    assert read_choice("verdict: 1\nverdict: 0", (0, 0.5, 1)) == 0
    assert read_choice("verdict: 1.25", (0, 0.5, 1)) is None
    assert read_grades("a: 0", ["a"]) is None
    assert read_grades("a: 1\na: 2", ["a"]) == [2]


def test_how_many_points_are_asked_for() -> None:
    judge = Scripted(TRUE)
    for count in (1, 2, 3):
        judged.some_points("a", ["a", "b", "c"], count=count, judge=Panel(judge))
    assert ["at least 1 of the 3" in judge.prompts[0], "at least 2 of the 3" in judge.prompts[1]] == [
        True
    ] * 2
    assert "states every point" in judge.prompts[2]
    judged.reference_and_points("a", "a b", ["a"], judge=Panel(judge))
    judged.formulas("a", ["b"], judge=Panel(judge))
    assert not any("in the order above" in prompt for prompt in judge.prompts)
    judged.reference_and_points("a", "a b", ["a"], ignore_order=False, judge=Panel(judge))
    judged.formulas("a", ["b"], ignore_order=False, judge=Panel(judge))
    assert all("in the order above" in prompt for prompt in judge.prompts[-2:])
    for count in (0, -1, 4):
        with pytest.raises(ScoringError, match=f"`count` is {count}, but there are 3 points"):
            judged.some_points("a", ["a", "b", "c"], count=count)


@pytest.mark.parametrize(
    ("answer", "gold", "ignore_order", "value"),
    [
        ("b", ["a"], True, None),
        ("a", ["b"], True, None),
        (["b", "a"], ["a", "b"], False, None),
        (["a", "b"], ["a", "b"], False, 1.0),
        ("a, b", ["a", "b"], True, None),
        ([1], ["1"], True, None),
    ],
)
def test_other_latex_needs_a_judge(answer: Any, gold: Any, ignore_order: bool, value: float | None) -> None:
    assert judged.formulas(answer, gold, ignore_order=ignore_order).value == value


def test_the_spellings_that_scorers_are_tried_with() -> None:
    one = Evaluator("eval_int_exact_match", {"gold": 4})
    assert [text for _, text in spellings(one, 4)] == [4, "4", "4", 4.0, "4.0"]
    ordered = Evaluator("eval_structured_object_exact_match", {"gold": ["a", "b"]})
    assert reordered(ordered, ["a", "b"]) == ["a", "b"]
    loose = Evaluator("eval_structured_object_exact_match", {"gold": ["a", "b"], "ignore_order": True})
    assert reordered(loose, ["a", ["b", "c"]]) == [["c", "b"], "a"]
    some = Evaluator("eval_element_list_overlap", {"gold": ["a", "b"]})
    assert reordered(some, ["a", "b"]) == ["b", "a"]
    assert ["a", "b"][1:] in perturbed(ordered, ["a", "b"])
    assert ["b"] not in perturbed(some, ["a", "b"])
    assert perturbed(one, 4) == [19]
    assert perturbed(Evaluator("eval_bool_exact_match", {"gold": True}), True) == [False]
    assert [4] in wrong_typed(4)
    assert "plain words" not in wrong_typed("a")
    assert all(one(answer).value == 0 for answer in (*wrong_typed(4), *perturbed(one, 4)))


def test_what_is_perturbed_says_something_else_of_the_same_kind() -> None:
    same = Evaluator("eval_structured_object_exact_match", {"gold": [None, "text", True, 2, 0.5, {"a": [1]}]})
    answers = perturbed(same, same.parameters["gold"])
    changed = [answer[number] for number, answer in enumerate(answers[:6])]
    assert isinstance(changed[0], str)
    assert changed[1].endswith(" t")
    assert (changed[2], changed[3]) == (False, 13)
    assert [same(answer).value for answer in answers] == [0.0] * len(answers)


def test_a_reason_names_the_title_that_was_looked_for() -> None:
    assert relevant("BERT", "", ["Attention", "GPT"]).reason == "'BERT' is not 'Attention'."
    assert relevant("BERT", "", []).reason == "'BERT' is not ''."


def test_of_a_conjunction_one_part_is_perturbed_and_all_others_stay() -> None:
    gold = [1, "two", True]
    names = ["eval_int_exact_match", "eval_string_exact_match", "eval_bool_exact_match"]
    parameters = {"eval_func_list": names, "eval_kwargs_list": [{"gold": one} for one in gold]}
    answers = perturbed(Evaluator("eval_conjunction", parameters), gold)
    assert [[one != other for one, other in zip(answer, gold, strict=True)] for answer in answers] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]
