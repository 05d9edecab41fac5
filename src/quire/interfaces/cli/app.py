"""The table of commands. Functions live in the files of their group; this file only names them."""

from __future__ import annotations

import typer

from quire.interfaces.cli import ask, collect, config, evaluate, memory, models, query, runs, stream, tasks
from quire.interfaces.mcp.command import mcp
from quire.interfaces.server import command as serve

app = typer.Typer(
    help="Ask a pile of PDFs, see where each answer stands on the page, and let it learn from your verdicts.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

for command in (
    collect.add,
    collect.status,
    ask.ask,
    ask.show,
    memory.verdict,
    query.search,
    query.sql,
    query.schema,
    query.page,
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
app.command(name="import")(runs.import_)
app.command(name="eval")(evaluate.evaluate)
app.add_typer(memory.app, name="memory")
app.add_typer(config.app, name="config")
app.add_typer(stream.app, name="stream")
app.add_typer(models.models, name="models")
app.add_typer(models.vectors, name="vectors")
app.add_typer(tasks.app, name="tasks")
app.add_typer(serve.app, name="serve")
