"""What a follow-up question keeps of its conversation where no model reads it: the papers, and no more.

kept_papers("How many authors does it have?", conversation)      -> those of the last answer
kept_papers("How many papers are there?", conversation)          -> none
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire import jsontext
from quire.types import Exchange, Trajectory

_REFERS = re.compile(
    r"\b(it|its|they|them|their|theirs|he|she|his|her|this|that|these|those|there|same"
    r"|the (paper|article|study|work|authors?|document|report)s?)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(library|are there|is there|papers? (is|are)|(which|what|any|other) papers?)\b", re.I
)


def kept_papers(question: str, conversation: Sequence[Exchange]) -> tuple[str, ...]:
    """The papers that the last turn with any was about, if the question points back to it, else none."""
    if not _REFERS.search(question) or _ELSEWHERE.search(question):
        return ()
    return next((each.papers for each in reversed(conversation) if each.papers), ())


def exchange_of(run: Trajectory) -> Exchange:
    """A run as an earlier turn: its answer as text, and the papers that its evidence is from."""
    answer = run.answer
    if answer.status == "answered":
        said = answer.value if isinstance(answer.value, str) else jsontext.dumps(answer.value)
    else:
        said = "(no sure answer)"
    papers = tuple(dict.fromkeys(each.paper_id for each in answer.evidence))
    return Exchange(run.question.text, said, papers or run.question.only)
