"""The part that every learning memory shares: writing one judged attempt down, once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from quire.memory.store import MemoryStore, content_id
from quire.types import Attempt, Experience, Instance, Verdict


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


def note(
    store: MemoryStore,
    space: str,
    experience: Experience,
    step: int,
    vector: NDArray[np.float32] | None = None,
    encoder: str = "",
) -> bool:
    """Write it with its step in one transaction; False (and nothing done) if the step was known."""
    with store.transaction():
        if not store.mark_learned(space, step):
            return False
        if experience.output:
            store.add(space, experience, vector, encoder)
        return True
