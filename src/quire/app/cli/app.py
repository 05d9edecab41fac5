"""The table of commands. Functions live in the files of their group; this file only names them."""

from __future__ import annotations

from typing import Annotated

import typer

from quire.app.cli import (
    ask,
    chat,
    collect,
    config,
    edit,
    evaluate,
    export,
    memory,
    models,
    parse,
    pictures,
    plugged,
    query,
    registries,
    runs,
    watch,
)
from quire.app.cli.plugged import Commands
from quire.app.mcp.command import mcp
from quire.app.server import command as serve


def _version(wanted: bool) -> None:
    if wanted:
        from quire import __version__

        typer.echo(f"quire {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
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
    parse.parse,
    collect.status,
    ask.ask,
    chat.chat,
    ask.show,
    memory.verdict,
    query.search,
    query.sql,
    query.schema,
    pictures.page,
    watch.watch,
    collect.retry,
    collect.refresh,
    edit.edit,
    collect.remove,
    collect.restore,
    collect.check,
    collect.repair,
    runs.runs,
    runs.replay,
    runs.diff,
    evaluate.compare,
    evaluate.report,
    evaluate.quiz,
    evaluate.judge_check,
    models.summarize,
    config.methods,
    mcp,
):
    app.command()(command)
app.command(name="list", hidden=True)(collect.status)
app.command(name="help", hidden=True)(plugged.help_)
app.command(name="fetch-metadata")(registries.fetch_metadata)
app.command(name="open")(pictures.open_)
app.command(name="import")(runs.import_)
app.command(name="eval")(evaluate.evaluate)
app.add_typer(memory.app, name="memory")
app.add_typer(config.app, name="config")
app.add_typer(export.app, name="export")
app.add_typer(models.models, name="models")
app.add_typer(models.vectors, name="vectors")
app.add_typer(serve.app, name="serve")
