"""`quire mcp`: the library as tools for an agent program, over standard input and output."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from quire.app.cli.options import LibraryDir, Offline, open_library


def mcp(
    allow_add: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="Let agents add PDFs from below this folder. Repeat for more."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Language model for `ask`; without one, rules answer offline.")
    ] = None,
    library: LibraryDir = None,
    offline: Offline = False,
) -> None:
    """Serve the library to an agent program (Model Context Protocol over standard input and output).

    The agent program starts this command itself; docs/agents.md has the lines for each.
    """
    from quire.app.mcp.server import build

    with open_library(library, offline=offline or None, model__name=model) as lib:
        lib.status()  # a library that is not there is told now, not at the first question
        build(lib, folders=allow_add or ()).run("stdio")
