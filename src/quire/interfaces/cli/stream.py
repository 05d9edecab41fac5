"""Commands about streams of tasks: run one, sweep over many, report on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.interfaces.cli.options import AsJson, LibraryDir, open_library
from quire.interfaces.cli.output import emit, messages, safe

if TYPE_CHECKING:
    from rich.console import Console

    from quire.streams.opening import OpenSolver
    from quire.streams.runner import Progress, Run
    from quire.streams.spec import RunSpec
    from quire.types import Attempt, Instance, Verdict

app = typer.Typer(
    help="Measure how agents improve from feedback.", no_args_is_help=True, rich_markup_mode=None
)

Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder of the runs.", show_default="your data folder")
]


@app.command()
def run(
    task: Annotated[str, typer.Option(help="What is streamed; see `quire tasks list`.")],
    data: Annotated[Path, typer.Option(help="Folder of the data set, or one that holds it under its name.")],
    method: Annotated[str, typer.Option(help="Method; see `quire stream methods`.")] = "self_stream_icl",
    model: Annotated[
        str, typer.Option(help="Model, or several joined by commas; `offline` needs no key.")
    ] = "offline",
    seed: Annotated[int, typer.Option(help="Order of the stream.")] = 0,
    seeds: Annotated[int, typer.Option(min=0, help="So many orders, seeds 0 to N-1.")] = 0,
    shift: Annotated[str, typer.Option(help="Field by which instances come in blocks.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="Only the first N instances; 0: all.")] = 0,
    feedback: Annotated[
        str, typer.Option(help="exact, noisy:P, delayed:N, sparse:P, human; several joined by +.")
    ] = "exact",
    encoder: Annotated[str, typer.Option(help="What measures similarity of memories.")] = "hash-512",
    k: Annotated[int, typer.Option("-k", min=0, help="Shots; 0: the task's own number.")] = 0,
    budget: Annotated[int, typer.Option(min=0, help="Tokens of shots in a prompt; 0: no limit.")] = 0,
    judge: Annotated[str, typer.Option(help="Model that judges what no rule can.")] = "",
    library: LibraryDir = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Stream a task: one instance after another, learning from the verdicts. Run it again to resume."""
    from quire.streams.spec import RunSpec

    folder = _located(task, data)
    specs = [
        RunSpec(
            task=task,
            method=method,
            models=_team(method, model),
            data=str(folder.resolve()),
            seed=order,
            shift=shift,
            limit=limit,
            feedback=feedback,
            encoder=encoder,
            k=k,
            budget=budget,
            judge_model=judge,
        )
        for order in (range(seeds) if seeds else [seed])
    ]
    done = _stream(specs, _solvers(task, library), _root(output), quiet=as_json)
    _show(done, _root(output), as_json)


def _solvers(task: str, library: Path | None) -> OpenSolver | None:
    """Who solves: for `papers` the agents of a library, else what the task itself opens."""
    return open_library(library).solver if task == "papers" else None


def _stream(specs: Sequence[RunSpec], solvers: OpenSolver | None, root: Path, *, quiet: bool) -> list[Run]:
    """Run all. The judges are started first, then the wall goes up: after it no process can be started."""
    from quire.streams.opening import open_setup
    from quire.streams.runner import run as stream
    from quire.streams.wall import seal

    setups = []
    try:
        setups += [open_setup(spec, solvers=solvers, ask=_person) for spec in specs]
        if solvers is None:  # an agent of a library has its own processes for SQL and pages
            seal({Path(spec.data) for spec in specs})
        done = []
        for spec, setup in zip(specs, setups, strict=True):
            with _bar(spec.name, quiet=quiet or "human" in spec.feedback) as progress:
                done.append(stream(spec, setup, root / spec.name, progress))
        return done
    finally:
        for setup in setups:
            setup.judge.close()


def _person(instance: Instance, attempt: Attempt) -> Verdict:
    """Ask the person at the terminal; an empty reply means that nobody knows."""
    from quire.types import Verdict

    screen = messages()
    screen.print(f"\n[bold]{safe(instance.input)}[/]\n[cyan]{safe(attempt.output)}[/]", soft_wrap=True)
    said = screen.input("right? [y/n, Enter: cannot say] ").strip().lower()
    labels: dict[str, Any] = {"y": "right", "n": "wrong"}
    return Verdict(labels.get(said[:1], "unknown"), source="human")


