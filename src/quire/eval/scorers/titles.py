"""Is this the paper that was looked for? Told by its title.

Contract: titles are compared without case, by rapidfuzz's `ratio` out of 100; of several accepted papers one
is enough. Runs of blanks count as one, as a title that is cut over lines has them.

    >>> relevant("Attention is all you need.", "", "Attention Is All You Need").value
    1.0
"""

from __future__ import annotations

from typing import Any

from quire.eval.scorers.scores import right, scorer, show, wrong
from quire.eval.scorers.text import TextRule, difference, only_text, spelled
from quire.types import Score


@scorer
def relevant(
    prediction: Any, question: str, reference_answer: str | list[str], threshold: float = 95
) -> Score:
    """1 if it is one of the titles. Published as `eval_paper_relevance_with_reference_answer`."""
    titles = [reference_answer] if isinstance(reference_answer, str) else reference_answer
    prediction = only_text(prediction)
    if not isinstance(prediction, str):
        return wrong(f"A title was asked; {show(prediction)} is none.")
    rule = TextRule(lowercase=True, threshold=threshold)
    for title in titles:
        for said in spelled(prediction):
            if not difference(_folded(said), _folded(title), rule):
                return right(f"It is {show(title)}.")
    return wrong(f"{show(prediction)} is not {show(titles[0] if titles else '')}.")


def _folded(title: str) -> str:
    return " ".join(title.split())
