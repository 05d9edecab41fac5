"""Is this number, or this truth value, the gold one?

Contract: a number may be spelled as a number or as text ("4", "4.0", "7,466", "1e3", with a typographic
minus); a truth value is never a number, NaN and infinity are never right. `4.0` is a right `4`; `4.2` is not.
A truth value may be spelled True, "true", "yes", "y", "t", 1 and the opposites.

    >>> whole("7,466", 7466).value, near(0.21004, 0.21, ndigits=2).value, truth("No", False).value
    (1.0, 1.0, 1.0)
"""

from __future__ import annotations

import math
import re
from typing import Any

from quire.eval.scorers.scores import right, scorer, shorten, wrong
from quire.literals import unfence
from quire.types import Score

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][+-]?\d{1,4})?")
_TRUE = {"true", "yes", "y", "t", "1"}
_FALSE = {"false", "no", "n", "f", "0"}


@scorer
def truth(prediction: Any, gold: bool) -> Score:
    """1 if both say yes or both say no. Published as `eval_bool_exact_match`."""
    return _score(truth_difference(prediction, gold), gold)


@scorer
def whole(prediction: Any, gold: int) -> Score:
    """1 if it is the same whole number. Published as `eval_int_exact_match`."""
    return _score(whole_difference(prediction, gold), gold)


@scorer
def near(prediction: Any, gold: float, ndigits: int | None = None, tolerance: float = 1e-6) -> Score:
    """1 if the numbers agree. Published as `eval_float_exact_match`.

    Both are rounded to `ndigits` decimals first, if given; `tolerance` is a share of the larger number.
    """
    return _score(near_difference(prediction, gold, ndigits, tolerance), gold)


def _score(difference: str, gold: bool | float) -> Score:
    return wrong(difference) if difference else right(f"It is {shorten(gold)}.")


def truth_difference(prediction: Any, gold: bool) -> str:
    """Why the prediction is not this truth value, or "" if it is."""
    said = read_truth(prediction)
    if said is None:
        return f"Yes or no was asked; {shorten(prediction)} is neither."
    return "" if said == gold else f"It says {said}, not {gold}."


def whole_difference(prediction: Any, gold: int) -> str:
    """Why the prediction is not this whole number, or "" if it is."""
    said = read_number(prediction)
    if said is None:
        return f"A whole number was asked; {shorten(prediction)} is none."
    return "" if said == gold else f"{shorten(said)} is not {gold}."


def near_difference(prediction: Any, gold: float, ndigits: int | None, tolerance: float) -> str:
    """Why the prediction does not agree with this number, or "" if it does."""
    said = read_number(prediction)
    if said is None:
        return f"A number was asked; {shorten(prediction)} is none."
    shown, wanted = said, gold
    try:
        said, gold = float(said), float(gold)
    except OverflowError:
        return "" if said == gold else f"{shorten(shown)} is not {wanted}."
    if ndigits is not None:
        said, gold = round(said, ndigits), round(gold, ndigits)
    # abs_tol: rounding leaves 0.1 + 0.2 behind, and nothing is relatively near to zero.
    if math.isclose(said, gold, rel_tol=tolerance, abs_tol=1e-12):
        return ""
    digits = "" if ndigits is None else f" to {ndigits} decimals"
    return f"{shorten(shown)} is not {wanted}{digits}."


def read_truth(value: Any) -> bool | None:
    """The truth value that is spelled, or None."""
    if isinstance(value, bool):
        return value
    word = _bare(value).lower().rstrip(".") if isinstance(value, (str, int, float)) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def read_number(value: Any) -> int | float | None:
    """The finite number that is spelled, or None. A truth value is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return _parse(_bare(value)) if isinstance(value, str) else None


def _parse(text: str) -> int | float | None:
    text = text.replace("\u2212", "-")
    if len(text) > 400 or not any(c.isdecimal() for c in text) or not _NUMBER.fullmatch(text):
        return None
    plain = text.replace(",", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        number = float(plain)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _bare(value: str | float) -> str:
    text = unfence(value) if isinstance(value, str) else shorten(value)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1].strip()
    return text