@app.command()
def sweep(
    file: Annotated[Path, typer.Argument(help="TOML, JSON or YAML: task, data, methods, models, seeds.")],
    workers: Annotated[int, typer.Option(min=1, help="Runs at the same time.")] = 2,
    ray: Annotated[
        str | None, typer.Option(help='Run on this Ray cluster, e.g. "auto" (extra [ray]).')
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Run methods x models x seeds; a failed run is told and does not stop the others."""
    from quire.streams.sweep import Outcome, RayCluster, Threads, read_sweep
    from quire.streams.sweep import sweep as run_all

    engine = RayCluster(ray) if ray else Threads(workers)
    screen = messages()

    def tell(outcome: Outcome) -> None:
        if not as_json:
            screen.print(safe(f"{outcome.spec.name}: {outcome.error or 'done'}"), soft_wrap=True)

    outcomes = run_all(read_sweep(file), _root(output), engine=engine, done=tell)
    failed = {outcome.spec.name: outcome.error for outcome in outcomes if outcome.run is None}
    _show([outcome.run for outcome in outcomes if outcome.run is not None], _root(output), as_json, failed)
    if failed:
        raise typer.Exit(1)


@app.command()
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
    from quire.streams.report.report import gold_labels
    from quire.streams.report.report import report as make
    from quire.streams.runner import load_run

    folders = [folder for each in runs for folder in _runs_in(each)]
    if not folders:
        raise RunError("There is no run there.", hint="`quire stream run` makes one.")
    loaded = [load_run(folder) for folder in folders]
    gold = {}
    for spec in (one.spec for one in loaded):
        if spec.task == "ddxplus" and spec.task not in gold:
            try:
                gold[spec.task] = gold_labels(spec.task, Path(spec.data))
            except TaskError as error:  # the data has moved: everything but the confusion can be shown
                messages().print(f"[yellow]{safe(error)}[/]", soft_wrap=True)
    made = make(loaded, window=window, gold=gold)
    written = made.write(write) if write else []

    def show(out: Console) -> None:
        out.print(made.text(out.width), markup=False)
        for path in written[:1]:
            out.print(f"Wrote {safe(path)} and {len(written) - 1} more files.")

    emit({**made.document(), "files": written}, as_json, show)


@app.command()
def methods(as_json: AsJson = False) -> None:
    """List the methods: style, memory and router of each."""
    from quire.agents.stream.methods import METHODS

    def show(out: Console) -> None:
        from rich.table import Table

        table = Table("method", "style", "memory", "what is kept", "router", "in the paper", box=None)
        for row in METHODS.values():
            table.add_row(row.name, row.style, row.memory, row.admit, row.router, row.paper)
        out.print(table)

    emit(list(METHODS.values()), as_json, show)


def _show(done: Sequence[Run], root: Path, as_json: bool, failed: dict[str, str] | None = None) -> None:
    from quire.streams.report.report import report as make

    folders = [root / one.spec.name for one in done]
    made = make(done) if done else None
    document: dict[str, Any] = {"runs": folders, "failed": failed or {}}
    if made:
        document |= {"metric": made.groups[0].metric.mean, **made.document()}
        document.pop("curves")

    def show(out: Console) -> None:
        if made:
            out.print(made.text(out.width), markup=False)
        for folder in folders:
            out.print(f"[dim]quire stream report {safe(folder)}[/]", soft_wrap=True)

    emit(document, as_json, show)


def _located(task: str, data: Path) -> Path:
    """The task's own folder, where `data` holds the folders of several data sets."""
    from quire.tasks import TASKS

    TASKS[task]  # a wrong name is told before anything else
    found = [data / name for name in (task, f"{task}_ste") if (data / name).is_dir()]
    return found[0] if found else data


def _team(method: str, model: str) -> tuple[str, ...]:
    """The models of a run; `offline` alone stands for its three variants where a method shares."""
    from quire.agents.stream.methods import method as row
    from quire.tasks.offline import VARIANTS

    names = tuple(name.strip() for name in model.split(",") if name.strip())
    if names == ("offline",) and row(method).router != "one":
        return tuple(f"offline:{variant}" for variant in VARIANTS)
    return names


def _root(output: Path | None) -> Path:
    from quire import settings

    return output or settings.home() / "streams"


def _runs_in(folder: Path) -> Iterator[Path]:
    if (folder / "run.json").is_file():
        yield folder
    elif folder.is_dir():
        yield from sorted(path.parent for path in folder.glob("*/run.json"))


@contextmanager
def _bar(name: str, *, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """A bar with the running metric, tokens and cost."""
    screen = messages()
    if quiet or not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    told = TextColumn("{task.fields[told]}")
    with Bars(
        TextColumn(safe(name)), BarColumn(), MofNCompleteColumn(), told, TimeRemainingColumn(), console=screen
    ) as bars:
        bar = bars.add_task("", total=None, told="")

        def listen(now: Progress) -> None:
            tokens = now.usage.prompt_tokens + now.usage.completion_tokens
            cost = f", {tokens} tokens, ${now.usage.cost:.4f}" if tokens else ""
            bars.update(bar, completed=now.done, total=now.total, told=f"{now.metric:.3f}{cost}")

        yield listen
