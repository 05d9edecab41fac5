"""What a memory is, and the parts that memories are put together from.

    memory = MEMORIES.load("retrieved")(parts)
    shots = memory.recall(instance, reader="gpt-4o")       # most similar last
    memory.learn(instance, attempt, verdict, step=7)       # idempotent: a step is learned once

A memory never sees gold: it gets what the solver got, what the solver said, and one word of verdict. Small
functions say which experiences it may recall (`ADMISSIONS`), whose (`READERS`), and how one is shown
(`RENDERERS`); a method names them.
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
from quire.types import Attempt, Experience, Instance, Shot, Verdict


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


def right(experience: Experience) -> bool:
    """Only what was judged right."""
    return experience.verdict.label == "right"


def wrong(experience: Experience) -> bool:
    """Only what was judged wrong."""
    return experience.verdict.label == "wrong"


def judged(experience: Experience) -> bool:
    """Whatever has a verdict."""
    return experience.verdict.label != "unknown"


def everyone(author: str, reader: str) -> bool:
    """All models share one memory (MAM-StreamICL, Algorithm 2)."""
    return True


def oneself(author: str, reader: str) -> bool:
    """A model sees only what it said itself."""
    return author == reader


ADMISSIONS: Mapping[str, Callable[[Experience], bool]] = {"right": right, "wrong": wrong, "judged": judged}
READERS: Mapping[str, Callable[[str, str], bool]] = {"everyone": everyone, "oneself": oneself}


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


def plain(experience: Experience) -> str:
    """Question and answer."""
    return f"{_question(experience)}\nAnswer: {experience.output}"


def with_verdict(experience: Experience) -> str:
    """Question, answer and verdict."""
    return f"{plain(experience)}\nVerdict: {in_words(experience.verdict)}"


def reasoned(experience: Experience) -> str:
    """Question, reasoning (if any was kept) and answer."""
    rationale = experience.prompt_fields.get("rationale", "")
    lines = [
        _question(experience),
        f"Reasoning: {rationale}" if rationale else "",
        f"Answer: {experience.output}",
    ]
    return "\n".join(line for line in lines if line)


def with_author(experience: Experience) -> str:
    """Question, answer and the model that gave it."""
    return f"{_question(experience)}\nAnswer (by {experience.model}): {experience.output}"


def _question(experience: Experience) -> str:
    return experience.prompt_fields.get("shot", experience.key)


RENDERERS: Mapping[str, Callable[[Experience], str]] = {
    "plain": plain,
    "verdict": with_verdict,
    "reasoned": reasoned,
    "author": with_author,
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
