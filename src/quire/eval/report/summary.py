"""Answers to questions in figures.

Contract: `accuracy` is right among the answerable: those that were asked and could be scored (right, wrong,
abstained, failed). `unknown` (no judge), `missing` (papers) and `impossible` (gold) are told beside it;
`accuracy_of_all` is right among all questions, these too. A kind is a tag; a question counts in each of its
tags. Figures of no question are None.

    >>> summarise(records).as_json()["per_kind"]["table"]["accuracy"]
    0.83
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quire.errors import RunError
from quire.eval.record import ANSWERABLE, CLOSED, STATUSES, Case, Record, packed
from quire.eval.run import Run
from quire.eval.statistics import Interval, mean_interval, paired
from quire.types import Usage


@dataclass(frozen=True, slots=True)
class StatusTally:
    """Counts of each status, accuracy with its interval, mean score over what could be scored."""

    counts: dict[str, int]
    accuracy: Interval
    mean_score: float | None

    @property
    def total(self) -> int:
        """All questions."""
        return sum(self.counts.values())

    @property
    def of_all(self) -> float:
        """Right among all questions, also those that could not be scored."""
        return self.counts["right"] / max(1, self.total)

    def as_json(self) -> dict[str, Any]:
        """The figures, rounded to what they are worth."""
        known = self.accuracy.n > 0
        return {
            "accuracy": round(self.accuracy.mean, 4) if known else None,
            "interval": [round(self.accuracy.low, 4), round(self.accuracy.high, 4)] if known else None,
            "accuracy_of_all": round(self.of_all, 4) if self.total else None,
            "answerable": self.accuracy.n,
            "mean_score": None if self.mean_score is None else round(self.mean_score, 4),
            **self.counts,
        }


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole run and each kind of question; what it took, over the questions that were asked."""

    overall: StatusTally
    kinds: dict[str, StatusTally]
    usage: Usage
    turns: float | None
    seconds: float | None

    def as_json(self) -> dict[str, Any]:
        """The document of `quire eval --json`: `accuracy`, the seven counts and `per_kind` at the top."""
        return {
            **self.overall.as_json(),
            "total": self.overall.total,
            "per_kind": {kind: tally.as_json() for kind, tally in self.kinds.items()},
            "turns_per_question": _rounded(self.turns),
            "seconds_per_question": _rounded(self.seconds),
            "prompt_tokens": self.usage.prompt_tokens,
            "completion_tokens": self.usage.completion_tokens,
            "cost": round(self.usage.cost, 6),
        }


def summarise(records: Sequence[Record]) -> Summary:
    """The figures of a run."""
    names = Counter(tag for record in records for tag in tags(record))
    asked = [record for record in records if record.asked]
    return Summary(
        overall=tally(records),
        kinds={name: tally([r for r in records if name in tags(r)]) for name, _ in names.most_common()},
        usage=sum((record.usage for record in records), Usage()),
        turns=_mean([record.case.turns for record in asked if record.case]),
        seconds=_mean([record.attempt.seconds for record in asked]),
    )


def tally(records: Sequence[Record]) -> StatusTally:
    """Counts and accuracy of these questions."""
    counts = Counter(record.status for record in records)
    answerable = [record for record in records if record.status in ANSWERABLE]
    rights = [float(record.right) for record in answerable]
    scores = [score(record) or 0.0 for record in answerable]
    return StatusTally({name: counts[name] for name in STATUSES}, mean_interval(rights), _mean(scores))


def tags(record: Record) -> tuple[str, ...]:
    """The kinds of a question."""
    return record.case.tags if record.case else ()


def score(record: Record) -> float | None:
    """The grade behind right or wrong: where a task gives one, part `score`, else its metric."""
    return record.parts.get("score", record.value)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def report_document(runs: Sequence[Run], *, questions: bool = True) -> dict[str, Any]:
    """The report as JSON; with `questions`, each run's questions with status, score, reason and answer.

    The top level is that of `quire eval --json` for the first run (`accuracy`, the counts, `per_kind`);
    `runs` holds every run with its specification, `comparisons` each other run against the first.

    Raises:
        RunError: no run was given.
    """
    if not runs:
        raise RunError("A report needs at least one run.")
    shown: list[dict[str, Any]] = [
        {"run": run.name, "specification": packed(run.spec), **summarise(run.records).as_json()}
        | ({"questions": list(map(_question, run.records))} if questions else {})
        for run in runs
    ]
    comparisons = [compared(runs[0], other) for other in runs[1:]]
    return {**summarise(runs[0].records).as_json(), "runs": shown, "comparisons": comparisons}


def compared(first: Run, other: Run) -> dict[str, Any]:
    """The second run against the first, question by question.

    Difference of accuracy (other - first), interval, p-value; an `error` where they share no question.
    """
    known = {record.instance: record for record in first.records if record.status in ANSWERABLE}
    asked = [record for record in other.records if record.status in ANSWERABLE]
    pairs = [(record, known[record.instance]) for record in asked if record.instance in known]
    told = {"run": other.name, "against": first.name, "shared": len(pairs)}
    if not pairs:
        return told | {"error": "The two runs have no question in common. Compare runs over the same file."}
    now, before = ([float(pair[at].status == "right") for pair in pairs] for at in (0, 1))
    result = paired(now, before)
    return told | {
        "difference": round(result.difference, 4),
        "interval": [round(result.low, 4), round(result.high, 4)],
        "p_value": round(result.p_value, 4),
        "better": result.wins,
        "worse": result.losses,
        "equal": result.ties,
        "changed": [
            {"id": one.instance, "from": was.status, "to": one.status}
            for one, was in pairs
            if one.status != was.status
        ],
    }


def _question(record: Record) -> dict[str, Any]:
    case = record.case or Case("")
    return {
        "id": record.instance,
        "status": record.status,
        "score": None if record.status in ("failed", *CLOSED) else score(record),
        "reason": case.reason,
        "answer": case.answer,
        "confidence": case.confidence,
        "turns": case.turns,
        "seconds": round(record.attempt.seconds, 3),
        "cost": record.usage.cost,
        "tags": list(case.tags),
    }
