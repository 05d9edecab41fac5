"""No memory: nothing is kept, nothing is shown (zero-shot, CoT, Self-Refine)."""

from __future__ import annotations

from quire.memory.protocol import Parts
from quire.types import Attempt, Instance, Shot, Verdict


class NoMemory:
    """Forgets everything."""

    def __init__(self, parts: Parts) -> None:
        pass

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """Nothing."""
        return ()

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Nothing."""

    def learned(self) -> frozenset[int]:
        """Nothing."""
        return frozenset()
