"""What a memory is, and the parts that memories are put together from.

    memory = MEMORIES.load("retrieved")(parts)
    shots = memory.recall(instance, reader="gpt-4o")       # most similar last
    memory.learn(instance, attempt, verdict, step=7)       # idempotent: a step is learned once

A memory never sees gold: it gets what the solver got, what the solver said, and one word of verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from quire.memory import Encoder, MemoryStore
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

    `k` is how many shots at most; `budget` how many tokens they may fill together (0: no limit), counted
    by `count`. `admit` says which experiences may be recalled, `may_read` whether a reader may see an
    author's, `render` how one is shown.
    """

    store: MemoryStore
    space: str
    encoder: Encoder
    admit: Callable[[Experience], bool]
    may_read: Callable[[str, str], bool]
    render: Callable[[Experience], str]
    count: Callable[[str], int]
    examples: tuple[Experience, ...] = ()
    k: int = 16
    budget: int = 0
