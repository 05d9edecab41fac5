"""What a terminal is told of runs: while they go on, at their end, in a report; and the table of methods."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quire.app.cli.options import AsJson
from quire.app.cli.output import bar_columns, emit, messages, safe, spent_words

if TYPE_CHECKING:
    from rich.console import Console

    from quire.eval.run import Run, RunProgress, RunSpec
    from quire.llm import Gateway
    from quire.types import Usage
    from quire_streams.runs.sweep import RunOutcome

_SHOWN = 3  # commands that show one run


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Folders of runs, or of a sweep.")],
    write: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the page, the JSON and the plots here.")
    ] = None,
    window: Annotated[int, typer.Option(min=1, help="Steps of the windowed learning curve.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Final metrics with intervals, learning curves, gain over the stateless twin, regret, cost."""
    from quire.errors import RunError, TaskError
    from quire.eval.run import load_run
    from quire_streams.report import gold_labels
    from quire_streams.report import report as make

    found = [folder for each in runs for folder in _runs_in(each)]
    folders = list({folder.resolve(): folder for folder in found}.values())
    if not folders:
        places = ", ".join(str(each) for each in runs)
        raise RunError(f"There is no run in {places}.", hint="`quire stream run -o FOLDER` makes one.")
    loaded = [load_run(folder) for folder in folders]
    gold = {}
    for spec in (one.spec for one in loaded):
        if spec.task == "ddxplus" and spec.data not in gold:
            try:
                gold[spec.data] = gold_labels(spec.task, Path(spec.data))
            except TaskError as error:  # the data has moved: everything but the confusion can be shown
                messages().print(f"[yellow]{safe(error)}[/]", soft_wrap=True)
    made = make(loaded, window=window, gold=gold, told=list(unfinished(folders, loaded)))
    for line in made.notes:
        messages().print(f"[yellow]{safe(line)}[/]", soft_wrap=True)
    written = made.write(writable(write)) if write else []

    def show(out: Console) -> None:
        out.print(made.text(out.width), markup=False)
        for path in written[:1]:
            out.print(f"Wrote {safe(path)} and {len(written) - 1} more files.")

    emit({**made.document(), "files": written}, as_json, show)


def methods(as_json: AsJson = False) -> None:
    """List the methods: style, memory and router of each."""
    from quire_streams.methods import METHODS, PAPER_METHODS

    def show(out: Console) -> None:
        from rich.table import Table

        table = Table("method", "style", "memory", "router", box=None)
        table.columns[0].no_wrap = True
        for row in METHODS.values():
            kept = row.memory if row.memory in ("none", "fixed") else f"{row.memory}, {row.admit}"
            table.add_row(row.name, row.style, kept, row.router.replace("_", " "))
        out.print(table)
        out.print(f"[dim]The first {len(PAPER_METHODS)} are those of the StreamBench paper.[/]")

    emit(list(METHODS.values()), as_json, show)


def show_outcomes(outcomes: Sequence[RunOutcome], gateway: Gateway, as_json: bool) -> None:
    """The figures of runs that have ended, what they took, and how to see more."""
    from quire_streams.report import report as make

    done = [outcome for outcome in outcomes if outcome.run]
    runs = [outcome.run for outcome in done if outcome.run]
    failed = {outcome.spec.name: outcome.error for outcome in outcomes if outcome.failure}
    made = make(runs) if runs else None
    accounts = gateway.meter.ledger.items()
    document: dict[str, Any] = {
        "runs": [outcome.folder for outcome in done],
        "failed": failed,
        "walls": {outcome.spec.name: outcome.walls for outcome in done},
        "spent": [{"role": role, "model": name, **asdict(account)} for (role, name), account in accounts],
    }
    if made:
        document |= {"metric": made.groups[0].metric.mean, **made.document()}
        document.pop("curves")

    def show(out: Console) -> None:
        if made:
            out.print(made.brief(out.width), markup=False)
            for line in made.notes:
                out.print(f"[yellow]{safe(line)}[/]", soft_wrap=True)
            walls = dict.fromkeys(str(outcome.walls or "none") for outcome in done)
            out.print(f"[dim]Walls: {safe(' | '.join(walls))}[/]", soft_wrap=True)
        if told := spent_line(gateway):
            out.print(f"[dim]{safe(told)}[/]", soft_wrap=True)
        for outcome in done[:_SHOWN]:
            out.print(f"[dim]quire stream report {safe(outcome.folder)}[/]", soft_wrap=True)
        if len(done) > 1:
            out.print(f"[dim]quire stream report {safe(done[0].folder.parent)}   # all[/]", soft_wrap=True)
        if failed:
            out.print(f"[red]{len(failed)} of {len(outcomes)} runs failed[/]; sweep again to go on.")

    emit(document, as_json, show)


def writable(folder: Path) -> Path:
    """The folder, which may not be there yet.

    Raises:
        RunError: it cannot be made or written.
    """
    from quire.errors import RunError

    place = folder.absolute()
    above = next(path for path in (place, *place.parents) if path.exists())
    if not (above.is_dir() and os.access(above, os.W_OK)):
        raise RunError(f"{folder} cannot be made or written.", hint="Give another folder with -o.")
    return folder


def _runs_in(folder: Path) -> list[Path]:
    from quire.eval.run import run_folders

    return [folder] if (folder / "run.json").is_file() else sorted(run_folders(folder))


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
