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
    """Listens to runs and says how each ended; with `bars` one is drawn for each, and one for all."""

    def __init__(self, screen: Console, bars: Any = None, runs: int = 0) -> None:
        self.bars, self._screen = bars, screen
        self._rows: dict[str, Any] = {}
        self._last: dict[str, Usage] = {}
        self._total = bars.add_task("all runs", total=runs, told="") if bars else None

    def progress(self, spec: RunSpec, now: RunProgress) -> None:
        """Move the run's bar. Called from several threads."""
        if not self.bars:
            return
        if spec.name not in self._rows:
            self._rows[spec.name] = self.bars.add_task(safe(short(spec)), total=now.total, told="")
        told = "  ".join([f"{now.metric:.3f}", *spent_words([now.usage])])
        self.bars.update(self._rows[spec.name], completed=now.done, total=now.total, told=told)
        self._last[spec.name] = now.usage
        self.bars.update(self._total, told="  ".join(spent_words(list(self._last.values()))))

    def done(self, outcome: RunOutcome) -> None:
        """A run has ended: print a line, and take its bar away."""
        if (row := self._rows.pop(outcome.spec.name, None)) is not None:
            self.bars.remove_task(row)
        self._screen.print(f"{safe(short(outcome.spec))}  {_end(outcome)}", soft_wrap=True)
        if self.bars:
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
        yield Watch(screen, drawn, runs)


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


def unfinished(folders: Sequence[Path], runs: Sequence[Run]) -> Iterator[str]:
    """One line for each run that a process began and none brought to its end."""
    from quire_streams.runs import session

    for folder, run in zip(folders, runs, strict=True):
        failure = session.failure_of(folder)
        if (failure or session.walls_of(folder)) and session.finished(folder, run.spec) is None:
            steps = len(run.records)
            stands = (
                f"is not finished ({steps} steps so far)" if steps else "failed before its first question"
            )
            yield f"{folder.name} {stands}: {failure or 'run it again to go on.'}"


def spent_line(gateway: Gateway) -> str:
    """One line, "" where no model was asked."""
    parts = [
        f"{role} {name} {account.requests} requests"
        + (f" ({account.failed} failed)" if account.failed else "")
        + f", ${account.usage.cost:.4f}"
        for (role, name), account in gateway.meter.ledger.items()
    ]
    return f"Spent ${gateway.meter.total.cost:.4f}: {'; '.join(parts)}." if parts else ""


_Said = Literal["right", "wrong", "unknown"]
_SAID: dict[str, _Said] = {"y": "right", "yes": "right", "n": "wrong", "no": "wrong", "": "unknown"}


def person(asked: str, answered: str) -> _Said:
    """Ask until it is answered; an empty reply means that nobody knows.

    Raises:
        RunError: the input has ended.
    """
    from quire.errors import RunError

    screen = messages()
    shown = safe(answered) if answered.strip() else "(no answer)"
    screen.print(f"\n[bold]{safe(asked)}[/]\n[cyan]{shown}[/]", soft_wrap=True)
    while True:
        try:
            said = screen.input("right? [y/n, Enter: cannot say] ", markup=False).strip().lower()
        except EOFError:
            raise RunError(
                "Nobody says whether it is right.", hint="Run it again to go on from here."
            ) from None
        if said in _SAID:
            return _SAID[said]
