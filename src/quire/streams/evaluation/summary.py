"""An evaluation in figures.

Contract: `accuracy` is right among the answerable: those that were asked and could be scored (right, wrong,
abstained, failed). `unknown` (no judge), `missing` (papers) and `impossible` (gold) are told beside it and
in no denominator. A kind is a tag; a question counts in each of its tags. Figures of no question are None.

    >>> summarise(records).as_json()["per_kind"]["table"]["accuracy"]
    0.83
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quire.streams.evaluation.record import ASKED, STATUSES, EvalRecord
from quire.streams.statistics import Interval, mean_interval
from quire.types import Usage

ANSWERABLE = ASKED - {"unknown"}


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of each status, accuracy with its interval, mean score over what could be scored."""

    counts: dict[str, int]
    accuracy: Interval
    mean_score: float | None

    def as_json(self) -> dict[str, Any]:
        """The figures, rounded to what they are worth."""
        known = self.accuracy.n > 0
        return {
            "accuracy": round(self.accuracy.mean, 4) if known else None,
            "interval": [round(self.accuracy.low, 4), round(self.accuracy.high, 4)] if known else None,
            "answerable": self.accuracy.n,
            "mean_score": None if self.mean_score is None else round(self.mean_score, 4),
            **self.counts,
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole run and each kind of question; what it took, over the questions that were asked."""

    overall: Tally
    kinds: dict[str, Tally]
    usage: Usage
    turns: float | None
    seconds: float | None

    def as_json(self) -> dict[str, Any]:
        """The document of `quire eval --json`: `accuracy`, the seven counts and `per_kind` at the top."""
        return {
            **self.overall.as_json(),
            "total": sum(self.overall.counts.values()),
            "per_kind": {kind: tally.as_json() for kind, tally in self.kinds.items()},
            "turns_per_question": _rounded(self.turns),
            "seconds_per_question": _rounded(self.seconds),
            "prompt_tokens": self.usage.prompt_tokens,
            "completion_tokens": self.usage.completion_tokens,
            "cost": round(self.usage.cost, 6),
        }


def summarise(records: Sequence[EvalRecord]) -> Summary:
    """The figures of a run."""
    names = Counter(tag for record in records for tag in record.tags)
    asked = [record for record in records if record.status in ASKED]
    return Summary(
        overall=tally(records),
        kinds={name: tally([r for r in records if name in r.tags]) for name, _ in names.most_common()},
        usage=sum((record.usage for record in records), Usage()),
        turns=_mean([record.turns for record in asked]),
        seconds=_mean([record.seconds for record in asked]),
    )


def tally(records: Sequence[EvalRecord]) -> Tally:
    """Counts and accuracy of these questions."""
    counts = Counter(record.status for record in records)
    answerable = [float(record.status == "right") for record in records if record.status in ANSWERABLE]
    scores = [record.value or 0.0 for record in records if record.status in ANSWERABLE]
    return Tally({name: counts[name] for name in STATUSES}, mean_interval(answerable), _mean(scores))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
