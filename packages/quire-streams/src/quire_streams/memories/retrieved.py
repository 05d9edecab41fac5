"""The k most similar experiences (MemPrompt, Self-StreamICL, MAM-StreamICL), found exactly.

Vectors of what may be recalled stand in one matrix in this process; a new one is appended, nothing is
rebuilt. What another process wrote is read on the next recall. Only admitted experiences get a vector and
only readable ones compete, so k shots come back whenever there are k.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quire.memory.matrix import GrowingMatrix
from quire.memory.rendering import pack
from quire.types import Attempt, Experience, Instance, Shot, Verdict
from quire_streams.memories.admission import Authors
from quire_streams.memories.journal import experience_of, note
from quire_streams.memories.protocol import Parts


class RetrievedMemory:
    """Nearest neighbours over the journal of a space."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._key = ""
        self._vector = np.zeros(parts.encoder.dim, dtype=np.float32)
        self._forget()

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The k most similar that the reader may see, the most similar last."""
        parts = self._parts
        self._refresh()
        if not self._entries:
            return ()
        nearest = self._matrix.nearest(self._encoded(instance.key), parts.k, self._authors.readable(reader))
        best = [Shot(parts.render(self._entries[row]), self._entries[row], score) for row, score in nearest]
        return pack(best, parts.budget, parts.count)

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Write the attempt down, with a vector if it may ever be recalled."""
        parts = self._parts
        experience = experience_of(instance, attempt, verdict, step)
        vector = self._encoded(instance.key) if parts.admit(experience) else None
        note(parts.store, parts.space, experience, step, vector, parts.encoder.name)

    def learned(self) -> frozenset[int]:
        """Steps written down."""
        return self._parts.store.learned(self._parts.space)

    def _encoded(self, key: str) -> NDArray[np.float32]:
        # recall and learn of one step ask for the same text.
        if key != self._key or not key:
            self._vector = self._parts.encoder.encode([key])[0]
            self._key = key
        return self._vector

    def _forget(self) -> None:
        self._state = (0, -1)
        self._matrix = GrowingMatrix(self._parts.encoder.dim)
        self._entries: list[Experience] = []
        self._authors = Authors(self._parts.may_read)

    def _refresh(self) -> None:
        parts = self._parts
        state = parts.store.state(parts.space)
        if state == self._state:
            return
        if state[1] != self._state[1]:
            self._forget()
        rows = parts.store.experiences(parts.space, self._state[0])
        self._take([one for _, one in rows if parts.admit(one)])
        self._state = (rows[-1][0] if rows else self._state[0], state[1])

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
            self._entries.append(one)
