"""`quire bibtex`: papers as BibTeX entries, with what an answer read of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.interfaces.cli.options import AsJson, LibraryDir, open_library
from quire.interfaces.cli.output import emit, safe, write

if TYPE_CHECKING:
    from quire.build import Library


def bibtex(
    papers: Annotated[
        list[str] | None, typer.Argument(metavar="[PAPER]...", help="Papers; none: all, or those of --run.")
    ] = None,
    run: Annotated[
        str,
        typer.Option(metavar="RUN", help="Those that an answer rests on, with what it read of them."),
    ] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    library: LibraryDir = None,
    as_json: AsJson = False,
) -> None:
    """Write papers as BibTeX, as their pages tell it; with --run, quotes and pages that an answer used."""
    lib = open_library(library)
    notes = _read(lib, run) if run else {}
    wanted = [lib.paper(name).id for name in papers or ()] or list(notes) or _all(lib, run)
    entries = {paper: _noted(entry, notes.get(paper, ())) for paper, entry in lib.bibtex(wanted).items()}
    if as_json:
        emit(entries, True, lambda out: None)
        return
    text = "\n\n".join(entries.values()) + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    write(output, text.encode("utf-8"))
    plural = "y" if len(entries) == 1 else "ies"
    typer.echo(f"Wrote {len(entries)} entr{plural} to {safe(output)}.", err=True)


def _all(lib: Library, run: str) -> list[str]:
    return [] if run else [paper.id for paper in lib.papers() if paper.state != "failed"]


def _read(lib: Library, run_id: str) -> dict[str, list[str]]:
    """What a run used of each paper: quotes with their pages."""
    from quire.agents import runs

    notes: dict[str, list[str]] = {}
    for item in runs.load(lib.folder, run_id).answer.evidence:
        page = f"p. {item.page}: " if item.page > 0 else ""
        notes.setdefault(item.paper_id, []).append(f"{page}{' '.join(item.quote.split())}")
    return notes


def _noted(entry: str, notes: list[str] | tuple[str, ...]) -> str:
    """The entry with a field `annote`."""
    from quire.documents.bibtex import escaped

    if not notes:
        return entry
    return f"{entry.rstrip().removesuffix('}').rstrip()},\n  annote = {{{escaped('; '.join(notes))}}}\n}}"
