"""What changes a library, from what a user names to a report: each is one run under the writer's lock.

`adding` reads and commits papers, `removing` takes them out, `encoding` follows beside them.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from quire.errors import LibraryFull, LibraryLocked
from quire.library import checking, cluster, corrections, finding, indexing, removing
from quire.library.adding import Adding
from quire.library.encoding import Encoding, encode
from quire.library.fetching import Fetcher
from quire.library.finding import FoundFiles
from quire.library.papers import find, several
from quire.library.report import AddReport, OnProgress, StageMeter, missing_file
from quire.library.resources import Resources
from quire.search.slots import IndexDamaged
from quire.store import WriterLock, rows


def add(
    resources: Resources,
    paths: str | Path | Iterable[str | Path],
    password: str | None,
    progress: OnProgress | None,
) -> AddReport:
    """Add what the paths name; what is in the network is downloaded for as long as that takes."""
    named = [paths] if isinstance(paths, str | Path) else list(paths)
    with Fetcher(resources.settings, resources.folder / "downloads") as fetcher:
        found = finding.find(named, skip=resources.folder, fetch=fetcher.fetch)
        return _add(resources, found, password, progress)


def retry(
    resources: Resources, names: str | Iterable[str], password: str | None, progress: OnProgress | None
) -> AddReport:
    """Add failed files once more (all, or those named), from where they were."""
    with resources.database.reading() as connection:
        chosen = {find(connection, name, failed=True).id for name in several(names)}
        failed = rows.papers_where(connection, "state = 'failed'")
    places = [Path(paper.source_path) for paper in failed if not chosen or paper.paper_id in chosen]
    gone = [(place, "the file is no longer there") for place in places if not place.exists()]
    return _add(resources, FoundFiles([p for p in places if p.exists()], gone), password, progress)


def refresh(resources: Resources, names: str | Iterable[str], progress: OnProgress | None) -> AddReport:
    """Parse papers again (all, or those named) that an older parser parsed."""
    asked = several(names)
    with WriterLock(resources.existing()):
        with resources.database.reading() as connection:
            chosen = {find(connection, name).id for name in asked}
            found = rows.papers_where(connection, "state <> 'failed'")
        wanted = [paper for paper in found if not asked or paper.paper_id in chosen]
        return _run(resources, lambda adding: adding.refresh(wanted), len(wanted), progress)


def edit(resources: Resources, name: str, changes: Mapping[str, object]) -> str:
    """Correct a paper's metadata; gives its id."""
    wanted = corrections.checked(changes)
    with WriterLock(resources.existing()):
        with resources.database.reading() as connection:
            paper = find(connection, name).id
        _run(resources, lambda adding: adding.correct(paper, wanted), 0, None)
    return paper


def restore(resources: Resources, names: str | Iterable[str], progress: OnProgress | None) -> AddReport:
    """Read removed papers in again; the report has them under the names of their files."""
    asked, folder = several(names), resources.folder
    with WriterLock(resources.existing()):
        removing.tidy(resources)
        wanted = {one.id: one for one in (removing.find(folder, name) for name in asked)}

        def read(adding: Adding) -> None:
            adding.recover(removing.sources_of(resources, list(wanted.values())))
            done = [file.paper_id for file in adding.reports if file.outcome != "failed"]
            removing.put_back(resources, [wanted[paper] for paper in done])

        report = _run(resources, read, len(wanted), progress)
    names_of = {removing.kept_copy(folder, one.id): Path(one.file_name) for one in wanted.values()}
    files = tuple(replace(file, path=names_of.get(file.path, file.path)) for file in report.files)
    return replace(report, files=files)


def _add(
    resources: Resources, found: FoundFiles, password: str | None, progress: OnProgress | None
) -> AddReport:
    cluster.require(resources.settings)
    if not found.files and not resources.database.exists():  # of nothing no library is made
        reports = tuple(missing_file(path, reason) for path, reason in found.missing)
        return AddReport(reports, notes=tuple(found.notes))
    resources.create()
    with WriterLock(resources.folder):
        total = len(found.files) + len(found.missing)
        return _run(resources, lambda adding: adding.run(found), total, progress, password)


def _run(
    resources: Resources,
    parse: Callable[[Adding], None],
    total: int,
    progress: OnProgress | None,
    password: str | None = None,
) -> AddReport:
    """Parse, and encode meanwhile; the caller holds the writer's lock."""
    started = time.monotonic()
    notes = indexing.bring_up(resources)
    with resources.index.writing() as writer, Encoding(resources, progress) as encoding:
        adding = Adding(resources, StageMeter("parse", total, progress), writer, encoding.wake, password)
        parse(adding)
    notes += adding.notes
    made, told = encoding.made, encoding.notes
    if adding.damage or encoding.damage:
        try:
            notes += indexing.bring_up(resources, encoding.damage)
            more, told = encode(resources, progress)
            made += more
        except (IndexDamaged, LibraryFull) as error:
            told = [f"{error} It is made up by the next command."]
    notes += [*told, *checking.strays_told(resources)]
    with contextlib.suppress(LibraryLocked):  # a long reader: all is in, the log is folded next time
        resources.database.checkpoint()
    if resources.learner:
        resources.learner.revive()
    return AddReport(tuple(adding.reports), made, tuple(notes), time.monotonic() - started)
