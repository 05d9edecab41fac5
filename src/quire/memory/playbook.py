"""A playbook: short lessons that a writer draws from right and wrong attempts, itemised and voted on.

The idea of ACE (arXiv 2510.04618) and ReasoningBank (2509.25140), in its plainest form. A lesson that was
shown gets a vote up or down by the verdict of the attempt that saw it; lessons that say the same are merged;
one that misleads (two more votes down than up) is no longer shown. Recall orders by similarity times the
share of good votes. Writing, voting and the step are one transaction, so a resumed run learns nothing twice.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quire.memory.matrix import GrowingMatrix
from quire.memory.packing import pack
from quire.memory.protocol import Parts
from quire.types import Attempt, Experience, Instance, Shot, Verdict

_ALIKE = 0.92  # cosine from which two lessons of the same verdict are taken to say the same
_FIELDS = "seq, text, key, output, label, model, step, ups, downs, created"


class _Lesson(NamedTuple):
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
        verdict = Verdict(self.label)
        source = Experience(
            self.key, task, "", {"shot": self.text}, self.output, verdict, self.step, self.model, self.created
        )
        return Shot(f"Lesson: {self.text}", replace(source, id=f"lesson-{self.seq}"), score)


class PlaybookMemory:
    """Lessons of a space. `Parts.writer` must be given."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._revision = -1
        self._clear()

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The k most useful lessons, the most useful last."""
        parts = self._parts
        self._refresh()
        if not self._lessons:
            return ()
        ups, downs = (
            np.array(column) for column in zip(*[(x.ups, x.downs) for x in self._lessons], strict=True)
        )
        # Laplace's rule of succession: unvoted lessons stand at one half.
        scores = self._keys.scores(self._encoded(instance.key)) * (ups + 1) / (ups + downs + 2)
        readable = [parts.may_read(one.model, reader) for one in self._lessons]
        usable = np.flatnonzero((downs < ups + 2) & np.array(readable))
        order = usable[np.lexsort((-usable, -scores[usable]))][: parts.k]
        best = [self._lessons[row].as_shot(instance.task, float(scores[row])) for row in order]
        return pack(best, parts.budget, parts.count)

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Vote on the lessons that were shown and write a new one."""
        parts = self._parts
        if parts.store.has_learned(parts.space, step):
            return
        judged = verdict.label != "unknown"
        text = parts.writer.write(instance, attempt, verdict) if judged and parts.writer else ""
        self._refresh()
        with parts.store.transaction():
            if not parts.store.mark_learned(parts.space, step):
                return
            if judged:
                self._vote(attempt.shots, verdict)
            if text.strip():
                self._keep(" ".join(text.split()), instance, attempt, verdict, step)
            parts.store.revise(parts.space)

    def learned(self) -> frozenset[int]:
        """Steps taken in."""
        return self._parts.store.learned(self._parts.space)

    def _clear(self) -> None:
        self._lessons: list[_Lesson] = []
        self._keys = GrowingMatrix(self._parts.encoder.dim)
        self._texts = GrowingMatrix(self._parts.encoder.dim)

    def _refresh(self) -> None:
        """Read what is new; everything that has a vector keeps it, votes are read again."""
        parts = self._parts
        revision = parts.store.state(parts.space)[1]
        if revision == self._revision:
            return
        sql = f"SELECT {_FIELDS} FROM lessons WHERE space = ? ORDER BY seq"
        rows = [_Lesson(*row) for row in parts.store.read(sql, (parts.space,))]
        if [one.seq for one in rows[: len(self._lessons)]] != [one.seq for one in self._lessons]:
            self._clear()
        new = rows[len(self._lessons) :]
        if new:
            self._keys.append(parts.encoder.encode([one.key for one in new]))
            self._texts.append(parts.encoder.encode([one.text for one in new]))
        self._lessons, self._revision = rows, revision

    def _encoded(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._parts.encoder.encode([text])[0]
        return vector

    def _vote(self, shown: tuple[str, ...], verdict: Verdict) -> None:
        column = "ups" if verdict.label == "right" else "downs"
        with self._parts.store.transaction() as db:
            for one in shown:
                db.execute(
                    f"UPDATE lessons SET {column} = {column} + 1 WHERE space = ? AND seq = ?",
                    (self._parts.space, int(one.removeprefix("lesson-"))),
                )

    def _keep(self, text: str, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        alike = self._alike(text, attempt.output, verdict)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._parts.store.transaction() as db:
            if alike is not None:
                db.execute("UPDATE lessons SET merged = merged + 1 WHERE seq = ?", (alike,))
                return
            db.execute(
                "INSERT OR IGNORE INTO lessons (space, text, key, output, label, model, step, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    self._parts.space,
                    text,
                    instance.key,
                    attempt.output,
                    verdict.label,
                    attempt.model,
                    step,
                    now,
                ),
            )

    def _alike(self, text: str, output: str, verdict: Verdict) -> int | None:
        """The first lesson of the same verdict and answer that says the same."""
        if not self._lessons:
            return None
        for row in np.flatnonzero(self._texts.scores(self._encoded(text)) >= _ALIKE):
            if (self._lessons[row].label, self._lessons[row].output) == (verdict.label, output):
                return self._lessons[row].seq
        return None
