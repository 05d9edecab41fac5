"""The table of commands. Functions live in the files of their group; this file only names them."""

from __future__ import annotations

import typer

from quire.interfaces.cli import query

app = typer.Typer(
    help="Ask a pile of PDFs, see where each answer stands on the page, and let it learn from your verdicts.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

LOOK = "Look into a library"

app.command(rich_help_panel=LOOK)(query.search)
app.command(rich_help_panel=LOOK)(query.sql)
app.command(rich_help_panel=LOOK)(query.schema)
app.command(rich_help_panel=LOOK)(query.page)
