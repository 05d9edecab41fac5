"""A question's evaluator: which scorer, with which parameters, checked before any answer is scored.

Contract: `read_evaluator` checks a record's parameters against the scorer's own signature and types, and
tells everything that is not as it should be as a `Fault`. What can be mended without doubt is mended and
told (a misspelt name, `"true"` for true, a gold `["BART"]` or `"2463.5"` where a text or a number is
compared); what has no meaning for the scorer is left out and told; a gold that no honest answer can match (it
has no evident meaning, or it fails its own scorer) is told as impossible, and no evaluator is given for it.

    >>> read_evaluator({"eval_func": "eval_float_exact_match", "eval_kwargs": {"gold": 0.035, "nidigits": 3}})
    ReadEvaluator(
        evaluator=Evaluator(name='eval_float_exact_match', parameters={'gold': 0.035, 'ndigits': 3}),
        findings=(Fault(impossible=False, message='`nidigits` is read as `ndigits`.'),),
    )
"""

from __future__ import annotations

import difflib
import inspect
import typing
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from quire.errors import ScoringError
from quire.eval.scorers import EVALUATORS
from quire.eval.scorers.judging import Panel
from quire.eval.scorers.numbers import read_number, read_truth
from quire.eval.scorers.scores import passed, shorten
from quire.types import Score

MAX_NESTING = 8
_JUDGE_SETTINGS = {"llm_model", "model", "temperature", "top_p"}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong with an evaluator as it was published."""

    impossible: bool
    message: str


@dataclass(frozen=True, slots=True)
class Evaluator:
    """A scorer with its parameters. Calling it scores one answer."""

    name: str
    parameters: Mapping[str, Any]

    def __call__(self, prediction: Any, *, judge: Panel | None = None) -> Score:
        """Score an answer: a JSON value, or text that spells one.

        Raises:
            ScoringError: the parameters make no sense to the scorer.
        """
        given = {"judge": judge} if _takes_judge(self.name) else {}
        score: Score = EVALUATORS.load(self.name)(prediction, **self.parameters, **given)
        return score


@dataclass(frozen=True, slots=True)
class ReadEvaluator:
    """An evaluator as it was read; None when no answer could ever be scored with it."""

    evaluator: Evaluator | None
    findings: tuple[Fault, ...] = ()


def read_evaluator(record: Any) -> ReadEvaluator:
    """Check a record `{"eval_func": NAME, "eval_kwargs": {...}}`.

    Raises:
        ScoringError: it is no such record, or names a scorer that does not exist.
    """
    findings: list[Fault] = []
    evaluator = _read_record(record, findings, depth=0)
    if not any(finding.impossible for finding in findings):
        _try_gold(evaluator, findings)
    impossible = any(finding.impossible for finding in findings)
    return ReadEvaluator(None if impossible else evaluator, tuple(findings))


def _read_record(record: Any, findings: list[Fault], depth: int) -> Evaluator:
    if depth > MAX_NESTING:
        raise ScoringError(f"Evaluators are nested deeper than {MAX_NESTING} levels.")
    if not isinstance(record, Mapping) or not isinstance(record.get("eval_func"), str):
        raise ScoringError(
            f"An evaluator needs `eval_func`, the name of a scorer; this is {shorten(record)}."
        )
    name, given = record["eval_func"], record.get("eval_kwargs", {})
    if name not in EVALUATORS:
        try:
            EVALUATORS[name]
        except KeyError as error:
            raise ScoringError(str(error)) from error
    if not isinstance(given, Mapping):
        raise ScoringError(f"`eval_kwargs` of `{name}` must map names to values; it is {shorten(given)}.")
    parameters = _check_parameters(name, dict(given), findings)
    return Evaluator(name, _nested(parameters, findings, depth))


def _nested(parameters: dict[str, Any], findings: list[Fault], depth: int) -> dict[str, Any]:
    """The parameters with the evaluators inside them checked in turn."""
    if "eval_func" in parameters:
        record = {"eval_func": parameters["eval_func"], "eval_kwargs": parameters.get("eval_kwargs", {})}
        return {**parameters, "eval_kwargs": dict(_read_record(record, findings, depth + 1).parameters)}
    if "eval_func_list" not in parameters or "eval_kwargs_list" not in parameters:
        return parameters
    names, kwargs = parameters["eval_func_list"], parameters["eval_kwargs_list"]
    if len(names) != len(kwargs):
        message = f"{len(names)} functions are given with {len(kwargs)} sets of arguments."
        findings.append(Fault(True, message))
        return parameters
    inner = [
        _read_record({"eval_func": n, "eval_kwargs": k}, findings, depth + 1).parameters
        for n, k in zip(names, kwargs, strict=True)
    ]
    return {**parameters, "eval_kwargs_list": [dict(one) for one in inner]}


def _check_parameters(name: str, given: dict[str, Any], findings: list[Fault]) -> dict[str, Any]:
    known = _published_parameters(name)
    parameters = {key: value for key, value in given.items() if key in known}
    for key in given.keys() - known.keys():
        meant = difflib.get_close_matches(key, known.keys() - given.keys(), n=1, cutoff=0.8)
        if key in _JUDGE_SETTINGS:
            findings.append(Fault(False, f"`{key}` is left out: the judge is the configured one."))
        elif meant:
            parameters[meant[0]] = given[key]
            findings.append(Fault(False, f"`{key}` is read as `{meant[0]}`."))
        else:
            findings.append(Fault(False, f"`{key}` is left out: `{name}` has no such parameter."))
    for key, (kind, required) in known.items():
        if key in parameters:
            value = parameters[key]
            parameters[key], fault = _fit_type(f"`{key}` of `{name}`", key, value, kind, required)
            findings += [fault] if fault else []
        elif required:
            findings.append(Fault(True, f"`{key}` of `{name}` is missing."))
    return parameters


def _fit_type(place: str, key: str, value: Any, kind: Any, required: bool) -> tuple[Any, Fault | None]:
    """The value, mended if it is of the wrong type and its meaning is evident; and what is to be told."""
    from pydantic import ValidationError

    adapter = _adapter(kind)
    try:
        adapter.validate_python(value, strict=True)
    except ValidationError:
        meant = _evident(value, kind) if required else None
        if not required:
            with suppress(ValidationError):
                meant = adapter.validate_python(value)
        if meant is not None:
            return meant, Fault(False, f"`{key}` {shorten(value)} is read as {shorten(meant)}.")
        told = str(kind).removeprefix("<class '").removesuffix("'>").replace("typing.", "")
        message = f"{place} is {shorten(value)}, which is not of type {told}: no answer can match it."
        return value, Fault(True, message)
    if key == "threshold" and 0 < value <= 1:
        return value, Fault(False, f"`threshold` {value:g} is read as {value * 100:g} of 100.")
    return value, None


def _try_gold(evaluator: Evaluator, findings: list[Fault]) -> None:
    """An evaluator whose own gold is wrong accepts nobody's answer."""
    answer = honest_answer(evaluator.name, evaluator.parameters)
    if answer is None:
        return
    try:
        score = evaluator(answer.value)
    except ScoringError as error:
        findings.append(Fault(True, f"The scorer refuses its parameters: {error}"))
        return
    if score.value is not None and not passed(score):
        findings.append(Fault(True, f"Its own gold is wrong to it: {score.reason}"))


