"""What streams gave: a report over runs, the figures of runs that just ended; and the table of methods."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.app.cli.options import AsJson
from quire.app.cli.output import emit, messages, safe
from quire_streams.cli.watch import spent_line, unfinished

if TYPE_CHECKING:
    from rich.console import Console

    from quire.llm import Gateway
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
    from quire_streams.report.report import gold_labels
    from quire_streams.report.report import report as make

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
    from quire_streams.methods.methods import METHODS, PAPER_METHODS

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
    from quire_streams.report.report import report as make

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


def _runs_in(folder: Path) -> Iterator[Path]:
    if (folder / "run.json").is_file():
        yield folder
    elif folder.is_dir():
        yield from sorted(path.parent for path in folder.glob("*/run.json"))
