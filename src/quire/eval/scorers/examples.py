"""An answer that must be right, taken from an evaluator's own parameters.

Contract: for every scorer that decides without a judge, the honest answer is the gold in the shape that
was asked; for judged ones the reference itself, where there is one. `None` where no answer can be known in
advance (points to be made, the opposite of something).

Used to check an evaluator when it is loaded, to test scorers over whole question sets, and by nobody who
answers questions.

    >>> honest_answer("eval_element_included", {"gold": ["T5", "PICARD"]})
    Honest(value='T5')
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Honest:
    """A right answer. Its value may be None or empty, if that is the gold."""

    value: Any


def honest_answer(name: str, parameters: Parameters) -> Honest | None:
    """A right answer for that evaluator, or None if none can be told."""
    find = _ANSWERS.get(name)
    return find(parameters) if find else None


def _gold(parameters: Parameters) -> Honest | None:
    return Honest(parameters["gold"])


def _first_of(key: str) -> Callable[[Parameters], Honest | None]:
    def find(parameters: Parameters) -> Honest | None:
        value = parameters[key]
        if isinstance(value, list):
            return Honest(value[0]) if value else None
        return Honest(value)

    return find


def _formulas(parameters: Parameters) -> Honest | None:
    value = parameters["formulas"]
    return Honest(value[0] if isinstance(value, list) and len(value) == 1 else value)


def _every_part(parameters: Parameters) -> Honest | None:
    names, kwargs = parameters["eval_func_list"], parameters["eval_kwargs_list"]
    parts = [honest_answer(name, each) for name, each in zip(names, kwargs, strict=False)]
    known = [part.value for part in parts if part is not None]
    return Honest(known) if len(known) == len(parts) else None


_ANSWERS: dict[str, Callable[[Parameters], Honest | None]] = {
    "eval_string_exact_match": _gold,
    "eval_string_fuzzy_match": _gold,
    "eval_bool_exact_match": _gold,
    "eval_int_exact_match": _gold,
    "eval_float_exact_match": _gold,
    "eval_structured_object_exact_match": _gold,
    "eval_element_included": _first_of("gold"),
    "eval_element_list_included": _gold,
    "eval_element_list_overlap": _gold,
    "eval_paper_relevance_with_reference_answer": _first_of("reference_answer"),
    "eval_reference_answer_with_llm": _first_of("reference_answer"),
    "eval_candidate_reference_answer_with_llm": _first_of("candidate_reference_answers"),
    "eval_complex_math_formula_with_llm": _formulas,
    "eval_m3sciqa": _first_of("reference_answer"),
    "eval_scidqa": _first_of("reference_answer"),
    "eval_conjunction": _every_part,
    "eval_disjunction": _every_part,
    "abstain": lambda parameters: Honest(None),
}
