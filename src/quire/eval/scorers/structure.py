"""Is this list or mapping the gold one, element by element? Are these elements among the gold ones?

Contract: lists keep their order unless `ignore_order`, which then holds at every level and is a real
matching (`pair`); mappings never have an order; keys are compared as texts. Leaves are compared by the kind
of the gold leaf: truth values, numbers, texts. Where a list or a mapping is asked, a text is read as the
Python or JSON literal of one: "[1, 2]" and "(1, 2,)" are lists. Tuples and sets count as lists.

Of elements "int" or "float" as `element_type` reads gold ones that are spelled as text as numbers. An empty
answer is never right, though no element of it is wrong: saying nothing is not an answer.

    >>> same("{'tasks': ['RTE', 'CoLA']}", {"tasks": ["CoLA", "RTE"]}, ignore_order=True).value
    1.0
    >>> overlap(["BERT", "BERT", "T5"], ["T5", "BERT", "GPT-2"], count=3).reason
    '2 of the 3 distinct elements that are asked stand in the gold list.'
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from quire.errors import ScoringError
from quire.eval.scorers.numbers import near_difference, read_number, truth_difference, whole_difference
from quire.eval.scorers.scores import is_blank, right, scorer, shorten, wrong
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
            noun = "mapping" if isinstance(gold, dict) else "list"
            return f"A {noun} was asked; {shorten(prediction)} is none ({error})."
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
    return "" if prediction is None else f"{shorten(prediction)} is not empty."


def _list_difference(prediction: Any, gold: list[Any] | tuple[Any, ...], rules: Rules) -> str:
    if not isinstance(prediction, (list, tuple, set, frozenset)):
        return f"A list was asked; {shorten(prediction)} is none."
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
    return f"Nothing given is {shorten(lonely[0])}." if lonely else ""


def _mapping_difference(prediction: Any, gold: dict[str, Any], rules: Rules) -> str:
    if not isinstance(prediction, dict):
        return f"A mapping was asked; {shorten(prediction)} is none."
    if len(prediction) != len(gold):
        return f"{len(prediction)} keys were given; the answer has {len(gold)}."
    keys = pair(
        list(gold), list(prediction), lambda key, said: not text_difference(said, str(key), rules.text)
    )
    given = list(prediction.values())
    for i, (key, value) in enumerate(gold.items()):
        if i not in keys:
            return f"The key {shorten(key)} is missing."
        if reason := difference(given[keys[i]], value, rules):
            return f"{shorten(key)}: {reason}"
    return ""


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
    if _among(prediction, _type_gold(gold, element_type), rules):
        return right(f"{shorten(prediction)} is one of the {len(gold)} that count.")
    return wrong(f"{shorten(prediction)} is none of the {len(gold)} that count.")


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
    given, accepted = _as_list(prediction), _type_gold(gold, element_type)
    if isinstance(given, str):
        return wrong(given)
    strange = [item for item in given if not _among(item, accepted, rules)]
    if strange:
        return wrong(f"{shorten(strange[0])} is none of the {len(gold)} that count.")
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
    given, accepted = _as_list(prediction), _type_gold(gold, element_type)
    if isinstance(given, str):
        return wrong(given)
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
            return f"A list was asked; {shorten(prediction)} is none ({error})."
    if is_blank(prediction):
        return "The answer is empty."
    if not isinstance(prediction, (list, tuple, set, frozenset)):
        return f"A list was asked; {shorten(prediction)} is none."
    return list(prediction)


def _type_gold(gold: list[Any], element_type: str) -> list[Any]:
    if element_type not in ("int", "float"):
        return gold
    numbers = [read_number(item) for item in gold]
    return [item if number is None else number for item, number in zip(gold, numbers, strict=True)]


MAX_ELEMENTS = 1000


def pair(left: Sequence[Any], right: Sequence[Any], alike: Callable[[Any, Any], bool]) -> dict[int, int]:
    """A largest set of pairs: index in `left` to index in `right`.

    Raises:
        ScoringError: a list has more than MAX_ELEMENTS elements.
    """
    if max(len(left), len(right)) > MAX_ELEMENTS:
        raise ScoringError(f"More than {MAX_ELEMENTS} elements cannot be compared without order.")

    @cache
    def linked(i: int, j: int) -> bool:
        return alike(left[i], right[j])

    owner: dict[int, int] = {}  # index in right -> index in left
    for start in range(len(left)):
        _augment(start, len(right), linked, owner)
    return {i: j for j, i in sorted(owner.items(), key=lambda item: item[1])}


def _augment(start: int, width: int, linked: Callable[[int, int], bool], owner: dict[int, int]) -> None:
    """Find a partner for `start`, moving others to another partner where that helps."""
    reached: dict[int, tuple[int, int | None]] = {}  # from which left element, and the partner that this has
    queue: deque[tuple[int, int | None]] = deque([(start, None)])
    while queue:
        i, partner = queue.popleft()
        for j in range(width):
            if j in reached or not linked(i, j):
                continue
            reached[j] = i, partner
            if j in owner:
                queue.append((owner[j], j))
                continue
            free: int | None = j
            while free is not None:
                owner[free], free = reached[free]
            return
