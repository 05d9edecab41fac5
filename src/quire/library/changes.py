"""The half of a library that changes it; what does the work is loaded by the first call.

Each change is one run under the writer's lock: `adding` reads and commits papers, `removing` takes them out,
`encoding` follows beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quire.library import corrections, indexing, papers
from quire.library.corrections import Told
from quire.library.papers import Paper
from quire.library.resources import Resources
from quire.settings import Settings
from quire.store import WriterLock, rows

if TYPE_CHECKING:
    from quire.library.checking import Health
    from quire.library.removing import Removed
    from quire.library.report import AddReport, OnProgress


class LibraryChanges:
    """What changes the library in a folder."""

    settings: Settings
    folder: Path
    _resources: Resources

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
        from quire.library import adding, finding
        from quire.library.fetching import Fetcher

        named = [paths] if isinstance(paths, str | Path) else list(paths)
        with Fetcher(self.settings, self.folder / "downloads") as fetcher:
            found = finding.find(named, skip=self.folder, fetch=fetcher.fetch)
            return adding.add(self._resources, found, password, progress)

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
        from quire.library import adding, finding

        with self._resources.database.reading() as connection:
            chosen = {papers.find(connection, name, failed=True).id for name in papers.several(names)}
            failed = rows.papers_where(connection, "state = 'failed'")
        places = [Path(paper.source_path) for paper in failed if not chosen or paper.paper_id in chosen]
        gone = [(place, "the file is no longer there") for place in places if not place.exists()]
        found = finding.FoundFiles([place for place in places if place.exists()], gone)
        return adding.add(self._resources, found, password, progress)

    def refresh(self, names: str | Iterable[str] = (), *, progress: OnProgress | None = None) -> AddReport:
        """Parse papers again that an older parser parsed (all, or those named), in place, and encode them.

        Each is replaced in one transaction, or stays as it is where that fails; a killed run goes on with the
        next one. Rows that say the same on the same page keep their ids, and what a model wrote about them.

        Raises:
            PaperNotFound: a name means no paper, or several; nothing is refreshed then.
            LibraryLocked: another process is changing the library.
        """
        from quire.library import adding

        asked = papers.several(names)
        with WriterLock(self._resources.existing()):
            with self._resources.database.reading() as connection:
                chosen = {papers.find(connection, name).id for name in asked}
                found = rows.papers_where(connection, "state <> 'failed'")
            wanted = [paper for paper in found if not asked or paper.paper_id in chosen]
            return adding.run(self._resources, lambda run: run.refresh(wanted), len(wanted), progress)

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
        from quire.library import adding

        wanted = corrections.checked(changes)
        with WriterLock(self._resources.existing()):
            with self._resources.database.reading() as connection:
                paper = papers.find(connection, name).id
            adding.run(self._resources, lambda run: run.correct(paper, wanted), 0)
            with self._resources.database.reading() as connection:
                return corrections.told(connection, paper)

    def remove(self, names: str | Iterable[str], *, keep: bool = True) -> list[Paper]:
        """Remove papers by any of their names (failed ones by id or file name); gives those removed.

        Their PDFs are kept for 30 days in the library's trash, unless `keep` is False; `restore` reads them
        in again.

        Raises:
            PaperNotFound: a name means no paper, or several; nothing is removed then.
            LibraryLocked: another process is changing the library.
        """
        from quire.library import removing

        return removing.remove(self._resources, names, keep=keep)

    def removed(self) -> list[Removed]:
        """The removed papers that `restore` can put back, the newest first."""
        from quire.library import removing

        if not (kept := removing.list_removed(self.folder)):
            return []
        with self._resources.database.reading() as connection:
            there = {paper.paper_id for paper in rows.papers_where(connection, "state <> 'failed'")}
        return [one for one in kept if one.id not in there]  # some may have been added again meanwhile

    def restore(self, names: str | Iterable[str], *, progress: OnProgress | None = None) -> AddReport:
        """Put removed papers back, by id, file name or title; one that cannot be read stays in the trash.

        Raises:
            PaperNotFound: no removed paper has that name, or several have; none is put back then.
            LibraryLocked: another process is changing the library.
        """
        from quire.library import adding, removing

        here, folder = self._resources, self.folder
        with WriterLock(here.existing()):
            removing.tidy(here)
            wanted = {one.id: one for one in (removing.find(folder, name) for name in papers.several(names))}

            def read(run: adding.Adding) -> None:
                run.recover(removing.sources_of(here, list(wanted.values())))
                done = [file.paper_id for file in run.reports if file.outcome != "failed"]
                removing.put_back(here, [wanted[paper] for paper in done])

            report = adding.run(here, read, len(wanted), progress)
        # The report has them under the names of their files.
        names_of = {removing.kept_copy(folder, one.id): Path(one.file_name) for one in wanted.values()}
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

        return checking.repair(self._resources, progress)

    def move_vectors(self, uri: str, *, progress: Callable[[str, int], None] | None = None) -> int:
        """Move all vectors to `files`, `milvus:PATH` or `milvus+http://HOST:PORT`; gives how many moved.

        The library remembers it in its `quire.toml`; open it again afterwards. `progress` gets the
        collection and the vectors so far.

        Raises:
            SettingsError: they are there already, or the settings file cannot be changed.
            UnknownNameError: there is no such backend.
            LibraryLocked: another process is changing the library.
        """
        with WriterLock(self._resources.existing()):
            return indexing.move_vectors(self._resources, uri, progress)
