"""`quire parse`: PDFs as Markdown, JSON, HTML or JATS, without a library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import AsJson, Password
from quire.app.cli.output import emit, messages, safe
from quire.app.cli.progress import stages

if TYPE_CHECKING:
    from rich.console import Console

    from quire.library.converting import Conversion
    from quire.settings import Parsing

_SHOWN = 20


def parse(
    paths: Annotated[list[str], typer.Argument(metavar="PDF...", help="Files, folders, globs, @LIST.")],
    to: Annotated[str, typer.Option("--to", help="md, json, jsonl, html or jats.")] = "md",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder; without it a text goes to standard output.")
    ] = None,
    parser: Annotated[str, typer.Option(help="pdfium, or ocr for scans (extra `quire[ocr]`).")] = "",
    workers: Annotated[int | None, typer.Option(min=1, max=256, help="PDFs read at once.")] = None,
    password: Password = None,
    as_json: AsJson = False,
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
    with stages(quiet=as_json) as progress:
        report = converting.convert(paths, to, output, given, password=password, progress=progress)
    emit(report, as_json, lambda out: _show(out, report))
    if report.of("failed"):
        raise typer.Exit(1)


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
    for path, reason in failed:
        messages().print(f"[red]{safe(path)}[/]: {safe(reason)}", soft_wrap=True)
    if failed:
        raise typer.Exit(1)


def _show(out: Console, report: Conversion) -> None:
    written = report.of("written")
    for file in written[:_SHOWN]:
        out.print(f"[green]wrote[/] {safe(file.target)}", soft_wrap=True)
        for note in file.notes:
            out.print(f"  [yellow]{safe(note)}[/]", soft_wrap=True)
    if len(written) > _SHOWN:
        out.print(f"[dim]and {len(written) - _SHOWN} more[/]")
    for file in report.of("failed"):
        out.print(f"[red]failed[/] {safe(file.path)}: {safe(file.reason)}", soft_wrap=True)
    counts = ((name, len(report.of(name))) for name in ("written", "there", "failed"))
    told = ", ".join(f"{number} {name}" for name, number in counts if number)
    pages = sum(file.pages for file in written)
    out.print(f"[bold]{told or 'Nothing to do'}[/]; {pages} pages in {report.seconds:.1f} s.")
