"""Which of several models answers the next question: the routers of streams, over a library's verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from quire.agents.stream.methods import ROUTERS
from quire.agents.stream.routers import Router
from quire.memory import MemoryStore
from quire.types import Verdict

TURNS = "library/turns"  # the revision of this space counts the questions asked
_MOST = 1000  # verdicts that count, the newest


def next_model(store: MemoryStore, models: Sequence[str], router: str) -> str:
    """The model whose turn it is, by the verdicts on each one's answers; counts the turn."""
    chosen: Router = ROUTERS.load(router)(len(models), 0)
    rows = store.read(
        "SELECT i.model, v.label FROM verdicts v JOIN items i ON i.id = v.item WHERE v.seq IN"
        " (SELECT max(seq) FROM verdicts WHERE run != '' GROUP BY run, author) ORDER BY v.seq DESC LIMIT ?",
        (_MOST,),
    )
    for model, label in reversed(rows):
        if model in models:
            chosen.reward(models.index(model), Verdict(label, source="human"))
    return models[chosen.turn(store.revise(TURNS) - 1).answers]
