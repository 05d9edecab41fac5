"""What a library learned from its users' verdicts, and how the next question profits from it.

`judging` takes a verdict in, `learning` makes an item of it; `memory` finds what fits the next question
(`recalled`, `shots`), `searching` moves the search; `library` is a library with all of it, and knows whose
turn it is among several models. Items are kept in `quire.memory`.
"""

from __future__ import annotations

from quire.agents.personal.judging import Claim, Judged, hinted, judge, suggestion, taken, user_name
from quire.agents.personal.learning import lesson_of
from quire.agents.personal.memory import Context, PersonalMemory, QuestionEncoder
from quire.agents.personal.recalled import Recalled
from quire.agents.personal.searching import LearnedSearch

__all__ = [
    "Claim",
    "Context",
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
