"""The table of commands. Functions live in the files of their group; this file only names them."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.interfaces.cli import (
    ask,
    bibtex,
    collect,
    config,
    evaluate,
    memory,
    models,
    pictures,
    query,
    runs,
    stream,
    tasks,
    watch,
)
from quire.interfaces.mcp.command import mcp
from quire.interfaces.server import command as serve


def _version(wanted: bool) -> None:
    if wanted:
        from quire import __version__

        typer.echo(f"quire {__version__}")
        raise typer.Exit


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def quire(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask a pile of PDFs, see where each answer stands on the page, and let it learn from your verdicts.

    Questions and searches are in English, whatever language the papers are in.
    """


for command in (
    collect.add,
    collect.status,
    ask.ask,
    ask.show,
    memory.verdict,
    query.search,
    query.sql,
    query.schema,
    pictures.page,
    bibtex.bibtex,
    watch.watch,
    collect.retry,
    collect.refresh,
    collect.remove,
    collect.check,
    collect.repair,
    runs.runs,
    runs.replay,
    runs.diff,
    runs.export,
    evaluate.compare,
    evaluate.report,
    evaluate.quiz,
    evaluate.judge_check,
    models.summarize,
    config.methods,
    mcp,
):
    app.command()(command)
app.command(name="open")(pictures.open_)
app.command(name="import")(runs.import_)
app.command(name="eval")(evaluate.evaluate)
app.add_typer(memory.app, name="memory")
app.add_typer(config.app, name="config")
app.add_typer(stream.app, name="stream")
app.add_typer(models.models, name="models")
app.add_typer(models.vectors, name="vectors")
app.add_typer(tasks.app, name="tasks")
app.add_typer(serve.app, name="serve")
