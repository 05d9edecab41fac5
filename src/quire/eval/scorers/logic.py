"""Several scorers together: all of them, any of them, not this one.

Contract: an answer to n parts is a list of n, scored pairwise. A part that nobody could judge is neither
right nor wrong, so the whole follows Kleene's three values: one wrong part makes a conjunction wrong
whatever the unknown part is, otherwise it is unknown. Parts nest at most `MAX_NESTING` deep.

    >>> conjunction("['ESIM', 63.64]", ["eval_string_exact_match", "eval_float_exact_match"],
    ...             [{"gold": "esim", "lowercase": True}, {"gold": 63.64}]).value
    1.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quire.errors import ScoringError
from quire.eval.scorers.evaluators import Evaluator
from quire.eval.scorers.judging import Panel
from quire.eval.scorers.scores import is_blank, passed, right, scorer, shorten, unknown, wrong
from quire.literals import NotALiteral, read
from quire.types import Score


@scorer
def conjunction(
    prediction: Any,
    eval_func_list: list[str],
    eval_kwargs_list: list[dict[str, Any]],
    *,
    judge: Panel | None = None,
) -> Score:
    """1 if every part is right. Published as `eval_conjunction`."""
    return _together(_score_parts(prediction, eval_func_list, eval_kwargs_list, judge), every=True)


@scorer
def disjunction(
    prediction: Any,
    eval_func_list: list[str],
    eval_kwargs_list: list[dict[str, Any]],
    *,
    judge: Panel | None = None,
) -> Score:
    """1 if at least one part is right. Published as `eval_disjunction`."""
    return _together(_score_parts(prediction, eval_func_list, eval_kwargs_list, judge), every=False)


@scorer
def negation(
    prediction: Any, eval_func: str, eval_kwargs: dict[str, Any], *, judge: Panel | None = None
) -> Score:
    """1 if the scorer says wrong. An empty answer is wrong all the same. Published as `eval_negation`."""
    if is_blank(prediction):
        return wrong("The answer is empty.")
    score = Evaluator(eval_func, eval_kwargs)(prediction, judge=judge)
    if score.value is None:
        return score
    return Score(1 - score.value, f"The opposite is asked. {score.reason}")


def _together(scores: list[tuple[int, Score]] | str, *, every: bool) -> Score:
    """The first part that decides: a wrong one where every part must be right, else a right one."""
    if isinstance(scores, str):
        return wrong(scores)
    decided, otherwise = (wrong, right) if every else (right, wrong)
    deciding = [(i, each) for i, each in scores if each.value is not None and passed(each) != every]
    if deciding:
        return decided(_name_parts(deciding[:1]))
    open_ = [(i, each) for i, each in scores if each.value is None]
    return unknown(_name_parts(open_)) if open_ else otherwise(_name_parts(scores))


def _score_parts(
    prediction: Any, names: Sequence[str], kwargs: Sequence[dict[str, Any]], judge: Panel | None
) -> list[tuple[int, Score]] | str:
    """Each part's number and score, or why the answer has not as many parts.

    Raises:
        ScoringError: the evaluator itself does not give each function its arguments.
    """
    if len(names) != len(kwargs) or not names:
        raise ScoringError(f"{len(names)} functions were given with {len(kwargs)} sets of arguments.")
    if isinstance(prediction, str):
        try:
            prediction = read(prediction)
        except NotALiteral as error:
            return f"A list of {len(names)} was asked; {shorten(prediction)} is none ({error})."
    if not isinstance(prediction, (list, tuple)) or len(prediction) != len(names):
        return f"A list of {len(names)} was asked; {shorten(prediction)} is none."
    evaluators = [Evaluator(name, arguments) for name, arguments in zip(names, kwargs, strict=True)]
    return [(i, evaluator(prediction[i - 1], judge=judge)) for i, evaluator in enumerate(evaluators, 1)]


def _name_parts(scores: Sequence[tuple[int, Score]]) -> str:
    return " ".join(f"Part {i}: {score.reason}" for i, score in scores)


@scorer
def abstain(prediction: Any) -> Score:
    """1 if nothing was answered. In records: `{"eval_func": "abstain"}`."""
    if is_blank(prediction):
        return right("It abstained, and there is no answer to find.")
    return wrong(f"There is no answer to find, and {shorten(prediction)} was answered.")
