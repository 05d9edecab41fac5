"""A report as JSON: the same figures as the page and the terminal show.

The top level is that of `quire eval --json` for the first run (`accuracy`, the counts, `per_kind`); `runs`
holds every run with its specification, `comparisons` each other run against the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quire.errors import RunError
from quire.eval.case import Case, packed
from quire.eval.record import CLOSED, Record
from quire.eval.report.summary import compare, score, summarise
from quire.eval.run import Run


def report_document(runs: Sequence[Run], *, questions: bool = True) -> dict[str, Any]:
    """The report; with `questions`, each run's questions with status, score, reason and answer.

    Raises:
        RunError: no run was given.
    """
    if not runs:
        raise RunError("A report needs at least one run.")
    return {
        **summarise(runs[0].records).as_json(),
        "runs": [_run(run, questions) for run in runs],
        "comparisons": [compared(runs[0], other) for other in runs[1:]],
    }


def compared(first: Run, other: Run) -> dict[str, Any]:
    """The second run against the first: difference of accuracy (other - first), interval, p-value."""
    try:
        found = compare(other.records, first.records)
    except RunError as error:
        return {"run": other.name, "against": first.name, "shared": 0, "error": str(error)}
    result = found.result
    return {
        "run": other.name,
        "against": first.name,
        "shared": found.shared,
        "difference": round(result.difference, 4),
        "interval": [round(result.low, 4), round(result.high, 4)],
        "p_value": round(result.p_value, 4),
        "better": result.wins,
        "worse": result.losses,
        "equal": result.ties,
        "changed": [{"id": name, "from": after, "to": before} for name, before, after in found.changed],
    }


def _run(run: Run, questions: bool) -> dict[str, Any]:
    document = {"run": run.name, "specification": packed(run.spec), **summarise(run.records).as_json()}
    if questions:
        document["questions"] = [_question(record) for record in run.records]
    return document


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
