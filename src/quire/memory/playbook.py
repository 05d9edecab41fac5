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

    @property
    def trust(self) -> float:
        # Laplace's rule of succession: unvoted lessons stand at one half.
        return (self.ups + 1) / (self.ups + self.downs + 2)

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
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """The k most useful lessons, the most useful last."""
        parts = self._parts
        kept = [
            one for one in self._lessons() if one.downs < one.ups + 2 and parts.may_read(one.model, reader)
        ]
        if not kept:
            return ()
        query = self._vector(instance.key)
        scored = [(float(self._vector(one.key) @ query) * one.trust, one) for one in kept]
        scored.sort(key=lambda pair: (-pair[0], -pair[1].seq))
        best = [one.as_shot(instance.task, score) for score, one in scored[: parts.k]]
        return pack(best, parts.budget, parts.count)

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Vote on the lessons that were shown and write a new one."""
        parts = self._parts
        if step in self.learned():
            return
        judged = verdict.label != "unknown"
        text = parts.writer.write(instance, attempt, verdict) if judged and parts.writer else ""
        with parts.store.transaction():
            if not parts.store.mark_learned(parts.space, step):
                return
            if judged:
                self._vote(attempt.shots, verdict)
            if text.strip():
                self._keep(" ".join(text.split()), instance, attempt, verdict, step)

    def learned(self) -> frozenset[int]:
        """Steps taken in."""
        return self._parts.store.learned(self._parts.space)

    def _lessons(self) -> list[_Lesson]:
        sql = f"SELECT {_FIELDS} FROM lessons WHERE space = ? ORDER BY seq"
        return [_Lesson(*row) for row in self._parts.store.read(sql, (self._parts.space,))]

    def _vector(self, text: str) -> NDArray[np.float32]:
        if text not in self._vectors:
            self._vectors[text] = self._parts.encoder.encode([text])[0]
        return self._vectors[text]

    def _vote(self, shown: tuple[str, ...], verdict: Verdict) -> None:
        column = "ups" if verdict.label == "right" else "downs"
        with self._parts.store.transaction() as db:
            for one in shown:
                db.execute(
                    f"UPDATE lessons SET {column} = {column} + 1 WHERE space = ? AND seq = ?",
                    (self._parts.space, int(one.removeprefix("lesson-"))),
                )

    def _keep(self, text: str, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        new = self._vector(text)
        same_answer = [
            one for one in self._lessons() if one.label == verdict.label and one.output == attempt.output
        ]
        alike = [one.seq for one in same_answer if float(self._vector(one.text) @ new) >= _ALIKE]
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._parts.store.transaction() as db:
            if alike:
                db.execute("UPDATE lessons SET merged = merged + 1 WHERE seq = ?", (alike[0],))
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
