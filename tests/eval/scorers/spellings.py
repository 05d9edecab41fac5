"""The same answer spelled in other honest ways, and answers near it that must not pass.

Contract: used to test scorers against whole question sets (`benchmarks/scorers_gold.py`, tests), never to
answer. Deterministic. What is perturbed moves by more than the evaluator's own tolerance.

    >>> [text for _, text in spellings(Evaluator("eval_int_exact_match", {"gold": 4}), 4)]
    [4, '4', '4', 4.0, '4.0']
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from quire.eval.scorers import EVALUATORS
from quire.eval.scorers.evaluators import Evaluator

_IN_ANY_ORDER = {"eval_element_list_included", "eval_element_list_overlap"}
_PARTS = {"eval_conjunction", "eval_disjunction"}
_STRANGER = "something entirely different, qzx 7"


def leaves(evaluator: Evaluator) -> tuple[str, ...]:
    """The names of all scorers in it, nested ones too, its own first."""
    given = evaluator.parameters
    kwargs = _listed(given.get("eval_kwargs_list", given.get("eval_kwargs", [])))
    names = [name for key in ("eval_func", "eval_func_list") for name in _listed(given.get(key, []))]
    inner = [leaves(Evaluator(name, each)) for name, each in zip(names, kwargs, strict=False)]
    return (evaluator.name, *(leaf for each in inner for leaf in each))


def needs_judge(evaluator: Evaluator) -> bool:
    """Whether a language model may have to be asked."""
    return any(EVALUATORS[name].startswith("quire.eval.scorers.judged:") for name in leaves(evaluator))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def spellings(evaluator: Evaluator, answer: Any) -> Iterator[tuple[str, Any]]:
    """(what was done, the answer spelled that way)."""
    yield "given as a value", answer
    yield "a Python literal", repr(answer)
    yield "JSON", json.dumps(answer)
    if (floating := _floating(answer)) != answer or repr(floating) != repr(answer):
        yield "whole numbers as 4.0", floating
        yield "whole numbers as 4.0, as text", repr(floating)
    if (turned := reordered(evaluator, answer)) != answer:
        yield "in another order", turned


def reordered(evaluator: Evaluator, answer: Any) -> Any:
    """The answer with every list turned round whose order does not count."""
    if evaluator.name in _PARTS:
        names, kwargs = (evaluator.parameters[f"eval_{key}_list"] for key in ("func", "kwargs"))
        return [reordered(Evaluator(n, k), a) for n, k, a in zip(names, kwargs, answer, strict=True)]
    if evaluator.name in _IN_ANY_ORDER or evaluator.parameters.get("ignore_order"):
        return _turned(answer)
    return answer


def wrong_typed(answer: Any) -> list[Any]:
    """Answers of another type than the right one."""
    if isinstance(answer, (list, dict)):
        return [7, True, "plain words", {"a key": answer}, [[answer]]]
    if isinstance(answer, str):
        return [[answer, answer], {"a key": answer}]
    return [[answer], {"a key": answer}, "plain words"]


def perturbed(evaluator: Evaluator, answer: Any) -> list[Any]:
    """Answers of the right type that say something else."""
    if evaluator.name in _PARTS:
        names, kwargs = (evaluator.parameters[f"eval_{key}_list"] for key in ("func", "kwargs"))
        # Each part in turn is wrong while all others are right.
        return [
            [*answer[:i], other, *answer[i + 1 :]]
            for i, (name, each) in enumerate(zip(names, kwargs, strict=True))
            for other in perturbed(Evaluator(name, each), answer[i])
        ]
    if isinstance(answer, list):
        changed = [[*answer[:i], _other(item), *answer[i + 1 :]] for i, item in enumerate(answer)]
        return [*changed, [*answer, _STRANGER], *([] if evaluator.name in _IN_ANY_ORDER else [answer[1:]])]
    if isinstance(answer, dict):
        changed_keys = [{**answer, key: _other(value)} for key, value in answer.items()]
        return [*changed_keys, {**answer, _STRANGER: 1}, dict(list(answer.items())[1:])]
    return [_other(answer)]


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value * 3 + 7
    if isinstance(value, list):
        return [*value[1:], _STRANGER]
    if isinstance(value, dict):
        return {**value, _STRANGER: 1}
    return f"{_STRANGER} {value[:1]}" if isinstance(value, str) else _STRANGER


def _turned(value: Any) -> Any:
    if isinstance(value, list):
        return [_turned(item) for item in reversed(value)]
    if isinstance(value, dict):
        return {key: _turned(item) for key, item in reversed(value.items())}
    return value


def _floating(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value) if abs(value) < 2**53 else value
    if isinstance(value, list):
        return [_floating(item) for item in value]
    if isinstance(value, dict):
        return {key: _floating(item) for key, item in value.items()}
    return value
