"""Commands about streams of tasks: run one, sweep over many (reports on them: `report`)."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.app.cli.options import AsJson, LibraryDir, open_library
from quire.app.cli.output import messages
from quire_streams.cli import report
from quire_streams.cli.report import person, show_outcomes, watch, writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quire.eval.run import RunSpec
    from quire_streams.runs.jobs import Person
    from quire_streams.runs.opening import SolverSource

app = typer.Typer(
    help="Measure how agents improve from feedback.", no_args_is_help=True, rich_markup_mode=None
)

Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder of the runs.", show_default="your data folder")
]
MaxCost = Annotated[
    float | None,
    typer.Option(min=0, help="US dollars at most, for all runs, their judges and lessons together."),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Runs at the same time.", show_default="one per core")
]
Ray = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on a Ray cluster (extra [ray]): its address, auto (one that runs), local (start one).",
    ),
]
# What one run is: the fields of a `RunSpec`.
Task = Annotated[str, typer.Option(help="What is streamed; see `quire tasks list`.")]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the data set, or one that holds it under its name.",
        show_default="where `quire tasks fetch` puts it",
    ),
]
Method = Annotated[str, typer.Option(help="Method; see `quire stream methods`.")]
Models = Annotated[
    str, typer.Option("--model", help="Model, or several joined by commas; `offline` needs no key.")
]
Protocol = Annotated[
    str, typer.Option(help="What is asked and how it is scored: quire, or streambench as published.")
]
Feedback = Annotated[
    str, typer.Option(help="exact, noisy:P, delayed:N, sparse:P, human; several joined by +.")
]
Encoder = Annotated[
    str | None,
    typer.Option(
        help="What measures similarity of memories: a name of `quire models list`, or hash-512.",
        show_default="minilm where its weights are",
    ),
]


@app.command()
def run(
    task: Task,
    data: Data = None,
    method: Method = "self_stream_icl",
    model: Models = "offline",
    seed: Annotated[int, typer.Option(help="Order of the stream.")] = 0,
    seeds: Annotated[int, typer.Option(min=0, help="So many orders, seeds 0 to N-1.")] = 0,
    protocol: Protocol = "quire",
    shift: Annotated[str, typer.Option(help="Field by which instances come in blocks.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="Only the first N instances; 0: all.")] = 0,
    feedback: Feedback = "exact",
    encoder: Encoder = None,
    k: Annotated[int, typer.Option("-k", min=0, help="Shots; 0: the task's own number.")] = 0,
    budget: Annotated[int, typer.Option(min=0, help="Tokens of shots in a prompt; 0: no limit.")] = 0,
    judge: Annotated[str, typer.Option(help="Model that judges what no rule can.")] = "",
    max_cost: MaxCost = None,
    library: LibraryDir = None,
    workers: Workers = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Stream a task: one instance after another, learning from the verdicts. Run it again to resume."""
    from quire.eval.run import RunSpec
    from quire_streams.runs.encoders import default_encoder
    from quire_streams.tasks.protocol import spec_over

    folder, models, encoder = _located(task, data), _team(method, model), encoder or default_encoder()
    named = RunSpec(task, method, models, str(folder), seed, shift, limit, feedback, encoder, k, budget)
    spec = spec_over(replace(named, judge_model=judge, protocol=protocol), folder.resolve())
    specs = [replace(spec, seed=number) for number in range(seeds)] if seeds else [spec]
    _warn_of_rules(spec)
    ask = person if "human" in feedback else None
    _stream(specs, library, max_cost, workers, output, as_json, ask=ask)


def _warn_of_rules(spec: RunSpec) -> None:
    """Say that memory makes no difference, where it makes none."""
    from quire_streams.methods import METHODS

    row = METHODS[spec.method]
    plain = row.memory == "none" and row.style == "direct"
    if spec.task == "papers" and not plain and all(one.startswith("offline") for one in spec.models):
        messages().print(
            "[yellow]The offline policy answers every question over papers afresh, by rules: no shots are "
            "shown to it, so every method scores the same. Give --model for an agent that learns.[/]"
        )


