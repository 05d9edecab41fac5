"""Commands about what a library holds: add, watch, retry, refresh, remove, restore, status, check, repair."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quire.app.cli.options import Here, LibraryDir, Online, PapersOrAll, Parser, Password, open_library
from quire.app.cli.output import listing, messages, safe

if TYPE_CHECKING:
    from rich.console import Console

    from quire.build import Library
    from quire.library import Paper
    from quire.library.checking import Health
    from quire.library.contents import Status
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
    summaries: Annotated[
        bool, typer.Option("--summaries", help="Let the configured model write the summaries afterwards.")
    ] = False,
) -> None:
    """Add PDFs. What is in already is left alone; a changed file replaces its rows.

    A file that an older version of quire parsed is parsed again.
    """
    lib = here.open(create=True, parsing__parser=parser or None, parsing__workers=workers)
    with here.stages() as progress:
        report = lib.add(paths, password=password, progress=progress)
    if summaries:
        _summarise(lib)
    _finish(here, report)


def _summarise(lib: Library) -> None:
    from quire.app.cli.config import estimated
    from quire.library import summaries

    writer, see = lib.summarisers()
    todo = summaries.plan(lib, writer)
    screen = messages()
    screen.print(estimated(summaries.estimate(todo, writer, see)), soft_wrap=True)
    with screen.status("summarising"):
        stopped = summaries.summarise(lib, todo, writer, see).stopped
    if stopped:
        screen.print(f"[yellow]Summaries stopped: {safe(stopped)}[/]", soft_wrap=True)


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
    here.emit(document, lambda out: _show(out, report), failed=bool(report.failed))


def _show(out: Console, report: AddReport) -> None:
    rows = []
    for file in sorted(report.files, key=lambda each: (list(_COLOURS).index(each.outcome), each.path.name)):
        if file.outcome != "unchanged" or len(report.files) <= 20:
            outcome = f"[{_COLOURS[file.outcome]}]{file.outcome}[/]"
            cells = safe(file.path.name), str(file.pages or ""), safe(file.reason or file.title)
            rows.append((outcome, *cells))
    if rows:
        listing(out, ("outcome", "file", "pages", "title or reason"), rows)
    for file in report.files:
        for note in file.notes:
            out.print(f"[yellow]{safe(file.path.name)}: {safe(note)}[/]", soft_wrap=True)
    for note in report.notes:
        out.print(f"[yellow]{safe(note)}[/]", soft_wrap=True)
    told = ", ".join(f"{len(report.of(name))} {name}" for name in _COLOURS if report.of(name))  # type: ignore[arg-type]
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
