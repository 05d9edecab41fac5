"""What to know of the figures of runs before believing them, one line for each task and reason.

for line in notes(runs):
    print(line)      # spider: 3 of 30 answers could not be judged. ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quire.eval.run import Run

_SQL = "Either its database is not there (`database` beside the questions) or its gold query does not run."
_UNJUDGED = {
    "spider": _SQL,
    "cosql": _SQL,
    "bird": _SQL,
    "ds1000": "Their libraries are missing or of another version: see `quire tasks environment`.",
    "toolbench": "Free-text arguments need a judge: --judge MODEL.",
    "papers": "Answers in free words need a judge: --judge MODEL.",
}
_CLOSED = {"missing": "are about papers that are not here", "impossible": "have no answer that can be scored"}
_EMPTY = (
    "Nothing was replied, or nothing that could be read as an answer, as where a reply is cut off "
    "(model.max_tokens)."
)
_LONGEST = 300  # characters of an error


def notes(runs: Sequence[Run]) -> Iterator[str]:
    """All of them."""
    for task in dict.fromkeys(run.spec.task for run in runs):
        records = [record for run in runs if run.spec.task == task for record in run.records]
        failed = [record.attempt.error for record in records if record.attempt.error]
        if failed:
            yield f"{task}: {len(failed)} of {len(records)} answers failed, first: {failed[0][:_LONGEST]}"
        untaught = [record.lesson_error for record in records if record.lesson_error]
        if untaught:
            told = untaught[0][:_LONGEST]
            yield f"{task}: {len(untaught)} of {len(records)} lessons failed, first: {told}"
        empty = sum(record.status == "wrong" and not record.attempt.output.strip() for record in records)
        if empty:
            yield f"{task}: {empty} of {len(records)} answers counted as wrong are empty. {_EMPTY}"
        unjudged = sum(record.status == "unknown" for record in records)
        if unjudged:
            why = _UNJUDGED.get(task, "")
            yield f"{task}: {unjudged} of {len(records)} answers could not be judged. {why}".strip()
        for status, why in _CLOSED.items():
            if closed := sum(record.status == status for record in records):
                yield f"{task}: {closed} of {len(records)} questions {why}, and are in no figure."