def _evident(gold: Any, kind: Any) -> Any:
    """What a gold of the wrong type must mean, or None: a text in a list, a number as text."""
    if kind is str:
        only = gold[0] if isinstance(gold, list) and len(gold) == 1 else gold
        if isinstance(only, str):
            return only
        return str(only) if isinstance(only, int | float) and not isinstance(only, bool) else None
    if kind in (int, float) and isinstance(gold, str):
        number = read_number(gold)
        return None if number is None else kind(number) if kind(number) == number else None
    if kind is bool and isinstance(gold, str):
        return read_truth(gold)
    if typing.get_origin(kind) is list and isinstance(gold, str | int | float):
        return [gold]
    return None


@cache
def _published_parameters(name: str) -> dict[str, tuple[Any, bool]]:
    """The type of each parameter that a record may give, and whether it must."""
    function = EVALUATORS.load(name)
    kinds = typing.get_type_hints(inspect.unwrap(function))
    given = list(inspect.signature(function).parameters.values())[1:]
    return {one.name: (kinds[one.name], one.default is one.empty) for one in given if one.name != "judge"}


@cache
def _takes_judge(name: str) -> bool:
    return "judge" in inspect.signature(EVALUATORS.load(name)).parameters


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@dataclass(frozen=True, slots=True)
class Honest:
    """A right answer. Its value may be None or empty, if that is the gold."""

    value: Any


# Whose `gold` is a right answer, and whose parameter holds one or (as a list) several.
_GOLD = frozenset((
    "eval_string_exact_match", "eval_string_fuzzy_match", "eval_bool_exact_match", "eval_int_exact_match",
    "eval_float_exact_match", "eval_structured_object_exact_match", "eval_element_list_included",
    "eval_element_list_overlap",
))  # fmt: skip
_FIRST: Mapping[str, str] = {
    "eval_element_included": "gold",
    "eval_paper_relevance_with_reference_answer": "reference_answer",
    "eval_reference_answer_with_llm": "reference_answer",
    "eval_candidate_reference_answer_with_llm": "candidate_reference_answers",
    "eval_m3sciqa": "reference_answer",
    "eval_scidqa": "reference_answer",
}


def honest_answer(name: str, parameters: Mapping[str, Any]) -> Honest | None:
    """An answer that must be right for that evaluator, from its own parameters; None if none can be told.

    Of a scorer that decides alone it is the gold in the shape that was asked, of judged ones the reference.
    Used to check an evaluator when it is loaded and to test scorers, by nobody who answers questions.

    >>> honest_answer("eval_element_included", {"gold": ["T5", "PICARD"]})
    Honest(value='T5')
    """
    if name in _GOLD:
        return Honest(parameters["gold"])
    if name in _FIRST:
        listed = _listed(parameters[_FIRST[name]])
        return Honest(listed[0]) if listed else None
    if name == "eval_complex_math_formula_with_llm":
        value = parameters["formulas"]
        return Honest(value[0] if isinstance(value, list) and len(value) == 1 else value)
    if name in ("eval_conjunction", "eval_disjunction"):
        given = zip(parameters["eval_func_list"], parameters["eval_kwargs_list"], strict=False)
        parts = [honest_answer(part, each) for part, each in given]
        known = [part.value for part in parts if part is not None]
        return Honest(known) if len(known) == len(parts) else None
    return Honest(None) if name == "abstain" else None
