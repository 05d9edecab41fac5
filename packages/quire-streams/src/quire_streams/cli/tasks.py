"""Commands about the tasks that can be streamed: list them, and get their data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.app.cli.options import AsJson, Offline
from quire.app.cli.output import count, emit, messages, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.progress import TaskID

    from quire_streams.tasks.downloading import Transfer

app = typer.Typer(
    help="Tasks that can be streamed: list, fetch, import.", no_args_is_help=True, rich_markup_mode=None
)

Folder = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder of the data.", show_default="your data folder")
]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """The tasks: what each is, its size, licence and needs, and whether it can be fetched."""
    from quire_streams.tasks import TASKS

    rows = [_describe_task(name) for name in TASKS]

    def show(out: Console) -> None:
        for row in rows:
            out.print(f"[bold]{row['name']}[/]  {safe(row['about'])}", soft_wrap=True)
            out.print(f"  {row['metric']}, {row['shots']} shots; licence: {safe(row['licence'])}")
            out.print(f"  needs {safe(row['needs'])}", soft_wrap=True)
            for name, each in row["editions"].items():
                option = "" if name == "streambench" else f" --edition {name}"
                out.print(f"  [dim]quire tasks fetch {row['name']}{option}[/]  {_size(each)}")
            if row["here"]:
                out.print(f"  [green]here: {safe(row['here'])}[/]", soft_wrap=True)

    emit(rows, as_json, show)


def _describe_task(name: str) -> dict[str, Any]:
    from quire import settings
    from quire_streams.tasks import TASKS
    from quire_streams.tasks.fetching import EDITIONS, published

    task, data = TASKS.load(name), published(name)
    here = settings.home() / "tasks" / name
    editions = {}
    for edition in EDITIONS:
        files = [file for file in data.files if edition in file.editions]
        if files:
            known = all(file.bytes or file.about for file in files)
            editions[edition] = {"files": len(files), "bytes": data.size(edition), "all_sizes_known": known}
    return {
        "name": name,
        "about": data.what,
        "metric": task.metric,
        "shots": task.shots,
        "licence": data.licence,
        "page": data.page,
        "needs": data.needs,
        "editions": editions,
        "here": here if here.is_dir() and any(here.iterdir()) else None,
    }


def _size(edition: dict[str, Any]) -> str:
    files, megabytes = count(edition["files"], "file"), edition["bytes"] / 1e6
    known = f"about {megabytes:.{0 if megabytes >= 100 else 1}f} MB" if megabytes else ""
    if edition["all_sizes_known"]:
        return f"{files}, {known}"
    return f"{files}, {known} and what has no published size" if known else f"{files}, size not published"


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="Task; see `quire tasks list`.")],
    edition: Annotated[
        str, typer.Option(help="`streambench`: the paper's own rows; `original`: the whole data set.")
    ] = "streambench",
    output: Folder = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Download a task's data from the published places. A cut download goes on when called again."""
    from quire import settings
    from quire_streams.tasks.fetching import fetch as get
    from quire_streams.tasks.fetching import published

    refuse = offline or settings.load().offline
    files = published(name).edition(edition)
    folder = _folder(name, output, edition)
    if not (as_json or refuse):
        row = _describe_task(name)["editions"][edition]
        messages().print(f"{safe(name)}: {_size(row)}, into {safe(folder)}", soft_wrap=True)
        messages().print(f"[dim]{safe(published(name).licence)}, {safe(published(name).page)}[/]")
    with _bars(len(files), quiet=as_json) as listen:
        got = get(name, folder, edition=edition, offline=refuse, listen=listen)
    _show_files(got, name, folder, as_json)


@contextmanager
def _bars(files: int, *, quiet: bool) -> Iterator[Callable[[Transfer], None] | None]:
    """A bar for each file, with bytes and speed."""
    screen = messages()
    if quiet or not screen.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=screen) as progress:
        bars: dict[str, TaskID] = {}

        def listen(now: Transfer) -> None:
            if now.name not in bars:
                bars[now.name] = progress.add_task(f"{len(bars) + 1}/{files} {safe(now.name)}", total=None)
            progress.update(bars[now.name], completed=now.done, total=now.total or None)

        yield listen


@app.command("import")
def import_(
    name: Annotated[str, typer.Argument(help="Task; see `quire tasks list`.")],
    path: Annotated[Path, typer.Argument(help="Folder, file or zip with the data.")],
    output: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Take a task's data out of local files."""
    from quire_streams.tasks.fetching import import_data

    folder = _folder(name, output)
    _show_files(import_data(name, path, folder), name, folder, as_json)


@app.command()
def environment(
    large: Annotated[
        bool,
        typer.Option("--large/--small", help="With torch, TensorFlow, gensim and xgboost: 3.1 GB, not 0.6."),
    ] = True,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Make (or complete) the Python in which DS-1000's programs run. What cannot be installed is named."""
    from quire import settings
    from quire.errors import OfflineError
    from quire_streams.tasks import warm_python

    if offline or settings.load().offline:
        raise OfflineError("Libraries come from a package index, and this is offline.")
    wanted, steps = warm_python.packages(large=large), []
    with messages().status(f"{len(wanted)} packages, {'3.1' if large else '0.6'} GB on disk") as status:
        for step in warm_python.create(wanted):
            steps.append(step)
            said = f"[red]failed: {safe(step.error)}[/]" if step.error else f"{step.megabytes} MB"
            if not as_json:
                messages().print(f"{step.number}/{step.of} {safe(step.package)}  {said}", soft_wrap=True)
            status.update(f"{safe(', '.join(wanted[step.number : step.number + 1]) or 'done')} ...")
    failed = [step.package for step in steps if step.error]
    python, size = warm_python.python(), sum(step.megabytes for step in steps)

    def show(out: Console) -> None:
        out.print(safe(python), soft_wrap=True)
        lacking = f"; not installed: {safe(', '.join(failed))}" if failed else ""
        messages().print(f"{len(steps) - len(failed)} of {len(steps)} packages, {size} MB added{lacking}")

    emit({"python": python, "steps": steps, "failed": failed}, as_json, show)
    if failed:
        raise typer.Exit(1)


def _folder(name: str, output: Path | None, edition: str = "streambench") -> Path:
    from quire import settings
    from quire_streams.tasks import TASKS

    TASKS[name]  # a wrong name is told before anything is made
    folder = name if edition == "streambench" else f"{name}-{edition}"
    return output or settings.home() / "tasks" / folder


def _show_files(files: Sequence[Path], name: str, folder: Path, as_json: bool) -> None:
    """The files that a task has now, and what to do with them."""
    from quire_streams.tasks.offline import OFFLINE

    def show(out: Console) -> None:
        for file in files:
            out.print(safe(file), soft_wrap=True)
        model = "" if name in (*OFFLINE, "papers") else " --model MODEL"
        told = f"quire stream run --task {safe(name)} --data {safe(folder)}{model}"
        messages().print(f"[dim]{told}[/]", soft_wrap=True)

    emit({"files": files}, as_json, show)
