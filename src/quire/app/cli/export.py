"""What leaves a library as files; and `quire parse`: PDFs as Markdown, JSON, HTML or JATS without one."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import Group, Here, Parser, Password, Screen
from quire.app.cli.output import count, messages, safe, write

if TYPE_CHECKING:
    from rich.console import Console

    from quire.library.citing import Cited
    from quire.library.converting import Conversion
    from quire.library.exporting import Exported
    from quire.settings import Parsing

_SHOWN = 20


def parse(
    here: Screen,
    paths: Annotated[list[str], typer.Argument(metavar="PDF...", help="Files, folders, globs, @LIST.")],
    to: Annotated[str, typer.Option("--to", help="md, json, jsonl, html or jats.")] = "md",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder; without it a text goes to standard output.")
    ] = None,
    parser: Parser = "",
    workers: Annotated[int | None, typer.Option(min=1, max=256, help="PDFs read at once.")] = None,
    password: Password = None,
) -> None:
    """Read PDFs without a library, and write each as Markdown, JSON, JSON Lines, HTML or JATS XML.

    With -o, figures are cut out as pictures, what is there already is left alone, and a file that cannot be
    read stops nothing.
    """
    from quire import settings as configuration
    from quire.library import converting

    given = configuration.load(parsing__parser=parser or None, parsing__workers=workers).parsing
    if output is None:
        _print(paths, to, given, password)
        return
    with here.stages() as progress:
        report = converting.convert(paths, to, output, given, password=password, progress=progress)
    here.emit(report, lambda out: _show_parsed(out, report), failed=bool(report.of("failed")))


def _print(paths: list[str], to: str, given: Parsing, password: str | None) -> None:
    """Texts on standard output; several only where each of them is a line or more of its own."""
    from quire.errors import DocumentError, QueryError
    from quire.library import converting
    from quire.library.finding import find
    from quire.types.forms import FORMS

    FORMS.load(to)
    found = find(paths)
    if len(found.files) > 1 and to != "jsonl":
        raise QueryError(f"These are {len(found.files)} PDFs.", hint="Name a folder for them with -o.")
    failed = [(path, reason) for path, reason in found.missing]
    for path, result in converting.documents(found.files, given, password):
        if isinstance(result, DocumentError):
            failed.append((path, str(result)))
        else:
            sys.stdout.write(result.to(to))
    for note in found.notes:
        messages().print(f"[yellow]{safe(note)}[/]", soft_wrap=True)
    for path, reason in failed:
        messages().print(f"[red]{safe(path)}[/]: {safe(reason)}", soft_wrap=True)
    if failed:
        raise typer.Exit(1)


def _show_parsed(out: Console, report: Conversion) -> None:
    written = report.of("written")
    for file in written[:_SHOWN]:
        out.print(f"[green]wrote[/] {safe(file.target)}", soft_wrap=True)
        for note in file.notes:
            out.print(f"  [yellow]{safe(note)}[/]", soft_wrap=True)
    if len(written) > _SHOWN:
        out.print(f"[dim]and {len(written) - _SHOWN} more[/]")
    for file in report.of("failed"):
        out.print(f"[red]failed[/] {safe(file.path)}: {safe(file.reason)}", soft_wrap=True)
    for note in report.notes:
        out.print(f"[yellow]{safe(note)}[/]", soft_wrap=True)
    counts = ((name, len(report.of(name))) for name in ("written", "there", "failed"))
    told = ", ".join(f"{number} {name}" for name, number in counts if number)
    pages = sum(file.pages for file in written)
    out.print(f"[bold]{told or 'Nothing to do'}[/]; {pages} pages in {report.seconds:.1f} s.")


app = Group(no_args_is_help=True, help="Write the library, bibliographies or runs to files.")
_Papers = Annotated[
    list[str] | None, typer.Argument(metavar="[PAPER]...", help="Papers: id, file name, title or DOI.")
]


@app.command()
def library(
    here: Here,
    papers: _Papers = None,
    to: Annotated[Path, typer.Option("--to", "-o", help="Folder to write to.")] = Path("quire-export"),
    form: Annotated[
        list[str] | None, typer.Option(help="Of papers: md, json, jsonl, html, jats. Repeat for more.")
    ] = None,
) -> None:
    """Write papers, figures, tables (CSV), all rows (Parquet), bibliographies, and notes for Obsidian.

    What is there already and has not changed since is left alone.
    """
    lib = here.open()
    wanted = [lib.paper(name).id for name in papers or ()]
    with here.stages() as progress:
        found = lib.export(to, wanted, forms=form or ["md"], progress=progress)
    failed = any(paper.outcome == "failed" for paper in found.papers)
    here.emit(found, lambda out: _show(out, found), failed=failed)


def _show(out: Console, found: Exported) -> None:
    for paper in found.papers:
        if paper.outcome == "failed":
            out.print(f"[red]failed[/] {safe(paper.path.name)}: {safe(paper.reason)}", soft_wrap=True)
    kept = sum(paper.outcome != "failed" for paper in found.papers)
    told = (
        count(kept, "file") + " of papers",
        count(found.tables, "table") + " as CSV",
        count(len(found.parquet), "Parquet file"),
        count(found.notes, "note"),
        "library.bib, library.ris, library.json",
    )
    out.print(f"[bold]{safe(found.folder)}[/]: {', '.join(told)}; {found.seconds:.1f} s.", soft_wrap=True)


@app.command()
def bibliography(
    here: Here,
    papers: _Papers = None,
    run: Annotated[
        str, typer.Option(metavar="RUN", help="Those that an answer rests on, with what it read of them.")
    ] = "",
    form: Annotated[str, typer.Option(help="bibtex, ris or csl.")] = "bibtex",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
) -> None:
    """Write papers as BibTeX, RIS or CSL JSON; with --run, quotes and pages that an answer used."""
    from quire.library.citing import bibliography as told

    lib = here.open()
    notes = _read(lib.folder, run) if run else {}
    wanted = [lib.paper(name).id for name in papers or ()] or list(notes)
    found = {} if run and not wanted else lib.cited(wanted)
    entries = {paper: _noted(one, notes.get(paper, [])) for paper, one in found.items()}
    if here.as_json:
        here.emit({paper: one.bibtex for paper, one in entries.items()}, "")
        return
    text = told(entries.values(), form)
    if output is None:
        sys.stdout.write(text)
        return
    write(output, text.encode("utf-8", "replace"))
    plural = "y" if len(entries) == 1 else "ies"
    typer.echo(f"Wrote {len(entries)} entr{plural} to {safe(output)}.", err=True)


def _read(folder: Path, run_id: str) -> dict[str, list[str]]:
    """What a run used of each paper: quotes with their pages."""
    from quire.ask import runs

    notes: dict[str, list[str]] = {}
    for item in runs.load(folder, run_id).answer.evidence:
        page = f"p. {item.page}: " if item.page > 0 else ""
        notes.setdefault(item.paper_id, []).append(f"{page}{' '.join(item.quote.split())}")
    return notes


def _noted(one: Cited, notes: list[str]) -> Cited:
    """The entry with a field `annote`."""
    from quire.pdf.bibtex import escaped

    if not notes:
        return one
    annote = f",\n  annote = {{{escaped('; '.join(notes))}}}\n}}"
    return replace(one, bibtex=one.bibtex.rstrip().removesuffix("}").rstrip() + annote)


@app.command()
def runs(
    here: Here,
    run_ids: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs to export.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder; one JSON Lines file a run.")],
) -> None:
    """Write runs as chat messages, one JSON object a line."""
    from quire.ask import runs as stored
    from quire.ask.chats import export_chat

    folder = here.open().folder
    found = [stored.load(folder, run_id) for run_id in run_ids]
    output.mkdir(parents=True, exist_ok=True)
    written = []
    for run in found:
        target = output / f"{run.run_id}.jsonl"
        target.write_bytes(("\n".join(export_chat(run)) + "\n").encode("utf-8", "replace"))
        written.append(target)
    here.emit(written, "Wrote " + ", ".join(safe(file) for file in written))
