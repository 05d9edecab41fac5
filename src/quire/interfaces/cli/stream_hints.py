"""What a reader of figures should know of the runs behind them: what failed, was not judged, is not done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quire.streams.runner import Run

_SQL = "Either its database is not there (`database` beside the questions) or its gold query does not run."
_UNJUDGED = {
    "spider": _SQL,
    "cosql": _SQL,
    "bird": _SQL,
    "ds1000": "Their libraries are missing or of another version: see `quire tasks environment`.",
    "toolbench": "Free-text arguments need a judge: --judge MODEL.",
    "papers": "Answers in free words need a judge: --judge MODEL.",
}
_LONGEST = 300  # characters of an error


def warnings(runs: Sequence[Run]) -> Iterator[str]:
    """One line for each task and reason."""
    for task in dict.fromkeys(run.spec.task for run in runs):
        records = [record for run in runs if run.spec.task == task for record in run.records]
        failed = [record.attempt.error for record in records if record.attempt.error]
        if failed:
            yield f"{task}: {len(failed)} of {len(records)} answers failed, first: {failed[0][:_LONGEST]}"
        untaught = [record.lesson_error for record in records if record.lesson_error]
        if untaught:
            told = untaught[0][:_LONGEST]
            yield f"{task}: {len(untaught)} of {len(records)} lessons failed, first: {told}"
        unjudged = sum(record.status == "unknown" for record in records)
        if unjudged:
            why = _UNJUDGED.get(task, "")
            yield f"{task}: {unjudged} of {len(records)} answers could not be judged. {why}".strip()
        missing = sum(record.status == "missing" for record in records)
        if missing:
            yield f"{task}: {missing} of {len(records)} questions are about papers that are not here."


def unfinished(folders: Sequence[Path], runs: Sequence[Run]) -> Iterator[str]:
    """One line for each run that a process began and none brought to its end."""
    from quire.streams import session

    for folder, run in zip(folders, runs, strict=True):
        if session.walls_of(folder) and session.finished(folder, run.spec) is None:
            steps = len(run.records)
            yield f"{folder.name} is not finished ({steps} steps so far): run it again to go on."
