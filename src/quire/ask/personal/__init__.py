"""What a library learned from its users' verdicts, and how the next question profits from it.

`judging` takes a verdict in, `learning` makes an item of it; `memory` finds what fits the next question
(`recalled`, `shots`), `searching` moves the search; `library` is a library with all of it, and knows whose
turn it is among several models. Items are kept in `quire.memory`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quire.registry import lazily

if TYPE_CHECKING:
    from quire.ask.personal.judging import Claim, Judged, hinted, judge, suggestion, taken, user_name
    from quire.ask.personal.learning import lesson_of
    from quire.ask.personal.memory import PaperFacts, PersonalMemory, QuestionEncoder
    from quire.ask.personal.recalled import Recalled
    from quire.ask.personal.searching import LearnedSearch

# Loaded on first use: a search in a library that learned nothing needs none of it.
_PLACES = {
    "Claim": "judging",
    "PaperFacts": "memory",
    "Judged": "judging",
    "LearnedSearch": "searching",
    "PersonalMemory": "memory",
    "QuestionEncoder": "memory",
    "Recalled": "recalled",
    "hinted": "judging",
    "judge": "judging",
    "lesson_of": "learning",
    "suggestion": "judging",
    "taken": "judging",
    "user_name": "judging",
}

__all__ = [
    "Claim",
    "PaperFacts",
    "Judged",
    "LearnedSearch",
    "PersonalMemory",
    "QuestionEncoder",
    "Recalled",
    "hinted",
    "judge",
    "lesson_of",
    "suggestion",
    "taken",
    "user_name",
]

__getattr__ = lazily(__name__, _PLACES)
