"""The table of commands, and those of installed packages; functions live in the files of their group.

Entry points of the group `quire.commands`, each a `typer.Typer`, are looked up only where quire has no
command of that name, and for the help:

    [project.entry-points."quire.commands"]
    stream = "quire_streams.cli.stream:app"
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from quire.app.cli import ask, collect, config, evaluate, export, memory, query, serve
from quire.app.cli.options import Group, LibraryDir
from quire.errors import SettingsError
from quire.registry import Registry

COMMANDS = Registry("command", {}, "quire.commands")
_ELSEWHERE = {"stream": "quire[streams]", "tasks": "quire[streams]"}


class Commands(TyperGroup):
    """quire's own commands, then those of installed packages."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all."""
        return [*super().list_commands(ctx), *COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, None where there is none.

        Raises:
            SettingsError: it is in a package that is not installed.
        """
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if cmd_name in COMMANDS:
            command = typer.main.get_command(COMMANDS.load(cmd_name))
            command.name = cmd_name
            return command
        if cmd_name in _ELSEWHERE:
            raise SettingsError(
                f"`quire {cmd_name}` is in a package of its own.",
                hint=f'Install it: pip install "{_ELSEWHERE[cmd_name]}"',
            )
        return None


def help_(
    context: typer.Context, words: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]...")] = None
) -> None:
    """Print what a command does: `quire help ask` is `quire ask --help`."""
    at: Any = context.parent
    for word in words or ():
        group = at.command
        command = group.get_command(at, word) if hasattr(group, "get_command") else None
        if command is None:
            raise typer.BadParameter(f"There is no command `{word}`.")
        at = type(at)(command, info_name=word, parent=at)
    typer.echo(at.get_help())


def _version(wanted: bool) -> None:
    if wanted:
        from quire import __version__

        typer.echo(f"quire {__version__}")
        raise typer.Exit


app = Group(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)


@app.callback()
def quire(
    library: LibraryDir = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Ask a pile of PDFs, see where each answer stands on the page, and let it learn from your verdicts.

    Questions and searches are in English, whatever language the papers are in.
    """


for command in (
    collect.add,
    export.parse,
    collect.status,
    ask.ask,
    ask.chat,
    ask.show,
    memory.verdict,
    query.search,
    query.sql,
    query.schema,
    query.page,
    collect.watch,
    collect.retry,
    collect.refresh,
    collect.edit,
    collect.remove,
    collect.restore,
    collect.check,
    collect.repair,
    ask.runs,
    ask.replay,
    ask.diff,
    evaluate.compare,
    evaluate.report,
    evaluate.quiz,
    evaluate.judge_check,
    config.summarize,
    config.methods,
    serve.mcp,
):
    app.command()(command)
app.command(name="list", hidden=True)(collect.status)
app.command(name="help", hidden=True)(help_)
app.command(name="fetch-metadata")(collect.fetch_metadata)
app.command(name="open")(query.open_)
app.command(name="import")(ask.import_)
app.command(name="eval")(evaluate.evaluate)
app.add_typer(memory.app, name="memory")
app.add_typer(config.app, name="config")
app.add_typer(export.app, name="export")
app.add_typer(config.models, name="models")
app.add_typer(config.vectors, name="vectors")
app.add_typer(serve.app, name="serve")
