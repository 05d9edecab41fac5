"""What of a memory takes part in one question: worked examples, or the remembered answer itself."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from quire.memory.items import Item
from quire.types import Answer, Question, Trajectory

REMEMBERED = "remembered"  # the method of a run that a memory answered


@dataclass(frozen=True, slots=True)
class Recalled:
    """The items, the texts that a model is shown of them, and the answer where one is remembered.

    `told` says that the last item may answer the very same question, and that its evidence still stands.
    """

    items: tuple[Item, ...] = ()
    texts: tuple[str, ...] = ()
    answer: Answer | None = None
    told: bool = False

    def noted(self) -> dict[str, Any]:
        """What the record of a run says of it: ids alone, so that what is forgotten is not kept there."""
        if not self.items:
            return {}
        how = "example" if self.answer is None else "remembered"
        return {"remembered": {"how": how, "items": [item.id for item in self.items]}}

    def run(self, question: Question, versions: Mapping[str, str]) -> Trajectory:
        """The remembered answer as a run without turns."""
        assert self.answer is not None
        now = datetime.now(UTC)
        return Trajectory(
            run_id=f"{now:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}",
            question=question,
            steps=(),
            answer=self.answer,
            method=REMEMBERED,
            model=REMEMBERED,
            started=now.isoformat(timespec="seconds"),
            settings=self.noted(),
            versions=versions,
        )
