"""Commands that installed packages bring: entry points of the group `quire.commands`, each a `typer.Typer`.

    [project.entry-points."quire.commands"]
    stream = "quire_streams.cli.stream:app"

They are looked up only where quire has no command of that name, and for the help.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

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
    context: typer.Context,
    words: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND]...")] = None,
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
