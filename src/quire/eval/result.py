"""How one answer was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quire.types import Usage


@dataclass(frozen=True, slots=True)
class Result:
    """How an answer was judged.

    `value` is the task's main metric from 0 to 1, or None when it could not be judged. `parts` are
    further figures of the same answer (e.g. "strict", "f1"). `reason` is for people who read a report and
    never goes to a solver: it may tell the gold. `usage` is what a model that judged took.
    """

    value: float | None
    parts: Mapping[str, float | None] = field(default_factory=dict)
    reason: str = ""
    usage: Usage = Usage()
