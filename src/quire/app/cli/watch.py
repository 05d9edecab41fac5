"""`quire watch`: folders whose PDFs are in the library as soon as they are whole."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import LibraryDir, open_library
from quire.app.cli.output import messages, safe

if TYPE_CHECKING:
    from quire.build import Library

_State = dict[Path, tuple[int, int]]  # size and time of change of each file


def watch(
    folders: Annotated[list[Path], typer.Argument(help="Folders to watch.")],
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 3.0,
    library: LibraryDir = None,
) -> None:
    """Add what comes into folders, and what changes there, until Ctrl-C. What goes stays in the library."""
    screen = messages()
    for folder in folders:
        if not folder.is_dir():
            raise typer.BadParameter(f"There is no folder {folder}.")
    lib = open_library(library, create=True)
    names = ", ".join(str(folder) for folder in folders)
    screen.print(f"Watching {safe(names)} (Ctrl-C ends it).", soft_wrap=True)
    before: _State = {}
    done: _State = {}
    while True:
        before = look(lib, folders, before, done)
        time.sleep(interval)


def look(lib: Library, folders: list[Path], before: _State, done: _State) -> _State:
    """Add the files that are as they were at the last look, and not yet in so; gives how all are now.

    A file that is still being written changes between two looks. `done` takes what was added.
    """
    from quire.errors import LibraryLocked
    from quire.library.finding import find

    now = {file: _state(file) for file in find(folders, skip=lib.folder).files}
    ready = [file for file, state in now.items() if before.get(file) == state != done.get(file)]
    if not ready:
        return now
    screen = messages()
    try:
        report = lib.add(ready)
    except LibraryLocked as error:
        screen.print(f"[yellow]{safe(error.message)} Trying again.[/]", soft_wrap=True)
        return now
    done.update({file: now[file] for file in ready})
    for file in report.files:
        if file.outcome != "unchanged":
            said = safe(file.reason or file.title)
            screen.print(f"{file.outcome} {safe(file.path.name)}  {said}", soft_wrap=True)
    return now


def _state(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return -1, -1
    return found.st_size, found.st_mtime_ns
