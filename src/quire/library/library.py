"""A library: a folder that holds PDFs, their rows and their vectors, always consistent.

    from quire.library import Library

    with Library.open("my-papers") as library:
        report = library.add(["~/Downloads/*.pdf"])
        report.failed                                   # each with its reason
        library.search("residual connections")[0]       # Hit(page=3, bbox=..., section="3.2 ...", ...)
        library.sql("SELECT title FROM metadata").rows

One process changes a library at a time (LibraryLocked names it); any number may read between its commits.
A Library may be used by several threads.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from quire import settings as configuration
from quire.errors import LibraryError, LibraryFull, LibraryLocked
from quire.library import indexing, papers
from quire.library.reading import ReadLibrary
from quire.library.report import AddReport, OnProgress, StageMeter, missing_file
from quire.search.slots import IndexDamaged
from quire.store import WriterLock, rows
from quire.store.database import missing

if TYPE_CHECKING:
    from quire.library.adding import Adding
    from quire.library.checking import Health
    from quire.library.corrections import Told
    from quire.library.finding import FoundFiles
    from quire.library.papers import Paper
    from quire.library.removing import Removed


class Library(ReadLibrary):
    """One library folder. Nothing is opened, loaded or started before it is needed."""

    @classmethod
    def open(cls, path: Path | str | None = None, *, create: bool = False, **overrides: Any) -> Self:
        """The library in `path` (default: `$QUIRE_LIBRARY`, else the user's data folder).

        A folder that is not there is made by the first `add`, or now with `create`. `overrides` are settings
        with their dots as double underscores: `Library.open("x", parsing__workers=4)`.

        Raises:
            SettingsError: a setting is unknown or of the wrong type.
        """
        library = cls(configuration.load(path, **overrides))
        if create:
            library._create()
        return library

    def add(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        password: str | None = None,
        progress: OnProgress | None = None,
    ) -> AddReport:
        """Add files, folders, globs and lists of paths (`@file` or a `.txt`), and encode what waits.

        Also the PDFs of a BibTeX or RIS file and of Zotero's folder; `arxiv:ID`, `doi:ID` and addresses are
        downloaded, unless the settings say offline. Never raises for a file: each is in the
        report with what became of it.

        Raises:
            LibraryLocked: another process is changing the library.
            LibraryError: the folder cannot be written.
        """
        from quire.library import finding
        from quire.library.fetching import Fetcher

        named = [paths] if isinstance(paths, str | Path) else list(paths)
        with Fetcher(self.settings, self.folder / "downloads") as fetcher:
            found = finding.find(named, skip=self.folder, fetch=fetcher.fetch)
            return self._add(found, password, progress)

    def retry(
        self,
        names: str | Iterable[str] = (),
        *,
        password: str | None = None,
        progress: OnProgress | None = None,
    ) -> AddReport:
        """Read failed files again (all, or those named), from where they were added; encode what waits.

        Raises:
            PaperNotFound: a name means no paper, or several; nothing is read then.
        """
        from quire.library.finding import FoundFiles

        chosen = {self.any_paper(name).id for name in papers.several(names)}
        with self._resources.database.reading() as connection:
            failed = [paper for paper in papers.listed(connection) if paper.state == "failed"]
        failed = [paper for paper in failed if not chosen or paper.id in chosen]
        places = [Path(paper.source_path) for paper in failed]
        found = FoundFiles(
            [place for place in places if place.exists()],
            [(place, "the file is no longer there") for place in places if not place.exists()],
        )
        return self._add(found, password, progress)

    def refresh(self, names: str | Iterable[str] = (), *, progress: OnProgress | None = None) -> AddReport:
        """Parse papers again that an older parser parsed (all, or those named), in place, and encode them.

        Each is replaced in one transaction, or stays as it is where that fails; a killed run goes on with the
        next one. Rows that say the same on the same page keep their ids, and what a model wrote about them.

        Raises:
            PaperNotFound: a name means no paper, or several; nothing is refreshed then.
            LibraryLocked: another process is changing the library.
        """
        asked = papers.several(names)
        with WriterLock(self._existing()):
            chosen = [self.paper(name).id for name in asked]
            with self._resources.database.reading() as connection:
                found = rows.papers_where(connection, "state <> 'failed'")
            wanted = [paper for paper in found if not asked or paper.paper_id in chosen]
            return self._run(lambda adding: adding.refresh(wanted), len(wanted), progress)

    def edit(self, name: str, changes: Mapping[str, object]) -> tuple[Told, ...]:
        """Correct what a paper's metadata say, column by column; gives them all as they are now.

        `None` takes a correction back: what was read of the file counts again. `""` says that there is none.
        Corrections hold when the paper is read again, and are searched and exported like what was read.

        Raises:
            PaperNotFound: the name means no paper, or several.
            UnknownNameError: there is no such column, or it is not the user's to change.
            QueryError: a value does not fit its column.
            LibraryLocked: another process is changing the library.
        """
        from quire.library import corrections

        wanted = corrections.checked(changes)
        with WriterLock(self._existing()):
            paper = self.paper(name).id
            self._run(lambda adding: adding.correct(paper, wanted), 0, None)
        return self.told(paper)

    def remove(self, names: str | Iterable[str], *, keep: bool = True) -> list[Paper]:
        """Remove papers by any of their names (failed ones by id or file name); gives those removed.

        Their PDFs are kept for 30 days in the library's trash, unless `keep` is False; `restore` reads them
        in again.

        Raises:
            PaperNotFound: a name means no paper, or several; nothing is removed then.
            LibraryLocked: another process is changing the library.
        """
        from quire.library import removing

        asked = papers.several(names)
        with WriterLock(self._existing()):
            found = [self.any_paper(name) for name in asked]
            removing.remove(self._resources, found, keep=keep)
            with contextlib.suppress(LibraryLocked):
                self._resources.database.checkpoint()
        return found

    def removed(self) -> list[Removed]:
        """The removed papers that `restore` can put back, the newest first."""
        from quire.library import removing

        kept = removing.list_removed(self.folder)
        if not kept:
            return []
        there = {paper.id for paper in self.papers() if paper.state != "failed"}  # added again meanwhile
        return [one for one in kept if one.id not in there]

    def restore(self, names: str | Iterable[str], *, progress: OnProgress | None = None) -> AddReport:
        """Put removed papers back, by id, file name or title; one that cannot be read stays in the trash.

        Raises:
            PaperNotFound: no removed paper has that name, or several have; none is put back then.
            LibraryLocked: another process is changing the library.
        """
        from quire.library import removing

        asked = papers.several(names)
        with WriterLock(self._existing()):
            removing.tidy(self._resources)
            wanted = {one.id: one for one in (removing.find(self.folder, name) for name in asked)}

            def read(adding: Adding) -> None:
                adding.recover(removing.sources_of(self._resources, list(wanted.values())))
                done = [file.paper_id for file in adding.reports if file.outcome != "failed"]
                removing.put_back(self._resources, [wanted[paper] for paper in done])

            report = self._run(read, len(wanted), progress)
        names_of = {removing.kept_copy(self.folder, one.id): Path(one.file_name) for one in wanted.values()}
        files = tuple(replace(file, path=names_of.get(file.path, file.path)) for file in report.files)
        return replace(report, files=files)

    def check(self) -> Health:
        """Account for every row, entry, vector and copy; what is amiss is listed."""
        from quire.library import checking

        return checking.check(self._resources)

    def repair(self, *, progress: OnProgress | None = None) -> Health:
        """Finish or make again whatever `check` finds; gives what is still amiss, and what was made again.

        A lost database is made again from the copies in `papers/`.

        Raises:
            LibraryLocked: another process is changing the library.
        """
        from quire.library import checking

        if any(self._resources.papers.glob("*.pdf")):
            self._create()
        with WriterLock(self._existing()):
            notes = checking.repair(self._resources, progress)
            self._resources.database.checkpoint()
        self._papers_came()
        return replace(self.check(), notes=tuple(notes))

    def move_vectors(self, uri: str, *, progress: Callable[[str, int], None] | None = None) -> int:
        """Move all vectors to `files`, `milvus:PATH` or `milvus+http://HOST:PORT`; gives how many moved.

        The library remembers it in its `quire.toml`; open it again afterwards. `progress` gets the
        collection and the vectors so far.

        Raises:
            SettingsError: they are there already, or the settings file cannot be changed.
            UnknownNameError: there is no such backend.
            LibraryLocked: another process is changing the library.
        """
        with WriterLock(self._existing()):
            return indexing.move_vectors(self._resources, uri, progress)

    def _add(self, found: FoundFiles, password: str | None, progress: OnProgress | None) -> AddReport:
        from quire.library import cluster

        cluster.require(self.settings.parsing.workers)
        if not found.files and not self._resources.database.exists():  # of nothing no library is made
            reports = tuple(missing_file(path, reason) for path, reason in found.missing)
            return AddReport(reports, notes=tuple(found.notes))
        self._create()
        with WriterLock(self.folder):
            total = len(found.files) + len(found.missing)
            return self._run(lambda adding: adding.run(found), total, progress, password)

    def _run(
        self,
        parse: Callable[[Adding], None],
        total: int,
        progress: OnProgress | None,
        password: str | None = None,
    ) -> AddReport:
        """Parse, and encode meanwhile; the caller holds the writer's lock."""
        from quire.library import checking
        from quire.library.adding import Adding
        from quire.library.encoding import Encoding, encode

        started = time.monotonic()
        notes = indexing.bring_up(self._resources)
        with self._resources.index.writing() as writer, Encoding(self._resources, progress) as encoding:
            meter = StageMeter("parse", total, progress)
            adding = Adding(self._resources, meter, writer, encoding.wake, password)
            parse(adding)
        notes += adding.notes
        made, told = encoding.made, encoding.notes
        if adding.damage or encoding.damage:
            try:
                notes += indexing.bring_up(self._resources, encoding.damage)
                more, told = encode(self._resources, progress)
                made += more
            except (IndexDamaged, LibraryFull) as error:
                told = [f"{error} It is made up by the next command."]
        notes += [*told, *checking.strays_told(self._resources)]
        with contextlib.suppress(LibraryLocked):  # a long reader: all is in, the log is folded next time
            self._resources.database.checkpoint()
        self._papers_came()
        return AddReport(tuple(adding.reports), made, tuple(notes), time.monotonic() - started)

    def _papers_came(self) -> None:
        """Papers may be there that were not, or are back: what takes part in a library hears of it here."""

    def _create(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not self._resources.database.exists():
                with WriterLock(self.folder):
                    self._resources.database.create()
        except OSError as error:
            raise LibraryError(
                f"The folder {self.folder} cannot be used: {error.strerror or error}.",
                hint="Choose another with --library.",
            ) from error

    def _existing(self) -> Path:
        if not self._resources.database.exists():
            raise missing(self._resources.database.path)
        return self.folder
