"""Commands about what a library holds: papers, what is known of them, and whether all of it is whole.

What a paper says of itself is corrected by hand, or fetched from registries by its DOI or title.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import (
    Here,
    LibraryDir,
    Online,
    PaperName,
    PapersOrAll,
    Parser,
    Password,
    open_library,
)
from quire.app.cli.output import listing, messages, safe

if TYPE_CHECKING:
    from rich.console import Console

    from quire.build import Library
    from quire.library import Paper
    from quire.library.checking import Health
    from quire.library.contents import Status
    from quire.library.corrections import Told
    from quire.library.registries import Proposal
    from quire.library.report import AddReport

Workers = Annotated[
    str | None,
    typer.Option(help="Parallel parsers here, or a cluster: ray (starts one here), ray://HOST:PORT."),
]

_COLOURS = {
    "added": "green",
    "updated": "green",
    "refreshed": "green",
    "unchanged": "dim",
    "duplicate": "yellow",
    "failed": "red",
}


def add(
    here: Online,
    paths: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders, globs, @LIST of paths, .bib, .ris, Zotero's folder, arxiv:ID, doi:ID, URL."
        ),
    ],
    password: Password = None,
    parser: Parser = "",
    workers: Workers = None,
) -> None:
    """Add PDFs. What is in already is left alone; a changed file replaces its rows.

    A file that an older version of quire parsed is parsed again.
    """
    lib = here.open(create=True, parsing__parser=parser or None, parsing__workers=workers)
    with here.stages() as progress:
        report = lib.add(paths, password=password, progress=progress)
    _finish(here, report)


def retry(here: Here, names: PapersOrAll = None, password: Password = None, workers: Workers = None) -> None:
    """Read the files that failed once more (with a password, where they want one); encode what waits."""
    lib = here.open(parsing__workers=workers)
    with here.stages() as progress:
        report = lib.retry(names or (), password=password, progress=progress)
    _finish(here, report)


def refresh(here: Here, names: PapersOrAll = None, workers: Workers = None) -> None:
    """Parse papers again that an older version of quire parsed, in place; `quire status` counts them."""
    lib = here.open(parsing__workers=workers)
    with here.stages() as progress:
        report = lib.refresh(names or (), progress=progress)
    _finish(here, report)


def _finish(here: Here, report: AddReport) -> None:
    counts = {name: len(report.of(name)) for name in _COLOURS}  # type: ignore[arg-type]
    took = {"encoded": report.encoded, "seconds": report.seconds}
    document = {**counts, **took, "notes": report.notes, "files": report.files}
    here.emit(document, lambda out: _show(out, report, counts), failed=bool(report.failed))


def _show(out: Console, report: AddReport, counts: Mapping[str, int]) -> None:
    rows = []
    for file in sorted(report.files, key=lambda each: (list(_COLOURS).index(each.outcome), each.path.name)):
        if file.outcome != "unchanged" or len(report.files) <= 20:
            outcome = f"[{_COLOURS[file.outcome]}]{file.outcome}[/]"
            cells = safe(file.path.name), str(file.pages or ""), safe(file.reason or file.title)
            rows.append((outcome, *cells))
    if rows:
        listing(out, ("outcome", "file", "pages", "title or reason"), rows)
    notes = [f"{file.path.name}: {note}" for file in report.files for note in file.notes]
    for note in (*notes, *report.notes):
        out.print(f"[yellow]{safe(note)}[/]", soft_wrap=True)
    told = ", ".join(f"{number} {name}" for name, number in counts.items() if number)
    pages = sum(file.pages for file in (*report.added, *report.updated, *report.refreshed))
    work = f"{pages} pages, {report.encoded} vectors in {report.seconds:.1f} s"
    out.print(f"[bold]{told or 'Nothing to do'}[/]; {work}.")


def remove(
    here: Here,
    names: Annotated[list[str], typer.Argument(help="Papers: id, file name, title or DOI.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, whatever the names mean.")] = False,
    for_good: Annotated[bool, typer.Option("--for-good", help="Keep nothing for `quire restore`.")] = False,
) -> None:
    """Take papers out of the library; `quire restore` has them for 30 days. Your own files stay.

    A part of a title or of a file's name is asked about first.
    """
    lib = here.open()
    meant = [lib.any_paper(name) for name in names]
    if not yes:
        _ask_about_parts(lib, names, meant)
    removed = lib.remove([paper.id for paper in meant], keep=not for_good)
    back = {paper.id for paper in lib.removed()}

    def show(out: Console) -> None:
        for paper in removed:
            told = f" `quire restore {paper.id[:8]}` puts it back." if paper.id in back else ""
            out.print(f"Removed {safe(paper.name)} ({paper.id}).{told}", soft_wrap=True)

    here.emit({"removed": removed}, show)


def _ask_about_parts(lib: Library, names: list[str], meant: list[Paper]) -> None:
    """Have the user agree to what parts of names mean.

    Raises:
        LibraryError: nobody can be asked.
    """
    from quire.errors import LibraryError, PaperNotFound

    parts = []
    for name, paper in zip(names, meant, strict=True):
        try:
            lib.any_paper(name, whole=True)
        except PaperNotFound:
            parts.append(f"`{name}` means {paper.name} ({paper.file_name}, {paper.id[:8]}).")
    if not parts:
        return
    if not sys.stdin.isatty():
        hint = "Nothing was removed. Name it whole or by its id, or add --yes."
        raise LibraryError(" ".join(parts), hint=hint)
    for part in parts:
        messages().print(safe(part), soft_wrap=True)
    typer.confirm("Remove it?" if len(parts) == 1 else "Remove them?", abort=True, err=True)


def restore(
    here: Here,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PAPER]...", help="Removed papers: id, file name or title. Default: list."),
    ] = None,
) -> None:
    """Put papers back that were removed within 30 days; without names: list them."""
    lib = here.open()
    if names:
        with here.stages() as progress:
            report = lib.restore(names, progress=progress)
        _finish(here, report)
        return
    found, heads = lib.removed(), ("id", "file", "kept until", "title")
    rows = [[one.id[:8], safe(one.file_name), f"{one.until:%Y-%m-%d}", safe(one.title)] for one in found]
    here.emit({"removed": found}, lambda out: listing(out, heads, rows, nothing="Nothing was removed."))


def status(here: Here, all_: Annotated[bool, typer.Option("--all", help="List all papers.")] = False) -> None:
    """What the library holds, what failed and why, and what still waits to be encoded."""
    found = here.open().status()
    here.emit(found, lambda out: _show_status(out, found, all_))


def _show_status(out: Console, found: Status, everything: bool) -> None:
    out.print(f"[bold]{safe(found.folder)}[/]  {found.bytes / 1e6:.1f} MB on disk")
    rows = []
    for paper in found.papers:
        said = f"[red]{safe(paper.error)}[/]" if paper.state == "failed" else safe(paper.title)
        state = f"{paper.state}, scan" if paper.scanned else paper.state
        year = str(paper.year or "")
        rows.append([paper.id[:8], safe(paper.file_name), str(paper.pages), year, state, said])
    listing(out, ("id", "file", "pages", "year", "state", "title"), rows, everything=everything)
    from quire.pdf.scans import OCR_HINT

    if scans := sum(paper.scanned for paper in found.papers):
        told = f"{scans} paper{' is' if scans == 1 else 's are'} scanned in part or whole. {OCR_HINT}"
        out.print(f"[yellow]{safe(told)}[/]", soft_wrap=True)
    if found.old:
        told = f"{found.old} papers were parsed by an older version of quire"
        out.print(f"[yellow]{told}; `quire refresh` parses them again.[/]", soft_wrap=True)
    out.print("rows: " + ", ".join(f"{count} {name}" for name, count in found.rows.items()))
    for name, count in found.vectors.items():
        waiting = found.waiting.get(name, 0)
        waits = f", {waiting} waiting (`quire retry` goes on)" if waiting else ""
        out.print(f"{name}: {count} entries{waits}")
    for what, hint in found.unavailable.items():
        out.print(f"[yellow]{safe(what)} {safe(hint)}[/]", soft_wrap=True)


def check(here: Here) -> None:
    """Account for every row, vector and copy. Exit code 1 if something is amiss."""
    _show_health(here, here.open().check())


def repair(here: Here) -> None:
    """Finish or make again whatever `quire check` finds."""
    lib = here.open()
    with here.stages() as progress:
        health = lib.repair(progress=progress)
    _show_health(here, health)


def _show_health(here: Here, health: Health) -> None:
    def show(out: Console) -> None:
        for problem in health.problems:
            colour = "yellow" if problem.waiting else "red"
            out.print(f"[{colour}]{safe(problem.kind)}[/]: {safe(problem.detail)}", soft_wrap=True)
        for note in health.notes:
            out.print(safe(note), soft_wrap=True)
        if not health.problems:
            out.print("[green]Everything is accounted for.[/]")

    here.emit(health, show, failed=not health.ok)


_State = dict[Path, tuple[int, int]]  # size and time of change of each file


def watch(
    folders: Annotated[list[Path], typer.Argument(help="Folders to watch.")],
    interval: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 3.0,
    library: LibraryDir = None,
) -> None:
    """Add what comes into folders, and what changes there, until Ctrl-C. What goes stays in the library."""
    screen = messages()
    for folder in folders:
        if not folder.is_dir():
            raise typer.BadParameter(f"There is no folder {folder}.")
    lib = open_library(library, create=True)
    names = ", ".join(str(folder) for folder in folders)
    screen.print(f"Watching {safe(names)} (Ctrl-C ends it).", soft_wrap=True)
    before: _State = {}
    done: _State = {}
    while True:
        before = look(lib, folders, before, done)
        time.sleep(interval)


def look(lib: Library, folders: list[Path], before: _State, done: _State) -> _State:
    """Add the files that are as they were at the last look, and not yet in so; gives how all are now.

    A file that is still being written changes between two looks. `done` takes what was added.
    """
    from quire.errors import LibraryLocked
    from quire.library.finding import find

    now = {file: _state(file) for file in find(folders, skip=lib.folder).files}
    ready = [file for file, state in now.items() if before.get(file) == state != done.get(file)]
    if not ready:
        return now
    screen = messages()
    try:
        report = lib.add(ready)
    except LibraryLocked as error:
        screen.print(f"[yellow]{safe(error.message)} Trying again.[/]", soft_wrap=True)
        return now
    done.update({file: now[file] for file in ready})
    for file in report.files:
        if file.outcome != "unchanged":
            said = safe(file.reason or file.title)
            screen.print(f"{file.outcome} {safe(file.path.name)}  {said}", soft_wrap=True)
    return now


def _state(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return -1, -1
    return found.st_size, found.st_mtime_ns


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
    from quire.errors import QueryError

    for change in changes:
        if "=" not in change:
            raise QueryError(f"`{change[:80]}` is no FIELD=VALUE.", hint="Write title=... or year=2021.")
    pairs = (change.split("=", 1) for change in changes)
    return {field.strip(): value for field, value in pairs}


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
        if not here.as_json:
            _show_proposal(messages(), paper, source, proposal)
        changes = proposal.changes if proposal else {}
        taken = bool(changes) and (yes or (not here.as_json and _agreed()))
        if taken:
            lib.edit(paper.id, {name: then for name, (_, then) in changes.items()})
        found.append({"paper": paper.id, "proposal": proposal, "taken": taken})
    for paper, reason in failed:
        messages().print(f"[red]{safe(paper.name)}[/]: {safe(reason)}", soft_wrap=True)
    taken_in = sum(bool(one["taken"]) for one in found)
    here.emit(found, f"{taken_in} of {len(found)} papers corrected.", failed=bool(failed))


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
