"""Small words that every scorer uses: right, wrong, unknown, and how a value is shown in a reason.

Contract: a reason is one sentence for people, short whatever the prediction is: values are clipped, deep
nesting is cut, and nothing is evaluated. `beyond_limits` bounds a prediction before anything else looks
at it, so that a hostile one costs no time.

    >>> wrong("2 elements where 3 are asked")
    Score(value=0.0, reason='2 elements where 3 are asked')
"""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec

from quire.literals import find_excess
from quire.types import Score, Verdict

PASS = 0.5  # a score from here on counts as right: the published evaluators' own threshold

_MAX_BITS = 1329  # of a number of 400 digits; the interpreter refuses to print much longer ones

P = ParamSpec("P")


def right(reason: str) -> Score:
    """A score of 1."""
    return Score(1.0, reason)


def wrong(reason: str) -> Score:
    """A score of 0."""
    return Score(0.0, reason)


def unknown(reason: str) -> Score:
    """No score: whoever had to judge could not."""
    return Score(None, reason)


def is_right(value: float | None) -> bool:
    """Whether a score's value counts as right: the one rule of all of quire. False for unknown (None)."""
    return value is not None and value >= PASS


def passed(score: Score) -> bool:
    """Whether the score counts as right. False for unknown: ask `score.value is None` first."""
    return is_right(score.value)


def verdict(score: Score, source: str = "metric") -> Verdict:
    """The score as feedback: unknown stays unknown."""
    if score.value is None:
        return Verdict("unknown", score.reason, source)
    return Verdict("right" if passed(score) else "wrong", score.reason, source)


def scorer(function: Callable[Concatenate[Any, P], Score]) -> Callable[Concatenate[Any, P], Score]:
    """Mark a function as a scorer: a prediction beyond the limits is wrong before it is looked at."""

    @functools.wraps(function)
    def score(prediction: Any, /, *args: P.args, **kwargs: P.kwargs) -> Score:
        if reason := beyond_limits(prediction):
            return wrong(reason)
        return function(prediction, *args, **kwargs)

    return score


def beyond_limits(value: Any) -> str:
    """Why a prediction is too long or too deep to be read, or "" if it is not."""

    def digits(part: Any) -> str:
        long = isinstance(part, int) and part.bit_length() > _MAX_BITS
        return "The answer holds a number of more than 400 digits." if long else ""

    return find_excess(value, digits)


_SHOWN = reprlib.Repr()
_SHOWN.maxstring = _SHOWN.maxother = 80
_SHOWN.maxlevel = 3


def shorten(value: Any) -> str:
    """The value as it can stand in a reason: at most about a line."""
    return _SHOWN.repr(value)


def is_blank(value: Any) -> bool:
    """Whether an answer says nothing at all."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, (list, tuple, dict, set)) and not value)
