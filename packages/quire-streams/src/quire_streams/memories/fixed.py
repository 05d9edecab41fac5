"""Memories that learn nothing: none at all, and the same gold pairs every time.

Gold pairs (few-shot) come with the task and are never part of the stream; with none (zero-shot, CoT,
Self-Refine) nothing is shown.
"""

from __future__ import annotations

from quire.memory.rendering import pack
from quire.types import Attempt, Instance, Shot, Verdict
from quire_streams.memories.protocol import Parts


class NoMemory:
    """Forgets everything."""

    def __init__(self, parts: Parts) -> None:
        self._shots: tuple[Shot, ...] = ()

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The same for every instance."""
        return self._shots

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Nothing."""

    def learned(self) -> frozenset[int]:
        """Nothing."""
        return frozenset()


class FixedMemory(NoMemory):
    """The task's first k example pairs, in their own order."""

    def __init__(self, parts: Parts) -> None:
        shots = [Shot(parts.render(example), example) for example in parts.examples[: parts.k]]
        # Without similarity, what stands last in the file is what a budget drops first.
        self._shots = tuple(reversed(pack(shots, parts.budget, parts.count)))
