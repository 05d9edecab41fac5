"""Is this element, or are these elements, among the gold ones?

Contract: an element is compared like a leaf or part of a structure (`structure.py`); `element_type` "int" or
"float" reads gold elements that are spelled as text as numbers. An empty answer is never right, though no
element of it is wrong: saying nothing is not an answer.

    >>> overlap(["BERT", "BERT", "T5"], ["T5", "BERT", "GPT-2"], count=3).reason
    '2 of the 3 distinct elements that are asked stand in the gold list.'
"""

from __future__ import annotations

from typing import Any, Literal

from quire.eval.scorers.matching import pair
from quire.eval.scorers.numbers import read_number
from quire.eval.scorers.scores import is_blank, right, scorer, show, wrong
from quire.eval.scorers.structure import Rules, difference
from quire.eval.scorers.text import FuzzMethod, TextRule
from quire.literals import NotALiteral, read
from quire.types import Score

ElementType = Literal["str", "int", "float", "list", "dict", "bool", "structured"]


@scorer
def included(
    prediction: Any,
    gold: list[Any],
    element_type: ElementType = "str",
    ndigits: int | None = 2,
    tolerance: float = 1e-6,
    fuzz_method: FuzzMethod = "ratio",
    threshold: float = -1,
    lowercase: bool = False,
    ignore_blank: bool = False,
) -> Score:
    """1 if the answer is one of the gold elements. Published as `eval_element_included`."""
    rules = Rules(TextRule(lowercase, ignore_blank, fuzz_method, threshold), ndigits, tolerance)
    if is_blank(prediction):
        return wrong("The answer is empty.")
    if _among(prediction, _typed(gold, element_type), rules):
        return right(f"{show(prediction)} is one of the {len(gold)} that count.")
    return wrong(f"{show(prediction)} is none of the {len(gold)} that count.")


@scorer
def list_included(
    prediction: Any,
    gold: list[Any],
    element_type: ElementType = "str",
    ndigits: int | None = 2,
    tolerance: float = 1e-6,
    fuzz_method: FuzzMethod = "ratio",
    threshold: float = -1,
    lowercase: bool = False,
    ignore_blank: bool = False,
) -> Score:
    """1 if every element of the answer is a gold element. Published as `eval_element_list_included`."""
    rules = Rules(TextRule(lowercase, ignore_blank, fuzz_method, threshold), ndigits, tolerance)
    given = _as_list(prediction)
    if isinstance(given, str):
        return wrong(given)
    accepted = _typed(gold, element_type)
    strange = [item for item in given if not _among(item, accepted, rules)]
    if strange:
        return wrong(f"{show(strange[0])} is none of the {len(gold)} that count.")
    return right(f"All {len(given)} elements are among the {len(gold)} that count.")


@scorer
def overlap(
    prediction: Any,
    gold: list[Any],
    count: int = 1,
    element_type: ElementType = "str",
    ndigits: int | None = 2,
    tolerance: float = 1e-6,
    fuzz_method: FuzzMethod = "ratio",
    threshold: float = -1,
    lowercase: bool = False,
    ignore_blank: bool = False,
) -> Score:
    """1 if at least `count` distinct elements are shared. Published as `eval_element_list_overlap`."""
    rules = Rules(TextRule(lowercase, ignore_blank, fuzz_method, threshold), ndigits, tolerance)
    given = _as_list(prediction)
    if isinstance(given, str):
        return wrong(given)
    accepted = _typed(gold, element_type)
    shared = len(pair(accepted, given, lambda wanted, said: not difference(said, wanted, rules)))
    reason = f"{shared} of the {count} distinct elements that are asked stand in the gold list."
    return right(reason) if shared >= count else wrong(reason)


def _among(item: Any, gold: list[Any], rules: Rules) -> bool:
    return any(not difference(item, wanted, rules) for wanted in gold)


def _as_list(prediction: Any) -> list[Any] | str:
    """The elements, or why there are none."""
    if isinstance(prediction, str) and not is_blank(prediction):
        try:
            prediction = read(prediction)
        except NotALiteral as error:
            return f"A list was asked; {show(prediction)} is none ({error})."
    if is_blank(prediction):
        return "The answer is empty."
    if not isinstance(prediction, (list, tuple, set, frozenset)):
        return f"A list was asked; {show(prediction)} is none."
    return list(prediction)


def _typed(gold: list[Any], element_type: str) -> list[Any]:
    if element_type not in ("int", "float"):
        return gold
    numbers = [read_number(item) for item in gold]
    return [item if number is None else number for item, number in zip(gold, numbers, strict=True)]
