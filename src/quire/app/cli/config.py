"""Commands about the set-up: settings and the methods of the agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.app.cli.options import AsJson, LibraryDir
from quire.app.cli.output import emit, messages, safe

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console


app = typer.Typer(invoke_without_command=True)


@app.callback()
def config(context: typer.Context, library: LibraryDir = None, as_json: AsJson = False) -> None:
    """Show every setting, its value, its meaning, and where it comes from."""
    from quire import settings

    if context.invoked_subcommand:
        return
    values, origins = settings.load(library), settings.origins(library)
    rows = [(name, value, origins.get(name, "default"), doc) for name, value, doc in _leaves(values)]

    def show(out: Console) -> None:
        from rich.table import Table

        table = Table("setting", "value", "from", "meaning", box=None, pad_edge=False)
        for row in rows:
            table.add_row(*map(safe, row))
        out.print(table)

    document = {name: {"value": value, "from": origin, "doc": doc} for name, value, origin, doc in rows}
    emit(document, as_json, show)


@app.command()
def trust(
    folder: Annotated[Path, typer.Argument(help="Folder of the library.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let a library's own quire.toml name models, endpoints and servers, until it changes."""
    from quire import settings

    found = settings.untrusted(folder)
    screen = messages()
    for name, value in found.items():
        screen.print(f"{safe(name)} = {safe(value)}", soft_wrap=True)
    if found and not yes and not as_json:
        typer.confirm("Trust these settings?", abort=True, err=True)
    if found:
        settings.trust(folder)
    told = f"{safe(folder)} is trusted." if found else f"{safe(folder)} has nothing that needs trust."
    emit({"trusted": found}, as_json, lambda out: out.print(told, soft_wrap=True))


def _leaves(section: BaseModel, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    from pydantic import BaseModel

    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value, field.description or ""


def methods(as_json: AsJson = False) -> None:
    """List the methods by which a language model can answer."""
    from quire.ask.methods import METHODS

    def show(out: Console) -> None:
        for row in METHODS.values():
            out.print(f"[bold]{row.name}[/]  {safe(row.doc)}")
            out.print(f"  [dim]{', '.join(row.actions)}[/]")

    emit(list(METHODS.values()), as_json, show)
