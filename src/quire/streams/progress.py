"""How far a run is, added up step by step: adding up all records each time would cost more than the steps."""

from __future__ import annotations

from dataclasses import dataclass

from quire.streams.record import Record
from quire.types import Usage


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: steps done and in all, the metric so far, what it took."""

    done: int
    total: int
    metric: float
    usage: Usage


class Tally:
    """Running sums over the records of a run of `total` steps."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done, self._asked, self._right, self._usage = 0, 0, 0, Usage()

    def add(self, record: Record) -> None:
        """Count a step."""
        self._done += 1
        self._asked += record.asked
        self._right += record.right
        self._usage += record.usage

    def progress(self) -> Progress:
        """Where the run stands, after at least one step."""
        return Progress(self._done, self._total, self._right / max(1, self._asked), self._usage)
