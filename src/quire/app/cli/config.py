"""Commands about the set-up: settings, methods, language models and where vectors live."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quire.app.cli.options import Group, Here, MaxCost, Online, Papers, Screen
from quire.app.cli.output import listing, messages, safe

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

    from quire.library.summaries import Estimate

app = Group(invoke_without_command=True)


@app.callback()
def config(here: Here, context: typer.Context) -> None:
    """Show every setting, its value, its meaning, and where it comes from."""
    from quire import settings

    if context.invoked_subcommand:
        return
    values, origins = settings.load(here.library), settings.origins(here.library)
    rows = [(name, value, origins.get(name, "default"), doc) for name, value, doc in _leaves(values)]
    document = {name: {"value": value, "from": origin, "doc": doc} for name, value, origin, doc in rows}
    heads, cells = ("setting", "value", "from", "meaning"), [[safe(each) for each in row] for row in rows]
    file = settings.home() / "quire.toml"
    hint = f'To change one: "[agent]" and "max_turns = 10" below it in {file}, or QUIRE_AGENT__MAX_TURNS=10.'

    def show(out: Console) -> None:
        listing(out, heads, cells)
        out.print(f"[dim]{safe(hint)}[/]", soft_wrap=True)

    here.emit(document, show)


@app.command()
def trust(
    here: Screen,
    folder: Annotated[Path, typer.Argument(help="Folder of the library.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Let a library's own quire.toml name models, endpoints and servers, until it changes."""
    from quire import settings

    found = settings.untrusted(folder)
    screen = messages()
    for name, value in found.items():
        screen.print(f"{safe(name)} = {safe(value)}", soft_wrap=True)
    if found and not yes and not here.as_json:
        typer.confirm("Trust these settings?", abort=True, err=True)
    if found:
        settings.trust(folder)
    told = f"{safe(folder)} is trusted." if found else f"{safe(folder)} has nothing that needs trust."
    here.emit({"trusted": found}, told)


def _leaves(section: BaseModel, prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    from pydantic import BaseModel

    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        if isinstance(value, BaseModel):
            yield from _leaves(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value, field.description or ""


def methods(here: Screen) -> None:
    """List the methods by which a language model can answer."""
    from quire.ask.methods import METHODS

    def show(out: Console) -> None:
        for row in METHODS.values():
            out.print(f"[bold]{row.name}[/]  {safe(row.doc)}")
            out.print(f"  [dim]{', '.join(row.actions)}[/]")

    here.emit(list(METHODS.values()), show)


models = Group(help="Encoders: list, download; language models: find.", no_args_is_help=True)
vectors = Group(help="Where the vectors are, and moving them.", no_args_is_help=True)
_ModelName = Annotated[str, typer.Argument(help="Model; see `quire models list`.")]


@models.command("list")
def list_(here: Here) -> None:
    """The encoders that quire knows, their sizes, and where they are."""
    from quire import settings
    from quire.search.models import list_models

    found = list_models(settings.load(here.library).index.models)
    absent = "[dim]not on this machine[/]"
    rows = [
        (safe(one.name), f"{one.size / 1e6:.0f}", one.collection, safe(one.path) if one.path else absent)
        for one in found
    ]
    here.emit(found, lambda out: listing(out, ("model", "MB", "collection", "where"), rows))


_WITHOUT = (
    "quire answers without one. To use one, start a server here (Ollama, LM Studio, llama.cpp ...) or set "
    "OPENAI_API_KEY, and OPENAI_BASE_URL for another endpoint; then look again."
)


@models.command()
def find(here: Screen) -> None:
    """Look for language models: servers of this machine at their usual ports, keys in the environment."""
    from quire.llm.finding import find_models

    found = find_models()

    def show(out: Console) -> None:
        for offer in found:
            out.print(f"[bold]{safe(offer.server)}[/] ({safe(offer.where)}): {safe(', '.join(offer.models))}")
            out.print(f"  {safe(offer.line)}", soft_wrap=True)
        if not found:
            out.print("No language model was found on this machine, and no key in the environment.")
            out.print(f"[dim]{_WITHOUT}[/]", soft_wrap=True)

    here.emit(found, show)


@models.command()
def download(here: Online, name: _ModelName) -> None:
    """Fetch an encoder's weights; its size is told first."""
    from quire import settings
    from quire.search import models as encoders

    chosen, screen = settings.load(here.library, offline=here.offline or None), messages()

    def tell(told: str) -> None:
        screen.print(safe(told), soft_wrap=True)

    path = encoders.download(name, chosen.index.models, offline=chosen.offline, progress=tell)
    here.emit({"path": path}, safe(path))


@vectors.command()
def move(
    here: Here, to: Annotated[str, typer.Option(help="files, milvus:PATH or milvus+http://HOST:PORT.")]
) -> None:
    """Move all vectors to another place; the library remembers where they are."""
    lib = here.open()
    with messages().status("moving") as screen:
        moved = lib.move_vectors(to, progress=lambda name, done: screen.update(f"moving {name}: {done}"))
    here.emit({"moved": moved, "to": to}, f"Moved {moved} vectors to {safe(to)}.")


def summarize(
    here: Online,
    papers: Papers = None,
    model: Annotated[str | None, typer.Option(help="Model that writes; default: the settings'.")] = None,
    max_cost: MaxCost = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before spending.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take.")] = False,
) -> None:
    """Let a model write tldr, tags and summaries. Stopped at any moment, the next call does the rest."""
    from quire.library import summaries

    lib = here.open(model__summarise=model, model__max_cost=max_cost)
    writer, see = lib.summarisers()
    todo = summaries.plan(lib, writer, papers or ())
    needed = summaries.estimate(todo, writer, see)
    screen = messages()
    screen.print(estimated(needed), soft_wrap=True)
    if dry_run or not todo:
        here.emit({"estimate": needed}, lambda out: None)
        return
    if not yes and not here.as_json:
        typer.confirm("Go on?", abort=True, err=True)
    with screen.status("summarising") as status:

        def tell(done: int, total: int, title: str) -> None:
            status.update(safe(f"{done} of {total}: {title}"))

        report = summaries.summarise(lib, todo, writer, see, on_progress=tell)
    told = f"{len(report.papers)} papers, {report.written} summaries, ${report.usage.cost:.4f}."
    told += f"\n[yellow]Stopped: {safe(report.stopped)}[/]" if report.stopped else ""
    here.emit({"estimate": needed, "report": report}, told, failed=bool(report.stopped))


def estimated(needed: Estimate) -> str:
    """What a command will take at most, in one line."""
    price = "price unknown" if needed.dollars is None else f"${needed.dollars:.4f} at most"
    tokens = f"about {needed.prompt_tokens} + {needed.completion_tokens} tokens"
    return f"{needed.papers} papers, {needed.requests} requests, {tokens}, {price}."
