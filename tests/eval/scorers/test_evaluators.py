from __future__ import annotations

from typing import Any

import pytest

from quire.errors import ScoringError
from quire.eval.scorers import EVALUATORS
from quire.eval.scorers.evaluators import MAX_NESTING, Evaluator, read_evaluator
from tests.eval.scorers.spellings import leaves, needs_judge


def _read(name: str, **parameters: Any) -> Any:
    return read_evaluator({"eval_func": name, "eval_kwargs": parameters})


def test_every_published_name_is_there() -> None:
    assert len([name for name in EVALUATORS if name.startswith("eval_")]) == 21
    for name in EVALUATORS:
        assert callable(EVALUATORS.load(name))


def test_a_misspelt_parameter_is_told_and_mended() -> None:
    reading = _read("eval_float_exact_match", gold=0.035, nidigits=3)
    assert reading.evaluator == Evaluator("eval_float_exact_match", {"gold": 0.035, "ndigits": 3})
    assert [finding.message for finding in reading.findings] == ["`nidigits` is read as `ndigits`."]


def test_a_misspelt_gold_is_mended_too() -> None:
    reading = _read("eval_complex_math_formula_with_llm", fomulas="a = b", question="?")
    assert reading.evaluator is not None
    assert reading.evaluator.parameters["formulas"] == "a = b"


def test_a_parameter_without_meaning_is_told_and_left_out() -> None:
    reading = _read("eval_string_exact_match", gold="LongBench", ignore_case=True, llm_model="gpt")
    assert reading.evaluator is not None
    assert dict(reading.evaluator.parameters) == {"gold": "LongBench"}
    assert sorted(finding.message.split()[0] for finding in reading.findings) == [
        "`ignore_case`",
        "`llm_model`",
    ]


def test_an_option_of_the_wrong_type_is_told_and_read() -> None:
    reading = _read("eval_string_exact_match", gold="Flickr", lowercase="true")
    assert reading.evaluator is not None
    assert reading.evaluator("FLICKR").value == 1
    assert len(reading.findings) == 1


def test_an_option_that_cannot_be_read_is_impossible() -> None:
    assert _read("eval_string_fuzzy_match", gold="x", fuzz_method="soundex").evaluator is None


@pytest.mark.parametrize(
    ("name", "gold", "right", "wrong"),
    [
        ("eval_string_exact_match", ["BART"], "BART", "T5"),
        ("eval_string_exact_match", ["BART"], ["BART"], ["T5"]),
        ("eval_string_exact_match", 2048, "2048", "2049"),
        ("eval_float_exact_match", "2463.5", 2463.5, 2463.6),
        ("eval_int_exact_match", "12", 12, 13),
        ("eval_bool_exact_match", "true", True, False),
        ("eval_element_included", "T5", "T5", "T6"),
    ],
)
def test_a_gold_of_the_wrong_type_counts_by_its_evident_meaning(
    name: str, gold: Any, right: Any, wrong: Any
) -> None:
    reading = _read(name, gold=gold)
    assert reading.evaluator is not None
    assert (reading.evaluator(right).value, reading.evaluator(wrong).value) == (1, 0)
    assert [finding.impossible for finding in reading.findings] == [False]


def test_such_a_gold_counts_inside_a_conjunction_too() -> None:
    reading = _read(
        "eval_conjunction",
        eval_func_list=["eval_string_exact_match", "eval_int_exact_match"],
        eval_kwargs_list=[{"gold": ["BART"]}, {"gold": 2}],
    )
    assert reading.evaluator is not None
    assert reading.evaluator(["BART", 2]).value == 1
    assert reading.evaluator(["T5", 2]).value == 0


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("eval_string_exact_match", {"gold": ["a", "list"]}),
        ("eval_float_exact_match", {"gold": "many"}),
        ("eval_int_exact_match", {"gold": True}),
        ("eval_float_exact_match", {}),
        ("eval_float_exact_match", {"gold": float("nan")}),
        ("eval_element_list_included", {"gold": []}),
        ("eval_element_list_overlap", {"gold": ["a"], "count": 2}),
        ("eval_conjunction", {"eval_func_list": ["eval_int_exact_match"], "eval_kwargs_list": []}),
        (
            "eval_conjunction",
            {"eval_func_list": ["eval_string_exact_match"], "eval_kwargs_list": [{"gold": {"a": 1}}]},
        ),
    ],
)
def test_a_gold_that_nothing_can_match_is_impossible(name: str, parameters: dict[str, Any]) -> None:
    reading = read_evaluator({"eval_func": name, "eval_kwargs": parameters})
    assert reading.evaluator is None
    assert any(finding.impossible for finding in reading.findings)


@pytest.mark.parametrize(
    "record",
    [None, [], {}, {"eval_func": 3}, {"eval_func": "eval_x"}, {"eval_func": "eval_scidqa", "eval_kwargs": 1}],
)
def test_what_is_no_evaluator_is_refused(record: Any) -> None:
    with pytest.raises(ScoringError):
        read_evaluator(record)


def test_an_unknown_scorer_gets_the_nearest_name() -> None:
    with pytest.raises(ScoringError, match="Did you mean `eval_int_exact_match`"):
        _read("eval_int_exact_mach", gold=1)


@pytest.mark.parametrize("listed", [False, True])
def test_evaluators_nested_without_end_are_refused(listed: bool) -> None:
    def nested(times: int) -> Any:
        record: Any = {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 1}}
        for _ in range(times):
            name, kwargs = record["eval_func"], record["eval_kwargs"]
            within = {"eval_func_list": [name], "eval_kwargs_list": [kwargs]}
            negated = {"eval_func": "eval_negation", "eval_kwargs": record}
            record = {"eval_func": "eval_conjunction", "eval_kwargs": within} if listed else negated
        return record

    assert read_evaluator(nested(MAX_NESTING)).evaluator is not None
    for times in (MAX_NESTING + 1, 50):
        with pytest.raises(ScoringError, match="nested deeper"):
            read_evaluator(nested(times))


def test_which_evaluators_need_a_judge() -> None:
    judged = {"reference_answer": "x", "question": "?"}
    mixed = _read(
        "eval_conjunction",
        eval_func_list=["eval_int_exact_match", "eval_reference_answer_with_llm"],
        eval_kwargs_list=[{"gold": 1}, judged],
    ).evaluator
    assert mixed is not None
    assert needs_judge(mixed)
    assert leaves(mixed) == ("eval_conjunction", "eval_int_exact_match", "eval_reference_answer_with_llm")
    assert not needs_judge(Evaluator("eval_int_exact_match", {"gold": 1}))
    assert needs_judge(Evaluator("eval_negation", {"eval_func": "eval_scidqa", "eval_kwargs": judged}))
