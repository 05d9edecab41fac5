"""What is known of a paper: corrected by hand, or fetched from registries by its DOI or title."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import Here, Online, PaperName, PapersOrAll
from quire.app.cli.output import messages, safe
from quire.errors import QueryError

if TYPE_CHECKING:
    from rich.console import Console

    from quire.library.corrections import Told
    from quire.library.papers import Paper
    from quire.library.registries import Proposal


def edit(
    here: Here,
    paper: PaperName,
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
) -> None:
    """Correct what a paper's title, authors, year and so on were read as; without changes, show them all.

    Corrections hold when the paper is read again, and are searched and exported like what was read.
    """
    lib = here.open()
    found = lib.told(paper)
    back = [one.field for one in found if one.corrected] if take_back == ["all"] else take_back or []
    wanted: dict[str, object] = {**_parted(changes or []), **dict.fromkeys(back)}
    if wanted:
        found = lib.edit(paper, wanted)
    here.emit(found, lambda out: _show_fields(out, found))


def _parted(changes: list[str]) -> dict[str, str]:
    parted = {}
    for change in changes:
        field, sign, value = change.partition("=")
        if not sign:
            raise QueryError(f"`{change[:80]}` is no FIELD=VALUE.", hint="Write title=... or year=2021.")
        parted[field.strip()] = value
    return parted


def _show_fields(out: Console, found: tuple[Told, ...]) -> None:
    from quire.library.corrections import in_words

    for one in found:
        if one.value in (None, "", []) and not one.corrected:
            continue
        places = f" [dim]p. {', '.join(str(p) for p in sorted({at.page for at in one.places}))}[/]"
        mark = f" [yellow](yours; read: {safe(in_words(one.read)) or 'nothing'})[/]" if one.corrected else ""
        told = safe(in_words(one.value)) or "none"
        out.print(f"[bold]{one.field}[/]: {told}{mark}{places if one.places else ''}", soft_wrap=True)


def fetch_metadata(
    here: Online,
    papers: PapersOrAll = None,
    source: Annotated[
        str, typer.Option("--from", help="crossref, openalex or semantic_scholar.")
    ] = "crossref",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take everything without asking.")] = False,
) -> None:
    """Ask a registry what it says of papers (their DOI or title goes there), and take it if you agree.

    What is taken is a correction like that of `quire edit`: it holds when the paper is read again, and
    `quire edit PAPER --take-back all` undoes it. What you corrected yourself is left alone.
    """
    from quire.errors import DocumentError
    from quire.library.registries import Registries

    lib = here.open()
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
        if not here.as_json:
            _show_proposal(messages(), paper, source, proposal)
        if proposal and proposal.changes and (yes or (not here.as_json and _agreed())):
            lib.edit(paper.id, {name: then for name, (_, then) in proposal.changes.items()})
            taken = True
        found.append({"paper": paper.id, "proposal": proposal, "taken": taken})
    for paper, reason in failed:
        messages().print(f"[red]{safe(paper.name)}[/]: {safe(reason)}", soft_wrap=True)
    count = sum(bool(one["taken"]) for one in found)
    here.emit(found, f"{count} of {len(found)} papers corrected.", failed=bool(failed))


def _agreed() -> bool:
    return sys.stdin.isatty() and typer.confirm("Take it?", err=True)


def _show_proposal(out: Console, paper: Paper, source: str, proposal: Proposal | None) -> None:
    from quire.library.corrections import in_words

    out.print(f"[bold]{safe(paper.name)}[/]", soft_wrap=True)
    if proposal is None or not proposal.changes:
        told = "says the same" if proposal else "does not know it"
        out.print(f"  {source} {told}.")
        return
    for name, (now, then) in proposal.changes.items():
        out.print(f"  {name}: [red]- {safe(in_words(now)) or 'nothing'}[/]", soft_wrap=True)
        out.print(f"  {' ' * len(name)}  [green]+ {safe(in_words(then))}[/]", soft_wrap=True)
