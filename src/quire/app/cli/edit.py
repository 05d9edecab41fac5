"""`quire edit`: what a paper says of itself, where it says so, and corrections of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import AsJson, LibraryDir, open_library
from quire.app.cli.output import emit, safe
from quire.errors import QueryError

if TYPE_CHECKING:
    from rich.console import Console

    from quire.library.corrections import Told


def edit(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="Id, file name, title or DOI.")],
    changes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FIELD=VALUE]...",
            help='title=..., year=2021, received=2021-03-28, "authors=A. Example; B. Sample"; '
            "with nothing behind the sign: there is none.",
        ),
    ] = None,
    take_back: Annotated[
        list[str] | None,
        typer.Option(metavar="FIELD", help="Let what was read count again; repeatable, or `all`."),
    ] = None,
    library: LibraryDir = None,
    as_json: AsJson = False,
) -> None:
    """Correct what a paper's title, authors, year and so on were read as; without changes, show them all.

    Corrections hold when the paper is read again, and are searched and exported like what was read.
    """
    lib = open_library(library)
    found = lib.told(paper)
    back = [one.field for one in found if one.corrected] if take_back == ["all"] else take_back or []
    wanted: dict[str, object] = {**_parted(changes or []), **dict.fromkeys(back)}
    if wanted:
        found = lib.edit(paper, wanted)
    emit(found, as_json, lambda out: _show(out, found))


def _parted(changes: list[str]) -> dict[str, str]:
    parted = {}
    for change in changes:
        field, sign, value = change.partition("=")
        if not sign:
            raise QueryError(f"`{change[:80]}` is no FIELD=VALUE.", hint="Write title=... or year=2021.")
        parted[field.strip()] = value
    return parted


def _show(out: Console, found: tuple[Told, ...]) -> None:
    from quire.library.corrections import in_words

    for one in found:
        if one.value in (None, "", []) and not one.corrected:
            continue
        places = f" [dim]p. {', '.join(str(p) for p in sorted({at.page for at in one.places}))}[/]"
        mark = f" [yellow](yours; read: {safe(in_words(one.read)) or 'nothing'})[/]" if one.corrected else ""
        told = safe(in_words(one.value)) or "none"
        out.print(f"[bold]{one.field}[/]: {told}{mark}{places if one.places else ''}", soft_wrap=True)
