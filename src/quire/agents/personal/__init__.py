"""What a library learned from its users' verdicts, and how the next question profits from it."""

from __future__ import annotations

from quire.agents.personal.judging import Judged, judge, taken, user_name
from quire.agents.personal.memory import Context, PersonalMemory
from quire.agents.personal.recalled import Recalled

__all__ = ["Context", "Judged", "PersonalMemory", "Recalled", "judge", "taken", "user_name"]
