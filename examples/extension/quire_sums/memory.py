"""A memory that shows only the newest experience that was right."""

from __future__ import annotations

from quire.types import Instance, Shot
from quire_streams.memories import Parts
from quire_streams.memories.experiences import WindowMemory


class NewestRight(WindowMemory):
    """The window memory keeps the journal; what is shown is one line of it."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The newest one that the method admits."""
        return super().recall(instance, reader)[-1:]
