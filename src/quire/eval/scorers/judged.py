"""Answers in free words, judged by a language model against a reference, points or formulas.

Contract: an answer that is word for word the reference is right without asking (blanks and case aside), an
empty one is wrong without asking; everything else goes to the judge. Without a judge the score is unknown.

    >>> reference("Because it is faster.", "because it is faster.", "Why?").value
    1.0
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from quire.errors import ScoringError
from quire.eval.scorers import prompts
from quire.eval.scorers.judging import Panel
from quire.eval.scorers.scores import is_blank, right, scorer, unknown, wrong
from quire.literals import NotALiteral, read
from quire.types import Score

_NO_JUDGE = "No judge is configured: set a model (`--judge`, or `judge` in the settings)."
_LAYOUT = re.compile(
    r"\s+|\\(?:left|right|displaystyle|,|;|!|:|quad|qquad)(?![a-zA-Z])|\$|\\[\[\]()]|\\(?=[ \n])"
)


@scorer
def reference(
    prediction: Any, reference_answer: str, question: str = "", *, judge: Panel | None = None
) -> Score:
    """Does it say what the reference says? Published as `eval_reference_answer_with_llm`."""
    return _against(prediction, [reference_answer], question, judge)


@scorer
def candidates(
    prediction: Any, candidate_reference_answers: list[str], question: str = "", *, judge: Panel | None = None
) -> Score:
    """Does it say what one of these says? Published as `eval_candidate_reference_answer_with_llm`."""
    return _against(prediction, candidate_reference_answers, question, judge)


@scorer
def points(
    prediction: Any,
    scoring_points: list[str],
    question: str = "",
    ignore_order: bool = True,
    *,
    judge: Panel | None = None,
) -> Score:
    """Does it make every point? Published as `eval_scoring_points_with_llm`."""
    prompt = prompts.points(question, prediction, scoring_points, len(scoring_points), not ignore_order)
    return _asked(prediction, prompt, judge)


@scorer
def some_points(
    prediction: Any,
    scoring_points: list[str],
    question: str = "",
    count: int = 1,
    *,
    judge: Panel | None = None,
) -> Score:
    """Does it make at least `count` points? Published as `eval_partial_scoring_points_with_llm`.

    Raises:
        ScoringError: `count` is not between 1 and the number of points.
    """
    if not 0 < count <= len(scoring_points):
        raise ScoringError(f"`count` is {count}, but there are {len(scoring_points)} points.")
    return _asked(prediction, prompts.points(question, prediction, scoring_points, count, False), judge)


@scorer
def reference_and_points(
    prediction: Any,
    reference_answer: str,
    scoring_points: list[str],
    question: str = "",
    ignore_order: bool = True,
    *,
    judge: Panel | None = None,
) -> Score:
    """Does it make every point of the reference?

    Published as `eval_reference_answer_and_scoring_points_with_llm`.
    """
    needed = len(scoring_points)
    prompt = prompts.points(question, prediction, scoring_points, needed, not ignore_order, reference_answer)
    return _asked(prediction, prompt, judge)


@scorer
def formulas(
    prediction: Any,
    formulas: str | list[str],
    question: str = "",
    ignore_order: bool = True,
    *,
    judge: Panel | None = None,
) -> Score:
    """Are these the formulas? Published as `eval_complex_math_formula_with_llm`."""
    wanted = [formulas] if isinstance(formulas, str) else formulas
    if _same_source(prediction, wanted, ignore_order):
        return right("It is the same LaTeX, layout aside.")
    return _asked(prediction, prompts.formulas(question, prediction, wanted, not ignore_order), judge)


def _asked(prediction: Any, prompt: str, judge: Panel | None) -> Score:
    return _judged(prediction, (), judge, lambda panel: panel.decide(prompt))


def _against(prediction: Any, accepted: Sequence[str], question: str, judge: Panel | None) -> Score:
    prompt = prompts.reference(question, prediction, accepted)
    return _judged(prediction, accepted, judge, lambda panel: panel.decide(prompt))


def _judged(
    prediction: Any, accepted: Sequence[str], judge: Panel | None, ask: Callable[[Panel], Score]
) -> Score:
    """What the judge says; an empty answer and an accepted one, blanks and case aside, need none."""
    if is_blank(prediction):
        return wrong("The answer is empty.")
    words = prediction.lower().split() if isinstance(prediction, str) else []
    if any(words == text.lower().split() for text in accepted):
        return right("It is the reference, word for word.")
    return unknown(_NO_JUDGE) if judge is None else ask(judge)


def _same_source(prediction: Any, wanted: Sequence[str], ignore_order: bool) -> bool:
    if isinstance(prediction, str) and len(wanted) > 1:
        try:
            prediction = read(prediction)
        except NotALiteral:
            return False
    given = prediction if isinstance(prediction, (list, tuple)) else [prediction]
    if not wanted or not all(isinstance(item, str) for item in given):
        return False
    said, known = [_bare(item) for item in given], [_bare(item) for item in wanted]
    return said == known or (ignore_order and sorted(said) == sorted(known))


def _bare(latex: str) -> str:
    return _LAYOUT.sub("", latex)


# Two data sets grade instead of ticking off. Scores are shares of 1: SciDQA's published figures are the mean
# grade times 10, so a score of 0.63 here is their 63. From 0.5 on a score counts as right where it must.


@scorer
def scidqa(
    prediction: Any, reference_answer: str, question: str = "", *, judge: Panel | None = None
) -> Score:
    """Relevance, accuracy, completeness, conciseness, 1 to 10 each. Published as `eval_scidqa`."""
    prompt = prompts.grades(question, prediction, reference_answer)
    return _judged(prediction, [reference_answer], judge, lambda panel: panel.grade(prompt, prompts.GRADES))


@scorer
def m3sciqa(
    prediction: Any, reference_answer: str, question: str = "", *, judge: Panel | None = None
) -> Score:
    """Right, partly right or wrong. Published as `eval_m3sciqa`."""
    prompt = prompts.partly(question, prediction, reference_answer)
    return _judged(prediction, [reference_answer], judge, lambda panel: panel.choose(prompt, (0.0, 0.5, 1.0)))
