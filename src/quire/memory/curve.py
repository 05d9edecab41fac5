"""The learning curve of a library: every judged answer in order, and how many were right so far.

    for point in curve(store): print(point.number, point.so_far, point.recent)

One point per run, by the newest verdict on it, in the order of the first verdicts; forgotten ones are gone.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from quire.memory.store import MemoryStore

RECENT = 20  # judged answers that `recent` looks back on


@dataclass(frozen=True, slots=True)
class Point:
    """One judged answer: which (from 1), when, whether it was right, and whether the memory took part.

    `so_far` is the share right of all answers up to this one, `recent` of the last `RECENT`.
    """

    number: int
    run: str
    created: str  # ISO 8601, UTC
    right: bool
    used: bool
    so_far: float
    recent: float


def curve(store: MemoryStore) -> list[Point]:
    """The points of all judged runs, the first judged first."""
    rows = store.read(
        "SELECT v.run, v.created, v.label, EXISTS (SELECT 1 FROM uses u WHERE u.run = v.run)"
        " FROM verdicts v JOIN (SELECT min(seq) AS first, max(seq) AS newest FROM verdicts"
        " WHERE run != '' GROUP BY run) w ON v.seq = w.newest ORDER BY w.first"
    )
    points: list[Point] = []
    last: deque[bool] = deque(maxlen=RECENT)
    count = 0
    for number, (run, created, label, used) in enumerate(rows, 1):
        right = label == "right"
        last.append(right)
        count += right
        points.append(Point(number, run, created, right, bool(used), count / number, sum(last) / len(last)))
    return points
