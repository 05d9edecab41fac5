"""What a terminal shows of runs: one line for each that goes on, a total, and how each ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from quire.interfaces.cli.output import messages, safe

if TYPE_CHECKING:
    from rich.console import Console

    from quire.streams.runner import Progress
    from quire.streams.spec import RunSpec
    from quire.streams.sweep import Outcome
    from quire.streams.wall import Walls
    from quire.types import Usage


class Watch:
    """Listens to runs and says nothing."""

    def progress(self, spec: RunSpec, now: Progress) -> None:
        """Where a run stands. Called from several threads."""

    def done(self, outcome: Outcome) -> None:
        """A run has ended."""


class Lines(Watch):
    """Says how each run ended."""

    def __init__(self, screen: Console) -> None:
        self._screen = screen

    def done(self, outcome: Outcome) -> None:
        """Print a line."""
        self._screen.print(f"{safe(short(outcome.spec))}  {_end(outcome)}", soft_wrap=True)


class Bars(Lines):
    """A bar for each run that goes on, and one for all."""

    def __init__(self, screen: Console, bars: Any, runs: int) -> None:
        super().__init__(screen)
        self.bars = bars
        self._rows: dict[str, Any] = {}
        self._last: dict[str, Usage] = {}
        self._total = bars.add_task("all runs", total=runs, told="")

    def progress(self, spec: RunSpec, now: Progress) -> None:
        """Move the run's bar."""
        if spec.name not in self._rows:
            self._rows[spec.name] = self.bars.add_task(safe(short(spec)), total=now.total, told="")
        told = "  ".join([f"{now.metric:.3f}", *_spent([now.usage])])
        self.bars.update(self._rows[spec.name], completed=now.done, total=now.total, told=told)
        self._last[spec.name] = now.usage
        self.bars.update(self._total, told="  ".join(_spent(list(self._last.values()))))

    def done(self, outcome: Outcome) -> None:
        """Take the run's bar away."""
        if (row := self._rows.pop(outcome.spec.name, None)) is not None:
            self.bars.remove_task(row)
        super().done(outcome)
        self.bars.advance(self._total)


@contextmanager
def watch(runs: int, *, quiet: bool) -> Iterator[Watch]:
    """Bars on a terminal, lines elsewhere, nothing where it shall be quiet."""
    screen = messages()
    if quiet or not screen.is_terminal:
        yield Watch() if quiet else Lines(screen)
        return
    with bars(screen, runs) as listener:
        yield listener


@contextmanager
def following(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """One bar that tells where a run stands, on a terminal."""
    screen = messages()
    if quiet or not screen.is_terminal:
        yield None
        return
    with _columns(screen) as drawn:
        row = drawn.add_task("asking", total=None, told="")

        def tell(now: Progress) -> None:
            told = "  ".join([f"{now.metric:.3f}", *_spent([now.usage])])
            drawn.update(row, completed=now.done, total=now.total, told=told)

        yield tell


@contextmanager
def bars(screen: Console, runs: int) -> Iterator[Bars]:
    """Bars on this terminal, as long as runs go on."""
    with _columns(screen) as drawn:
        yield Bars(screen, drawn, runs)


def _columns(screen: Console) -> Any:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=screen, transient=True)


def short(spec: RunSpec) -> str:
    """What tells the runs of a sweep apart, short enough for a line."""
    return f"{spec.method}  {'+'.join(spec.models)}  seed {spec.seed}"


def told_walls(walls: Sequence[Walls | None]) -> str:
    """The walls of several runs in one line."""
    kinds = dict.fromkeys(str(one) if one else "none" for one in walls)
    return " | ".join(kinds)


def _end(outcome: Outcome) -> str:
    if outcome.run is None:
        return f"[red]{safe(outcome.error)}[/]"
    records = outcome.run.records
    metric = sum(record.right for record in records) / max(1, sum(record.asked for record in records))
    parts = [f"{metric:.3f}", *_spent([record.attempt.usage for record in records])]
    return "  ".join([*parts, *["[dim]done before[/]"] * outcome.before])


def _spent(usages: Sequence[Usage]) -> list[str]:
    tokens = sum(usage.prompt_tokens + usage.completion_tokens for usage in usages)
    return [f"{tokens:,} tokens", f"${sum(usage.cost for usage in usages):.4f}"] if tokens else []