def _stream(
    specs: Sequence[RunSpec],
    library: Path | None,
    max_cost: float | None,
    workers: int | None,
    output: Path | None,
    as_json: bool,
    *,
    ray: str | None = None,
    ask: Person | None = None,
) -> None:
    """Do the runs and show what came of them; `papers` go by the settings of their library."""
    from quire.errors import SettingsError
    from quire.llm import Gateway
    from quire.settings import load
    from quire_streams.runs import streams
    from quire_streams.runs.sweep import RayCluster, ThreadEngine
    from quire_streams.runs.sweep import sweep as run_all

    task = specs[0].task
    gateway = Gateway(load(library if task == "papers" else None, model__max_cost=max_cost))
    if ray and gateway.meter.limit:
        raise SettingsError("A cost limit cannot be kept on a Ray cluster.", hint="Sweep without --ray.")
    # A person is asked one question at a time, with no bars between them.
    cores = 1 if ask else workers or min(8, os.cpu_count() or 1)
    with watch(len(specs), quiet=as_json or ask is not None) as listener:
        outcomes = run_all(
            specs,
            writable(output or streams()),
            engine=RayCluster(ray, cores) if ray else ThreadEngine(cores),
            source=_source(task, library),
            gateway=gateway,
            ask=ask,
            progress=listener.progress,
            done=listener.done if len(specs) > 1 else None,
        )
    failed = [outcome.failure for outcome in outcomes if outcome.failure]
    if failed and len(outcomes) == 1:
        raise failed[0]
    show_outcomes(outcomes, gateway, as_json)
    if failed:
        raise typer.Exit(1)


@app.command()
def sweep(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The runs; see below.")],
    data: Annotated[Path | None, typer.Option(help="Folder of the data set, instead of the file's.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=0, help="Only the first N instances of each run, 0: all.")
    ] = None,
    workers: Workers = None,
    ray: Ray = None,
    max_cost: MaxCost = None,
    library: LibraryDir = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Run methods x models x seeds, each run in a process of its own behind a wall.

    FILE is TOML, JSON or YAML. For example:

    \b
        task = "ddxplus"
        data = "data/ddxplus"      # from the file's folder, else from here
        methods = ["zero_shot", "self_stream_icl", "mam_stream_icl"]
        models = ["offline:a", "offline:b", "offline:c"]
        seeds = 5                  # or a list of seeds

    and, for all runs: protocol, limit, feedback, shift, encoder, k, budget, judge_model.

    A run that fails is told and does not stop the others. Sweep again to go on: what is finished is not run
    again.
    """  # noqa: D301 - the backslash keeps the lines of the example
    from quire_streams.runs.sweep import read_sweep
    from quire_streams.tasks.protocol import spec_over

    given: dict[str, Any] = {} if limit is None else {"limit": limit}
    if data:
        given["data"] = str(data)
    specs = [
        spec_over(spec, _located(spec.task, Path(spec.data)).resolve()) for spec in read_sweep(file, given)
    ]
    _stream(specs, library, max_cost, workers, output, as_json, ray=ray)


def _located(task: str, data: Path | None) -> Path:
    """The task's own folder, where `data` holds the folders of several data sets; None: the user's data.

    Raises:
        TaskError: there is nothing.
    """
    from quire import settings
    from quire.errors import TaskError
    from quire_streams.tasks import TASKS

    TASKS[task]  # a wrong name is told before anything else
    data = data or settings.home() / "tasks" / task
    found = [data / name for name in (task, f"{task}_ste") if (data / name).is_dir()]
    if not data.exists():
        how = f"`quire tasks fetch {task}` gets the data; or give the folder that has it with --data."
        if task == "papers":
            how = "Give a file of questions with --data; `quire quiz -o questions.jsonl` writes one."
        raise TaskError(f"There is no {data}.", hint=how)
    return found[0] if found else data


def _team(method: str, model: str) -> tuple[str, ...]:
    """The models of a run, as named on the command line."""
    from quire_streams.runs.sweep import teams

    names = [name.strip() for name in model.split(",") if name.strip()]
    made = teams(method, names)
    return made[0] if len(made) == 1 else tuple(names)


def _source(task: str, folder: Path | None) -> SolverSource | None:
    """Where a run's process gets its solvers: those of `papers` from a library; None: from the task itself.

    Raises:
        LibraryError: there is no library in that folder.
    """
    from quire_streams.runs.opening import SolverSource

    if task != "papers":
        return None
    library = open_library(folder)
    top = library.folder.resolve()
    index = library.settings.index
    library.close()
    weights = [index.models] if index.models else []
    return SolverSource(
        "quire_streams.methods.agent_styles:solvers",
        {"folder": str(top)},
        reads=(str(top), *(str(path.resolve()) for path in weights)),
        hides=(str(top / "runs"), str(top / "memory.sqlite")),  # they may hold answers of the same questions
        network=index.vectors.startswith("milvus+"),
    )


app.command()(report.report)
app.command()(report.methods)
