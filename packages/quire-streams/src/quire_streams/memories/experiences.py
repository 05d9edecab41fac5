"""Memories that show past experiences: none, the same gold pairs every time, the last, the most similar.

Gold pairs (few-shot) come with the task and are never part of the stream; with none (zero-shot, CoT,
Self-Refine) nothing is shown. A window holds the last k, oldest first (GrowPrompt); the reference filters
after cutting to k, so its ablations show fewer than k shots, and here they are full.

The k most similar (MemPrompt, Self-StreamICL, MAM-StreamICL) are found exactly. Vectors of what may be
recalled stand in one matrix in this process; a new one is appended, nothing is rebuilt. What another process
wrote is read on the next recall. Only admitted experiences get a vector and only readable ones compete, so k
shots come back whenever there are k.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

import numpy as np

from quire.memory.matrix import GrowingMatrix
from quire.memory.rendering import fit_budget
from quire.types import Attempt, Experience, Instance, Shot, Verdict
from quire_streams.memories import Authors, Parts, experience_of, note


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
        self._shots = tuple(reversed(fit_budget(shots, parts.budget)))


class _Learning:
    """Experiences of a space that may be recalled, in the order in which they came."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._last = 0
        self._admitted: list[Experience] = []

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Write the attempt down."""
        note(self._parts, experience_of(instance, attempt, verdict, step), step)

    def learned(self) -> frozenset[int]:
        """Steps written down."""
        return self._parts.store.learned(self._parts.space)

    def _refresh(self) -> None:
        """Take in what was written since the last time, by whatever process."""
        rows = self._parts.store.experiences(self._parts.space, self._last)
        if rows:
            self._last = rows[-1][0]
            self._take([one for _, one in rows if self._parts.admit(one)])

    def _take(self, new: list[Experience]) -> None:
        self._admitted += new

    def _as_shots(self, nearest: Iterable[tuple[Experience, float]]) -> tuple[Shot, ...]:
        """As many as fit, the last first."""
        parts = self._parts
        shots = [Shot(parts.render(one), one, score) for one, score in nearest]
        return fit_budget(shots, parts.budget)


class WindowMemory(_Learning):
    """The last k experiences, oldest first; with an admission, the last k that it lets in."""

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The last k that the reader may see, the newest last."""
        self._refresh()
        readable = (one for one in reversed(self._admitted) if self._parts.may_read(one.model, reader))
        return self._as_shots((one, 0.0) for one in islice(readable, self._parts.k))


class RetrievedMemory(_Learning):
    """Nearest neighbours."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._encoded = lru_cache(1)(lambda key: parts.encoder.encode([key])[0])  # recall, then learn
        self._matrix = GrowingMatrix(parts.encoder.dim)
        self._authors = Authors(parts.may_read)

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The k most similar that the reader may see, the most similar last."""
        self._refresh()
        if not self._admitted:
            return ()
        readable = self._authors.readable(reader)
        nearest = self._matrix.nearest(self._encoded(instance.key), self._parts.k, readable)
        return self._as_shots((self._admitted[row], score) for row, score in nearest)

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Write the attempt down, with a vector if it may ever be recalled."""
        experience = experience_of(instance, attempt, verdict, step)
        vector = self._encoded(instance.key) if self._parts.admit(experience) else None
        note(self._parts, experience, step, vector)

    def _take(self, new: list[Experience]) -> None:
        if not new:
            return
        parts = self._parts
        known = parts.store.vectors(parts.space, parts.encoder.name, [one.id for one in new])
        missing = [one for one in new if one.id not in known]
        if missing:
            known |= dict(
                zip((one.id for one in missing), parts.encoder.encode([m.key for m in missing]), strict=True)
            )
        self._matrix.append(np.stack([known[one.id] for one in new]))
        for one in new:
            self._authors.append(one.model)
        super()._take(new)
