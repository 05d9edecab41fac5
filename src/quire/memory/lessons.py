"""The lessons of a space, held in this process: of the store only what changed is read again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.memory.admission import Authors
from quire.memory.matrix import GrowingMatrix
from quire.memory.protocol import Encoder
from quire.memory.store import MemoryStore
from quire.types import Experience, Shot, Verdict

_FIELDS = "seq, text, key, output, label, model, step, ups, downs, created"


class Lesson(NamedTuple):
    """A row of the store: what it says, the attempt that it was drawn from, and the votes on it."""

    seq: int
    text: str
    key: str
    output: str
    label: Literal["right", "wrong"]
    model: str
    step: int
    ups: int
    downs: int
    created: str

    def as_shot(self, task: str, score: float) -> Shot:
        """As it is shown in a prompt."""
        verdict = Verdict(self.label)
        source = Experience(
            self.key, task, "", {"shot": self.text}, self.output, verdict, self.step, self.model, self.created
        )
        return Shot(f"Lesson: {self.text}", replace(source, id=f"lesson-{self.seq}"), score)


class LessonIndex:
    """All lessons of a space with their vectors and votes, row by row in the order in which they came."""

    def __init__(
        self, store: MemoryStore, space: str, encoder: Encoder, may_read: Callable[[str, str], bool]
    ) -> None:
        self._store, self._space, self._encoder = store, space, encoder
        self._revision = -1
        self._row_of: dict[int, int] = {}
        self._votes = np.zeros((256, 2), dtype=np.float32)  # up, down
        self._authors = Authors(may_read)
        self.lessons: list[Lesson] = []
        self.keys = GrowingMatrix(encoder.dim)
        self.texts = GrowingMatrix(encoder.dim)

    def refresh(self) -> None:
        """Read what was written or voted on since the last time."""
        revision = self._store.state(self._space)[1]
        if revision == self._revision:
            return
        sql = f"SELECT {_FIELDS} FROM lessons WHERE space = ? AND changed > ? ORDER BY seq"
        rows = [Lesson(*row) for row in self._store.read(sql, (self._space, self._revision))]
        self._add([one for one in rows if one.seq not in self._row_of])
        for one in rows:
            row = self._row_of[one.seq]
            self.lessons[row] = one
            self._votes[row] = one.ups, one.downs
        self._revision = revision

    def usefulness(self) -> NDArray[np.float32]:
        """The share of good votes, by Laplace's rule of succession: what has no votes stands at one half."""
        votes = self._votes[: len(self.lessons)]
        share: NDArray[np.float32] = (votes[:, 0] + 1) / (votes.sum(axis=1) + 2)
        return share

    def usable(self, reader: str) -> NDArray[np.bool_]:
        """Which lessons the reader may see and do not mislead (two more votes down than up)."""
        votes = self._votes[: len(self.lessons)]
        useful: NDArray[np.bool_] = votes[:, 1] < votes[:, 0] + 2
        readable = self._authors.readable(reader)
        return useful if readable is None else useful & readable

    def _add(self, new: list[Lesson]) -> None:
        if not new:
            return
        self.keys.append(self._encoder.encode([one.key for one in new]))
        self.texts.append(self._encoder.encode([one.text for one in new]))
        for one in new:
            self._row_of[one.seq] = len(self.lessons)
            self._authors.append(one.model)
            self.lessons.append(one)
        if len(self.lessons) > len(self._votes):
            grown = np.zeros((2 * len(self.lessons), 2), dtype=np.float32)
            grown[: len(self._votes)] = self._votes
            self._votes = grown
