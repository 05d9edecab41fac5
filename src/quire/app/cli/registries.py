"""`quire fetch-metadata`: what registries say of papers, shown before any of it is taken."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import AsJson, LibraryDir, Offline, open_library
from quire.app.cli.output import emit, messages, safe

if TYPE_CHECKING:
    from rich.console import Console

    from quire.library.papers import Paper
    from quire.library.registries import Proposal


def fetch_metadata(
    papers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER]...", help="Papers: id, file name, title or DOI. Default: all."),
    ] = None,
    source: Annotated[
        str, typer.Option("--from", help="crossref, openalex or semantic_scholar.")
    ] = "crossref",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take everything without asking.")] = False,
    library: LibraryDir = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Ask a registry what it says of papers (their DOI or title goes there), and take it if you agree.

    What is taken is a correction like that of `quire edit`: it holds when the paper is read again, and
    `quire edit PAPER --take-back all` undoes it. What you corrected yourself is left alone.
    """
    from quire.errors import DocumentError
    from quire.library.registries import Registries

    lib = open_library(library, offline=offline or None)
    known = [lib.paper(name) for name in papers] if papers else lib.papers()
    registries = Registries(lib.settings, lib.folder / "cache")
    found, failed = [], []
    for paper in (paper for paper in known if paper.state != "failed"):
        try:
            proposal = registries.proposed(source, lib.told(paper.id))
        except DocumentError as error:
            failed.append((paper, str(error)))
            continue
        taken = False
        if not as_json:
            _show(messages(), paper, source, proposal)
        if proposal and proposal.changes and (yes or (not as_json and _agreed())):
            lib.edit(paper.id, {name: then for name, (_, then) in proposal.changes.items()})
            taken = True
        found.append({"paper": paper.id, "proposal": proposal, "taken": taken})
    for paper, reason in failed:
        messages().print(f"[red]{safe(paper.name)}[/]: {safe(reason)}", soft_wrap=True)
    count = sum(bool(one["taken"]) for one in found)
    emit(found, as_json, lambda out: out.print(f"{count} of {len(found)} papers corrected."))
    if failed:
        raise typer.Exit(1)


def _agreed() -> bool:
    return sys.stdin.isatty() and typer.confirm("Take it?", err=True)


def _show(out: Console, paper: Paper, source: str, proposal: Proposal | None) -> None:
    from quire.library.corrections import in_words

    out.print(f"[bold]{safe(paper.name)}[/]", soft_wrap=True)
    if proposal is None or not proposal.changes:
        told = "says the same" if proposal else "does not know it"
        out.print(f"  {source} {told}.")
        return
    for name, (now, then) in proposal.changes.items():
        out.print(f"  {name}: [red]- {safe(in_words(now)) or 'nothing'}[/]", soft_wrap=True)
        out.print(f"  {' ' * len(name)}  [green]+ {safe(in_words(then))}[/]", soft_wrap=True)
