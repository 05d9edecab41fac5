"""Commands about the set-up: settings and the methods of the agent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from quire.interfaces.cli.options import AsJson, LibraryDir
from quire.interfaces.cli.output import emit, safe

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console


def config(library: LibraryDir = None, as_json: AsJson = False) -> None:
    """Show every setting, its value, its meaning, and where it comes from."""
    from quire import settings

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
    from quire.agents.methods import METHODS

    def show(out: Console) -> None:
        for row in METHODS.values():
            out.print(f"[bold]{row.name}[/]  {safe(row.doc)}")
            out.print(f"  [dim]{', '.join(row.actions)}[/]")

    emit(list(METHODS.values()), as_json, show)
