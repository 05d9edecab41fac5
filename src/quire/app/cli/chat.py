"""`quire chat`: one question after another, each in the light of those before it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from quire.app.cli.ask import show_run
from quire.app.cli.options import LibraryDir, Offline, Papers, open_library
from quire.app.cli.output import console, messages, safe

_TURNS = 6  # that a question is asked in the light of


def chat(
    papers: Papers = None,
    model: Annotated[
        str | None, typer.Option(help="Language model; without one, rules answer offline.")
    ] = None,
    library: LibraryDir = None,
    offline: Offline = False,
) -> None:
    """Ask one question after another: "and the highest?" keeps papers and topic. An empty line ends it."""
    from quire.app.run_view import view_of
    from quire.ask.conversation import exchange_of
    from quire.errors import ModelError, QueryError
    from quire.types import Exchange

    lib = open_library(library, offline=offline or None, model__name=model)
    out, talk = console(), list[Exchange]()
    while question := _typed():
        try:
            run = lib.ask(question, papers=tuple(papers or ()), conversation=tuple(talk[-_TURNS:]))
        except (ModelError, QueryError) as error:  # the next question may do better
            messages().print(f"[bold red]{type(error).__name__}[/]: {safe(error)}", soft_wrap=True)
            continue
        talk.append(exchange_of(run))
        show_run(out, view_of(lib, run), fold=True)


def _typed() -> str:
    """The next question; "" at the end."""
    if sys.stdin.isatty():
        sys.stderr.write("> ")
        sys.stderr.flush()
    return sys.stdin.readline().strip()
