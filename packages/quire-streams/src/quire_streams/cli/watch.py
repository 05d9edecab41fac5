"""What a terminal is told of runs: a line for each that goes on, a total, what to know of their figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from quire.app.cli.output import bar_columns, messages, safe, spent_words

if TYPE_CHECKING:
    from rich.console import Console

    from quire.eval.run import Run, RunProgress, RunSpec
    from quire.llm import Gateway
    from quire.types import Usage
    from quire_streams.runs.sweep import RunOutcome


class Watch:
    """Listens to runs and says how each ended."""

    def __init__(self, screen: Console) -> None:
        self._screen = screen

    def progress(self, spec: RunSpec, now: RunProgress) -> None:
        """Where a run stands. Called from several threads."""

    def done(self, outcome: RunOutcome) -> None:
        """A run has ended: print a line."""
        self._screen.print(f"{safe(short(outcome.spec))}  {_end(outcome)}", soft_wrap=True)


class RunBars(Watch):
    """A bar for each run that goes on, and one for all."""

    def __init__(self, screen: Console, bars: Any, runs: int) -> None:
        super().__init__(screen)
        self.bars = bars
        self._rows: dict[str, Any] = {}
        self._last: dict[str, Usage] = {}
        self._total = bars.add_task("all runs", total=runs, told="")

    def progress(self, spec: RunSpec, now: RunProgress) -> None:
        """Move the run's bar."""
        if spec.name not in self._rows:
            self._rows[spec.name] = self.bars.add_task(safe(short(spec)), total=now.total, told="")
        told = "  ".join([f"{now.metric:.3f}", *spent_words([now.usage])])
        self.bars.update(self._rows[spec.name], completed=now.done, total=now.total, told=told)
        self._last[spec.name] = now.usage
        self.bars.update(self._total, told="  ".join(spent_words(list(self._last.values()))))

    def done(self, outcome: RunOutcome) -> None:
        """Take the run's bar away."""
        if (row := self._rows.pop(outcome.spec.name, None)) is not None:
            self.bars.remove_task(row)
        super().done(outcome)
        self.bars.advance(self._total)


@contextmanager
def watch(runs: int, *, quiet: bool, screen: Console | None = None) -> Iterator[Watch]:
    """Bars on a terminal, lines elsewhere, nothing where it shall be quiet."""
    screen = screen or messages()
    if quiet or not screen.is_terminal:
        screen.quiet = quiet
        yield Watch(screen)
        return
    with bar_columns(screen) as drawn:
        yield RunBars(screen, drawn, runs)


def short(spec: RunSpec) -> str:
    """What tells the runs of a sweep apart, short enough for a line."""
    return f"{spec.method}  {'+'.join(spec.models)}  seed {spec.seed}"


def _end(outcome: RunOutcome) -> str:
    if outcome.run is None:
        return f"[red]{safe(outcome.error)}[/]"
    records = outcome.run.records
    metric = sum(record.right for record in records) / max(1, sum(record.asked for record in records))
    parts = [f"{metric:.3f}", *spent_words([record.attempt.usage for record in records])]
    return "  ".join([*parts, *["[dim]done before[/]"] * outcome.before])


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
    from quire_streams.runs import session

    for folder, run in zip(folders, runs, strict=True):
        if session.walls_of(folder) and session.finished(folder, run.spec) is None:
            steps = len(run.records)
            yield f"{folder.name} is not finished ({steps} steps so far): run it again to go on."


def spent_line(gateway: Gateway) -> str:
    """One line, "" where no model was asked."""
    parts = [
        f"{role} {name} {account.requests} requests"
        + (f" ({account.failed} failed)" if account.failed else "")
        + f", ${account.usage.cost:.4f}"
        for (role, name), account in gateway.meter.ledger.items()
    ]
    return f"Spent ${gateway.meter.total.cost:.4f}: {'; '.join(parts)}." if parts else ""


def person(asked: str, answered: str) -> Literal["right", "wrong", "unknown"]:
    """Ask; an empty reply means that nobody knows."""
    screen = messages()
    screen.print(f"\n[bold]{safe(asked)}[/]\n[cyan]{safe(answered)}[/]", soft_wrap=True)
    said = screen.input("right? [y/n, Enter: cannot say] ").strip().lower()
    if said[:1] == "y":
        return "right"
    return "wrong" if said[:1] == "n" else "unknown"
