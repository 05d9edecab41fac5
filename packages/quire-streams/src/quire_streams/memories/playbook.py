"""A playbook: short lessons that were drawn from right and wrong attempts, itemised and voted on.

The idea of ACE (arXiv 2510.04618) and ReasoningBank (2509.25140), in its plainest form. A lesson that was
shown gets a vote up or down by the verdict of the attempt that saw it; lessons that say the same are merged;
one that misleads (two more votes down than up) is no longer shown. Recall orders by similarity times the
share of good votes. Writing, voting and the step are one transaction, so a resumed run learns nothing twice.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.memory.matrix import GrowingMatrix
from quire.memory.rendering import fit_budget
from quire.types import Attempt, Experience, Instance, Shot, Verdict
from quire_streams.memories import Authors, Parts, experience_of

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

    def __init__(self, parts: Parts) -> None:
        self._store, self._space, self._encoder = parts.store, parts.space, parts.encoder
        self._revision = -1
        self._row_of: dict[int, int] = {}
        self._votes = np.zeros((0, 2), dtype=np.float32)  # up, down
        self._authors = Authors(parts.may_read)
        self.lessons: list[Lesson] = []
        self.keys, self.texts = GrowingMatrix(parts.encoder.dim), GrowingMatrix(parts.encoder.dim)

    def refresh(self) -> None:
        """Read what was written or voted on since the last time."""
        revision = self._store.state(self._space)[1]
        if revision == self._revision:
            return
        sql = f"SELECT {_FIELDS} FROM lessons WHERE space = ? AND changed > ? ORDER BY seq"
        rows = [Lesson(*row) for row in self._store.read(sql, (self._space, self._revision))]
        new = [one for one in rows if one.seq not in self._row_of]
        if new:
            self.keys.append(self._encoder.encode([one.key for one in new]))
            self.texts.append(self._encoder.encode([one.text for one in new]))
        for one in new:
            self._row_of[one.seq] = len(self.lessons)
            self._authors.append(one.model)
            self.lessons.append(one)
        for one in rows:
            self.lessons[self._row_of[one.seq]] = one
        votes = [(one.ups, one.downs) for one in self.lessons]
        self._votes = np.array(votes, dtype=np.float32).reshape(-1, 2)
        self._revision = revision

    def usefulness(self) -> NDArray[np.float32]:
        """The share of good votes, by Laplace's rule of succession: what has no votes stands at one half."""
        share: NDArray[np.float32] = (self._votes[:, 0] + 1) / (self._votes.sum(axis=1) + 2)
        return share

    def usable(self, reader: str) -> NDArray[np.bool_]:
        """Which lessons the reader may see and do not mislead (two more votes down than up)."""
        useful: NDArray[np.bool_] = self._votes[:, 1] < self._votes[:, 0] + 2
        readable = self._authors.readable(reader)
        return useful if readable is None else useful & readable


_ALIKE = 0.92  # cosine from which two lessons of the same verdict are taken to say the same


class PlaybookMemory:
    """Lessons of a space; each attempt brings the one that was drawn from it."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._index = LessonIndex(parts)

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The k most useful lessons, the most useful last."""
        parts, index = self._parts, self._index
        index.refresh()
        query = parts.encoder.encode([instance.key])[0]
        nearest = index.keys.nearest(query, parts.k, index.usable(reader), index.usefulness())
        best = [index.lessons[row].as_shot(instance.task, score) for row, score in nearest]
        return fit_budget(best, parts.budget)

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Vote on the lessons that were shown and write a new one."""
        parts = self._parts
        if parts.store.has_learned(parts.space, step):
            return
        self._index.refresh()
        with parts.store.transaction() as db:
            if not parts.store.mark_learned(parts.space, step):
                return
            revision = parts.store.revise(parts.space)
            if verdict.label == "unknown":
                return
            column = "ups" if verdict.label == "right" else "downs"
            db.executemany(
                f"UPDATE lessons SET {column} = {column} + 1, changed = ? WHERE space = ? AND seq = ?",
                [(revision, parts.space, int(one.removeprefix("lesson-"))) for one in attempt.shots],
            )
            if text := " ".join(attempt.lesson.split()):
                self._keep(db, text, experience_of(instance, attempt, verdict, step), revision)

    def learned(self) -> frozenset[int]:
        """Steps taken in."""
        return self._parts.store.learned(self._parts.space)

    def _keep(self, db: sqlite3.Connection, text: str, drawn: Experience, revision: int) -> None:
        """Write a lesson; the first one of the same verdict and answer that says the same is told of it."""
        for row in self._index.texts.at_least(self._parts.encoder.encode([text])[0], _ALIKE):
            known = self._index.lessons[int(row)]
            if (known.label, known.output) == (drawn.verdict.label, drawn.output):
                db.execute("UPDATE lessons SET merged = merged + 1 WHERE seq = ?", (known.seq,))
                return
        source = (drawn.key, drawn.output, drawn.verdict.label, drawn.model, drawn.step, drawn.created)
        db.execute(
            "INSERT OR IGNORE INTO lessons"
            " (space, text, key, output, label, model, step, created, changed)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._parts.space, text, *source, revision),
        )
