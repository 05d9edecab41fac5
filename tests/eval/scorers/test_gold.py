"""Show 1 in small: questions shaped like the published ones, each against its own scorer."""

from __future__ import annotations

import time
from typing import Any

import pytest

from quire.eval.scorers.evaluators import honest_answer, read_evaluator
from quire.eval.scorers.scores import passed
from tests.eval.scorers.spellings import perturbed, spellings, wrong_typed

EVALUATORS: list[tuple[str, dict[str, Any]]] = [
    ("eval_string_exact_match", {"gold": "Refinement", "lowercase": True}),
    ("eval_string_exact_match", {"gold": 'it\'s "quoted" \\ here', "ignore_blank": True}),
    ("eval_string_exact_match", {"gold": "2048"}),
    ("eval_string_fuzzy_match", {"gold": "Compassion Fade (Naming)", "fuzz_method": "partial_ratio"}),
    ("eval_string_fuzzy_match", {"gold": "Describing textures", "fuzz_method": "token_set_ratio"}),
    ("eval_bool_exact_match", {"gold": False}),
    ("eval_int_exact_match", {"gold": 7466}),
    ("eval_int_exact_match", {"gold": 0}),
    ("eval_float_exact_match", {"gold": 0.21, "ndigits": 2, "tolerance": 1e-6}),
    ("eval_float_exact_match", {"gold": 10.5, "ndigits": 1, "tolerance": 0.6}),
    ("eval_structured_object_exact_match", {"gold": ["VE", "VR", ["a", 1.5, True]], "ignore_order": True}),
    ("eval_structured_object_exact_match", {"gold": {"L": 24, "params": 550_000_000, "sizes": [1, 2]}}),
    (
        "eval_structured_object_exact_match",
        {"gold": ["E2E training", "S2D"], "threshold": 0.9, "ignore_order": True},
    ),
    ("eval_element_included", {"gold": ["PICARD", "T5"]}),
    ("eval_element_included", {"gold": ["1", "2"], "element_type": "int"}),
    ("eval_element_list_included", {"gold": ["Staged", "LiGO"], "lowercase": True}),
    ("eval_element_list_overlap", {"gold": ["Staged", "LiGO"], "count": 2}),
    (
        "eval_paper_relevance_with_reference_answer",
        {"question": "", "reference_answer": "Attention As a Guide"},
    ),
    (
        "eval_conjunction",
        {
            "eval_func_list": ["eval_int_exact_match", "eval_structured_object_exact_match"],
            "eval_kwargs_list": [{"gold": 4}, {"gold": ["a", "b"], "ignore_order": True}],
        },
    ),
]


@pytest.mark.parametrize(("name", "parameters"), EVALUATORS)
def test_gold_is_right_in_every_honest_spelling(name: str, parameters: dict[str, Any]) -> None:
    evaluator = read_evaluator({"eval_func": name, "eval_kwargs": parameters}).evaluator
    assert evaluator is not None
    honest = honest_answer(evaluator.name, evaluator.parameters)
    assert honest is not None
    for how, answer in spellings(evaluator, honest.value):
        score = evaluator(answer)
        assert score.value == 1, (how, answer, score.reason)
        assert score.reason


@pytest.mark.parametrize(("name", "parameters"), EVALUATORS)
def test_empty_wrong_typed_and_perturbed_answers_are_wrong(name: str, parameters: dict[str, Any]) -> None:
    evaluator = read_evaluator({"eval_func": name, "eval_kwargs": parameters}).evaluator
    assert evaluator is not None
    honest = honest_answer(evaluator.name, evaluator.parameters)
    assert honest is not None
    others = [*wrong_typed(honest.value), *(() if "element" in name else perturbed(evaluator, honest.value))]
    for answer in ["", None, [], {}, " ", *others]:
        score = evaluator(answer)
        assert score.value == 0, (answer, score.reason)
        assert 0 < len(score.reason) < 600


@pytest.mark.parametrize(
    ("name", "parameters", "right", "wrong"),
    [
        ("eval_element_included", {"gold": ["PICARD", "T5"]}, ["PICARD", "T5"], ["BERT", "PICARD T5", "T"]),
        ("eval_element_included", {"gold": ["1", "2"], "element_type": "int"}, [1, 2], [0, 3, 12]),
        (
            "eval_element_list_included",
            {"gold": ["Staged", "LiGO"], "lowercase": True},
            [["ligo"], ["STAGED", "LiGO"]],
            [["LiGO", "BERT"], ["Staged LiGO"]],
        ),
        (
            "eval_element_list_overlap",
            {"gold": ["Staged", "LiGO", "BERT"], "count": 2},
            [["LiGO", "Staged"], ["Staged", "other", "BERT"]],
            [["LiGO"], ["LiGO", "LiGO"], ["Staged", "other"]],
        ),
    ],
)
def test_some_elements_of_a_gold_are_enough_and_no_others(
    name: str, parameters: dict[str, Any], right: list[Any], wrong: list[Any]
) -> None:
    evaluator = read_evaluator({"eval_func": name, "eval_kwargs": parameters}).evaluator
    assert evaluator is not None
    assert [evaluator(answer).value for answer in right] == [1] * len(right)
    assert [evaluator(answer).value for answer in wrong] == [0] * len(wrong)


HOSTILE = {
    "1 MB of text": "a" * 1_000_000,
    "1 MB of a list": "[" + "1," * 500_000 + "]",
    "brackets": "[" * 100_000,
    "closed brackets": "[" * 100_000 + "]" * 100_000,
    "NaN": float("nan"),
    "NaN in a list": [float("nan"), ["a"]],
    "long number": "9" * 100_000,
    "long int": 10**5000,
    "invalid LaTeX": "\\frac{{{\\left(",
    "call": "().__class__.__bases__[0].__subclasses__()",
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_hostile_answers_end_within_a_second_and_are_not_right(answer: Any) -> None:
    for name, parameters in EVALUATORS:
        evaluator = read_evaluator({"eval_func": name, "eval_kwargs": parameters}).evaluator
        assert evaluator is not None
        start = time.process_time()
        assert not passed(evaluator(answer))
        assert time.process_time() - start < 1


def test_nesting_beyond_the_interpreter_is_only_wrong() -> None:
    value: Any = "x"
    for _ in range(50_000):
        value = [value]
    for name, parameters in EVALUATORS:
        evaluator = read_evaluator({"eval_func": name, "eval_kwargs": parameters}).evaluator
        assert evaluator is not None
        assert "nested deeper" in evaluator(value).reason
    while isinstance(value, list):  # taken apart by hand: the interpreter would recurse to free it
        value = value.pop()
