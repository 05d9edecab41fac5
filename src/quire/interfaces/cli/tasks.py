"""Commands about the tasks that can be streamed: list them, and get their data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.interfaces.cli.options import AsJson, Offline
from quire.interfaces.cli.output import emit, safe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

app = typer.Typer(
    help="Tasks that can be streamed: list, fetch, import.", no_args_is_help=True, rich_markup_mode=None
)

Folder = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder of the data.", show_default="your data folder")
]


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """The tasks, their shots, their metrics, and what they are."""
    from quire.tasks import TASKS

    rows = []
    for name in TASKS:
        task = TASKS.load(name)
        about = (task.__doc__ or "").strip().splitlines()[0]
        rows.append({"name": name, "shots": task.shots, "metric": task.metric, "about": about})

    def show(out: Console) -> None:
        for row in rows:
            out.print(
                f"[bold]{row['name']}[/]  {safe(row['about'])} [dim]{row['shots']} shots, {row['metric']}[/]"
            )

    emit(rows, as_json, show)


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="Task; see `quire tasks list`.")],
    output: Folder = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Download a task's data from the published places, checked by its SHA-256."""
    from quire import settings
    from quire.tasks.fetching import fetch as get

    refuse = offline or settings.load().offline
    _told(get(name, _folder(name, output), offline=refuse), as_json)


@app.command("import")
def import_(
    name: Annotated[str, typer.Argument(help="Task; see `quire tasks list`.")],
    path: Annotated[Path, typer.Argument(help="Folder, file or zip with the data.")],
    output: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Take a task's data out of local files."""
    from quire.tasks.fetching import import_data

    _told(import_data(name, path, _folder(name, output)), as_json)


def _folder(name: str, output: Path | None) -> Path:
    from quire import settings
    from quire.tasks import TASKS

    TASKS[name]  # a wrong name is told before anything is made
    return output or settings.home() / "tasks" / name


def _told(files: Sequence[Path], as_json: bool) -> None:
    def show(out: Console) -> None:
        for file in files:
            out.print(safe(file), soft_wrap=True)

    emit({"files": files}, as_json, show)
