"""Commands about stored runs: list them, replay one without any model, compare two, export and import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import LAST, AsJson, LibraryDir, RunId, open_library
from quire.app.cli.output import count, emit, listing, safe

if TYPE_CHECKING:
    from rich.console import Console

    from quire.ask.replay import Difference


def runs(
    limit: Annotated[int, typer.Option(min=1, help="Newest runs shown.")] = 20,
    all_: Annotated[bool, typer.Option("--all", help="Show all runs.")] = False,
    library: LibraryDir = None,
    as_json: AsJson = False,
) -> None:
    """List the stored runs, the latest first."""
    from quire.ask import runs as stored

    folder = open_library(library).folder
    found, total = stored.listed(folder, None if all_ else limit), stored.count(folder)

    def show(out: Console) -> None:
        rows = []
        for run in found:
            answer = str(run.value) if run.outcome == "answered" else f"({run.outcome})"
            cost = f"{run.cost:.4f}" if run.cost else ""
            cells = (run.run_id, run.question[:80], answer[:60], run.model or run.method)
            rows.append([*map(safe, cells), str(run.turns), f"{run.seconds:.2f}", cost])
        listing(out, ("run", "question", "answer", "by", "turns", "seconds", "$"), rows)
        if len(found) < total:
            out.print(f"[dim]{len(found)} of {total} runs; --all shows them.[/]")

    emit(found, as_json, show)


def replay(run_id: RunId = LAST, library: LibraryDir = None, as_json: AsJson = False) -> None:
    """Run a stored run's actions again, without any model, and show what comes back otherwise."""
    from quire.ask import replay as again
    from quire.ask import runs as stored

    lib = open_library(library)
    run = stored.load(lib.folder, run_id)
    _show_differences(
        again.replay(run, lib.environment), as_json, f"{count(len(run.steps), 'turn')}, all the same."
    )


def diff(first: RunId, second: RunId, library: LibraryDir = None, as_json: AsJson = False) -> None:
    """Show where two stored runs differ."""
    from quire.ask import replay as again
    from quire.ask import runs as stored

    folder = open_library(library).folder
    found = again.diff(stored.load(folder, first), stored.load(folder, second))
    _show_differences(found, as_json, "The two runs are alike.")


def _show_differences(found: Sequence[Difference], as_json: bool, alike: str) -> None:
    def show(out: Console) -> None:
        for change in found:
            turn = f"turn {change.turn}, " if change.turn else ""
            out.print(f"[bold]{turn}{safe(change.what)}[/]")
            out.print(safe(change.unified()) + "\n", soft_wrap=True)
        if not found:
            out.print(f"[green]{alike}[/]")

    emit(found, as_json, show)
    if found:
        raise typer.Exit(1)


def import_(
    files: Annotated[list[Path], typer.Argument(help="Recorded conversations: chat messages, one a line.")],
    library: LibraryDir = None,
    as_json: AsJson = False,
) -> None:
    """Read recorded conversations as runs of this library."""
    from quire.ask import runs as stored
    from quire.ask.chats import import_chat
    from quire.errors import RunError

    lib = open_library(library, create=True)
    read = []
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise RunError(f"Cannot read {file}: {error}.") from error
        name = "".join(c if c.isalnum() or c in "._-" else "_" for c in file.stem)
        stored.free_place(lib.folder, name)  # told before anything is stored
        read.append(replace(import_chat(lines, name), run_id=name))
    for run in read:
        stored.save(lib.folder, run)
    imported = [stored.summary(run) for run in read]

    def show(out: Console) -> None:
        for run in imported:
            out.print(f"{safe(run.run_id)}: {count(run.turns, 'turn')}, {safe(run.question[:80])}")

    emit(imported, as_json, show)
