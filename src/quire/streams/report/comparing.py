"""Two runs over the same questions: which is better, and could it be chance?

Contract: only questions that both runs asked and could score are compared, matched by id. The difference
is first minus second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quire.errors import RunError
from quire.streams.record import ANSWERABLE, Record
from quire.streams.statistics import Paired, paired


@dataclass(frozen=True, slots=True)
class Comparison:
    """The shared questions and what parts the runs; `changed` are (id, first status, second status)."""

    shared: int
    result: Paired
    changed: tuple[tuple[str, str, str], ...]


def compare(first: Sequence[Record], second: Sequence[Record]) -> Comparison:
    """Compare two runs question by question.

    Raises:
        RunError: they share no question.
    """
    others = {record.instance: record for record in second if record.status in ANSWERABLE}
    pairs = [(r, others[r.instance]) for r in first if r.status in ANSWERABLE and r.instance in others]
    if not pairs:
        raise RunError("The two runs have no question in common.", hint="Compare runs over the same file.")
    result = paired(
        [float(one.status == "right") for one, _ in pairs],
        [float(other.status == "right") for _, other in pairs],
    )
    changed = tuple((a.instance, a.status, b.status) for a, b in pairs if a.status != b.status)
    return Comparison(len(pairs), result, changed)
