"""Is this list or mapping the gold one, element by element?

Contract: lists keep their order unless `ignore_order`, which then holds at every level and is a real
matching (`matching.py`); mappings never have an order; keys are compared as texts. Leaves are compared by
the kind of the gold leaf: truth values, numbers, texts. Where a list or a mapping is asked, a text is read as
the Python or JSON literal of one: "[1, 2]" and "(1, 2,)" are lists. Tuples and sets count as lists.

    >>> same("{'tasks': ['RTE', 'CoLA']}", {"tasks": ["CoLA", "RTE"]}, ignore_order=True).value
    1.0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire.eval.scorers.matching import pair
from quire.eval.scorers.numbers import near_difference, truth_difference, whole_difference
from quire.eval.scorers.scores import right, scorer, show, wrong
from quire.eval.scorers.text import FuzzMethod, TextRule
from quire.eval.scorers.text import difference as text_difference
from quire.literals import NotALiteral, read
from quire.types import Score

Structured = list[Any] | dict[str, Any] | str | bool | int | float | None


@dataclass(frozen=True, slots=True)
class Rules:
    """How structures are compared: their leaves, and whether the order of lists counts."""

    text: TextRule = TextRule()
    ndigits: int | None = None
    tolerance: float = 1e-6
    ignore_order: bool = False


@scorer
def same(
    prediction: Any,
    gold: Structured,
    ignore_order: bool = False,
    tolerance: float = 1e-6,
    ndigits: int | None = None,
    lowercase: bool = False,
    ignore_blank: bool = False,
    threshold: float = -1,
    fuzz_method: FuzzMethod = "ratio",
) -> Score:
    """1 if every part agrees. Published as `eval_structured_object_exact_match`."""
    rules = Rules(TextRule(lowercase, ignore_blank, fuzz_method, threshold), ndigits, tolerance, ignore_order)
    reason = difference(prediction, gold, rules)
    return wrong(reason) if reason else right("Every part agrees.")


def difference(prediction: Any, gold: Any, rules: Rules) -> str:
    """Why the prediction is not this value, or "" if it is. Recursion goes as deep as the gold."""
    if isinstance(gold, (list, tuple, dict)) and isinstance(prediction, str):
        try:
            prediction = read(prediction)
        except NotALiteral as error:
            return f"A {_noun(gold)} was asked; {show(prediction)} is none ({error})."
    if isinstance(gold, dict):
        return _mapping_difference(prediction, gold, rules)
    if isinstance(gold, (list, tuple)):
        return _list_difference(prediction, gold, rules)
    if isinstance(gold, bool):
        return truth_difference(prediction, gold)
    if isinstance(gold, int):
        return whole_difference(prediction, gold)
    if isinstance(gold, float):
        return near_difference(prediction, gold, rules.ndigits, rules.tolerance)
    if isinstance(gold, str):
        return text_difference(prediction, gold, rules.text)
    return "" if prediction is None else f"{show(prediction)} is not empty."


def _list_difference(prediction: Any, gold: list[Any] | tuple[Any, ...], rules: Rules) -> str:
    if not isinstance(prediction, (list, tuple, set, frozenset)):
        return f"A list was asked; {show(prediction)} is none."
    given = list(prediction)
    if len(given) != len(gold):
        return f"{len(given)} elements were given; the answer has {len(gold)}."
    if not rules.ignore_order:
        reasons = (
            f"Element {i}: {reason}"
            for i, (one, other) in enumerate(zip(given, gold, strict=True), 1)
            if (reason := difference(one, other, rules))
        )
        return next(reasons, "")
    pairs = pair(gold, given, lambda other, one: not difference(one, other, rules))
    lonely = [item for i, item in enumerate(gold) if i not in pairs]
    return f"Nothing given is {show(lonely[0])}." if lonely else ""


def _mapping_difference(prediction: Any, gold: dict[str, Any], rules: Rules) -> str:
    if not isinstance(prediction, dict):
        return f"A mapping was asked; {show(prediction)} is none."
    if len(prediction) != len(gold):
        return f"{len(prediction)} keys were given; the answer has {len(gold)}."
    keys = pair(
        list(gold), list(prediction), lambda key, said: not text_difference(said, str(key), rules.text)
    )
    given = list(prediction.values())
    for i, (key, value) in enumerate(gold.items()):
        if i not in keys:
            return f"The key {show(key)} is missing."
        if reason := difference(given[keys[i]], value, rules):
            return f"{show(key)}: {reason}"
    return ""


def _noun(gold: Any) -> str:
    return "mapping" if isinstance(gold, dict) else "list"
