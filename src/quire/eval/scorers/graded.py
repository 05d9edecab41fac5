"""The two data sets that grade instead of ticking off: SciDQA (four scales) and M3SciQA (0, 0.5, 1).

Contract: scores are shares of 1. SciDQA's published figures are the mean grade times 10, so a score of
0.63 here is their 63. A score of 0.5 or more counts as right where a yes or no is needed.
"""

from __future__ import annotations

from typing import Any

from quire.eval.scorers import prompts
from quire.eval.scorers.judged import NO_JUDGE, verbatim
from quire.eval.scorers.judging import Panel
from quire.eval.scorers.scores import is_blank, right, scorer, unknown, wrong
from quire.types import Score


@scorer
def scidqa(
    prediction: Any, reference_answer: str, question: str = "", *, judge: Panel | None = None
) -> Score:
    """Relevance, accuracy, completeness, conciseness, 1 to 10 each. Published as `eval_scidqa`."""
    if decided := _without_judge(prediction, reference_answer):
        return decided
    prompt = prompts.grades(question, prediction, reference_answer)
    return unknown(NO_JUDGE) if judge is None else judge.grade(prompt, prompts.GRADES)


@scorer
def m3sciqa(
    prediction: Any, reference_answer: str, question: str = "", *, judge: Panel | None = None
) -> Score:
    """Right, partly right or wrong. Published as `eval_m3sciqa`."""
    if decided := _without_judge(prediction, reference_answer):
        return decided
    prompt = prompts.partly(question, prediction, reference_answer)
    return unknown(NO_JUDGE) if judge is None else judge.choose(prompt, (0.0, 0.5, 1.0))


def _without_judge(prediction: Any, reference_answer: str) -> Score | None:
    if is_blank(prediction):
        return wrong("The answer is empty.")
    return right("It is the reference, word for word.") if verbatim(prediction, reference_answer) else None
