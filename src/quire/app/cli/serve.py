"""`quire serve` with the keys of those who come from elsewhere, and `quire mcp` for agent programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import Group, Here, LibraryDir, MaxCost, Model, Offline, open_library
from quire.app.cli.output import safe

if TYPE_CHECKING:
    from quire.app.server.keys import Keys

_NICENESS = 10  # of children that read uploads: people who ask come first
app = Group(help="Serve the library: pages, REST, and keys for others.", invoke_without_command=True)
key = Group(help="Keys for those who come from another machine.", no_args_is_help=True)
app.add_typer(key, name="key")


@app.callback()
def serve(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any free one.")] = 8765,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but this machine's own asks for keys.")
    ] = "127.0.0.1",
    host_name: Annotated[
        list[str] | None, typer.Option(help="Another name that the server goes by. Repeat for more.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    model: Model = None,
    max_cost: MaxCost = None,
    log_questions: Annotated[
        bool, typer.Option("--log-questions", help="Let the log show what was searched for.")
    ] = False,
    library: LibraryDir = None,
    offline: Offline = False,
) -> None:
    """Serve the library to a browser, to programs and to agents until Ctrl-C."""
    if context.invoked_subcommand:
        return
    from quire.app.server.serving import run

    lib = open_library(
        library,
        create=True,
        offline=offline or None,
        model__name=model,
        model__max_cost=max_cost,
        parsing__niceness=_NICENESS,
    )
    names = tuple(name.lower() for name in host_name or ())
    run(lib, host, port, names=names, open_page=open_, log_questions=log_questions)


@key.command()
def add(
    here: Here,
    name: Annotated[str, typer.Argument(help="Whose key it is; verdicts carry this name.")],
    scope: Annotated[
        str, typer.Option(help="read, ask (and judge), or write (add, remove, forget).")
    ] = "ask",
) -> None:
    """Make a key and print it, once: only its digest is kept."""
    secret = _keys(here).add(name, scope)
    here.emit({"name": name, "scope": scope, "key": secret}, secret)


@key.command("list")
def list_(here: Here) -> None:
    """List the keys of the library."""
    found = _keys(here).listed()
    rows = [{"name": each.name, "scope": each.scope, "created": each.created} for each in found]
    told = [f"{safe(each.name)}  {each.scope}  [dim]{safe(each.created)}[/]" for each in found]
    here.emit(rows, "\n".join(told) or "No keys: only this machine's user comes in.")


@key.command()
def remove(here: Here, name: Annotated[str, typer.Argument(help="Whose key.")]) -> None:
    """Revoke a key; running servers refuse it from now on."""
    _keys(here).remove(name)
    here.emit({"removed": name}, f"Revoked {safe(name)}.")


def _keys(here: Here) -> Keys:
    from quire.app.server.keys import Keys
    from quire.settings import home

    return Keys(home(), here.open().folder)


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
