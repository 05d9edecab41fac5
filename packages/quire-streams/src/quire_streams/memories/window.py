"""The last k experiences, oldest first (GrowPrompt). With an admission, the last k that it lets in.

The reference filters after cutting to k, so its ablations show fewer than k shots; here they are full.
"""

from __future__ import annotations

from quire.memory.rendering import pack
from quire.types import Attempt, Experience, Instance, Shot, Verdict
from quire_streams.memories.journal import experience_of, note
from quire_streams.memories.protocol import Parts


class WindowMemory:
    """A window over the journal of a space."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._state = (0, -1)
        self._admitted: list[Experience] = []

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The last k that the reader may see, the newest last."""
        parts = self._parts
        self._refresh()
        readable = (one for one in reversed(self._admitted) if parts.may_read(one.model, reader))
        newest = [Shot(parts.render(one), one) for _, one in zip(range(parts.k), readable, strict=False)]
        return pack(newest, parts.budget, parts.count)

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Write the attempt down."""
        parts = self._parts
        note(parts.store, parts.space, experience_of(instance, attempt, verdict, step), step)

    def learned(self) -> frozenset[int]:
        """Steps written down."""
        return self._parts.store.learned(self._parts.space)

    def _refresh(self) -> None:
        parts = self._parts
        state = parts.store.state(parts.space)
        if state == self._state:
            return
        if state[1] != self._state[1]:
            self._admitted, self._state = [], (0, state[1])
        for seq, one in parts.store.experiences(parts.space, self._state[0]):
            if parts.admit(one):
                self._admitted.append(one)
            self._state = (seq, state[1])
