"""What a stream keeps of past attempts and shows again: none, fixed, window, retrieved, playbook.

    memory = MEMORIES.load("retrieved")(parts)
    shots = memory.recall(instance, reader="gpt-4o")       # most similar last
    memory.learn(instance, attempt, verdict, step=7)       # idempotent: a step is learned once

A memory never sees gold: it gets what the solver got, what the solver said, and one word of verdict. It is
built from `Parts`: a durable store (SQLite, several processes may write), an encoder, and three small
functions that say which experiences it may recall (`ADMISSIONS`), whose (`READERS`), and how one is shown
(`RENDERERS`). Methods name them; no memory knows which method it serves. `experiences` shows whole attempts
again, `playbook` short lessons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from quire.memory import MemoryStore, TextEncoder
from quire.memory.rendering import in_words
from quire.memory.store import content_id
from quire.registry import Registry
from quire.types import Attempt, Experience, Instance, Shot, Verdict

MEMORIES = Registry(
    "memory",
    {
        "none": "quire_streams.memories.experiences:NoMemory",
        "fixed": "quire_streams.memories.experiences:FixedMemory",
        "window": "quire_streams.memories.experiences:WindowMemory",
        "retrieved": "quire_streams.memories.experiences:RetrievedMemory",
        "playbook": "quire_streams.memories.playbook:PlaybookMemory",
    },
    "quire.memories",
)


class StreamMemory(Protocol):
    """What is kept of past attempts and what of it is shown again."""

    def recall(self, instance: Instance, reader: str) -> tuple[Shot, ...]:
        """Past experiences for this instance, as `reader` (a model's name) may see them; best last."""
        ...

    def learn(self, instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> None:
        """Take in one judged attempt. A step that was learned before is left alone."""
        ...

    def learned(self) -> frozenset[int]:
        """Steps taken in so far, so that an interrupted run knows where it stood."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory is built from; each kind takes what it needs.

    `k` is how many shots at most; `budget` how many tokens they may fill together (0: no limit). `admit` says
    which experiences may be recalled, `may_read` whether a reader may see an author's, `render` how one is
    shown.
    """

    store: MemoryStore
    space: str
    encoder: TextEncoder
    admit: Callable[[Experience], bool]
    may_read: Callable[[str, str], bool]
    render: Callable[[Experience], str]
    examples: tuple[Experience, ...] = ()
    k: int = 16
    budget: int = 0


ADMISSIONS: Mapping[str, Callable[[Experience], bool]] = {
    "right": lambda one: one.verdict.label == "right",
    "wrong": lambda one: one.verdict.label == "wrong",
    "judged": lambda one: one.verdict.label != "unknown",
}
READERS: Mapping[str, Callable[[str, str], bool]] = {  # of an author and a reader
    "everyone": lambda author, reader: True,  # all models share one memory (MAM-StreamICL, Algorithm 2)
    "oneself": lambda author, reader: author == reader,
}


class Authors:
    """Authors by row."""

    def __init__(self, may_read: Callable[[str, str], bool]) -> None:
        self._may_read = may_read
        self._numbers: dict[str, int] = {}
        self._of_row: list[int] = []

    def append(self, author: str) -> None:
        """The author of the next row."""
        self._of_row.append(self._numbers.setdefault(author, len(self._numbers)))

    def readable(self, reader: str) -> NDArray[np.bool_] | None:
        """A flag per row; None where the reader may see all."""
        allowed = [self._may_read(author, reader) for author in self._numbers]
        return None if all(allowed) else np.array(allowed, dtype=np.bool_)[self._of_row]


def _question(one: Experience) -> str:
    return one.prompt_fields.get("shot", one.key)


def _plain(one: Experience) -> str:
    return f"{_question(one)}\nAnswer: {one.output}"


def _reasoned(one: Experience) -> str:
    """With the reasoning, if any was kept."""
    rationale = one.prompt_fields.get("rationale", "")
    lines = (_question(one), f"Reasoning: {rationale}" if rationale else "", f"Answer: {one.output}")
    return "\n".join(line for line in lines if line)


RENDERERS: Mapping[str, Callable[[Experience], str]] = {
    "plain": _plain,
    "verdict": lambda one: f"{_plain(one)}\nVerdict: {in_words(one.verdict)}",
    "reasoned": _reasoned,
    "author": lambda one: f"{_question(one)}\nAnswer (by {one.model}): {one.output}",
}


def experience_of(instance: Instance, attempt: Attempt, verdict: Verdict, step: int) -> Experience:
    """What is kept of an attempt. The reason of a verdict is left out: it may tell the gold."""
    kept = Experience(
        key=instance.key,
        task=instance.task,
        instance_id=instance.id,
        prompt_fields={"shot": instance.shot, "rationale": attempt.rationale},
        output=attempt.output,
        verdict=Verdict(verdict.label, "", verdict.source),
        step=step,
        model=attempt.model,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return replace(kept, id=content_id(kept))


def note(parts: Parts, experience: Experience, step: int, vector: NDArray[np.float32] | None = None) -> None:
    """Write an experience with its step in one transaction; nothing, if the step was known."""
    with parts.store.transaction():
        if parts.store.mark_learned(parts.space, step) and experience.output:
            parts.store.add(parts.space, experience, vector, parts.encoder.name if vector is not None else "")
