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
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from quire import settings as configuration
from quire.errors import LibraryError, LibraryLocked
from quire.library import (
    checking,
    encoding,
    finding,
    papers,
    removing,
    vectors,
)
from quire.library.adding import Adding
from quire.library.checking import Health
from quire.library.fetching import Fetcher
from quire.library.finding import FoundFiles
from quire.library.papers import Paper
from quire.library.reading import ReadLibrary
from quire.library.report import AddReport, Meter, OnProgress
from quire.store import WriterLock, rows
from quire.store.database import missing


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
        named = [paths] if isinstance(paths, str | Path) else list(paths)
        with Fetcher(self.settings, self.folder / "downloads") as fetcher:
            found = finding.find(named, skip=self.folder, fetch=fetcher.fetch)
            return self._add(found, password, progress)

    def retry(self, *, password: str | None = None, progress: OnProgress | None = None) -> AddReport:
        """Read the failed files again, from where they were added, and encode what waits."""
        with self._resources.database.reading() as connection:
            failed = [paper for paper in papers.listed(connection) if paper.state == "failed"]
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
        asked = [names] if isinstance(names, str) else list(names)
        with WriterLock(self._existing()):
            chosen = [self.paper(name).id for name in asked]
            with self._resources.database.reading() as connection:
                found = rows.papers_where(connection, "state <> 'failed'")
            wanted = [paper for paper in found if not asked or paper.paper_id in chosen]
            adding = Adding(self._resources, Meter("parse", len(wanted), progress))
            return self._run(lambda: adding.refresh(wanted), adding, progress)

    def remove(self, names: str | Iterable[str]) -> list[Paper]:
        """Remove papers by any of their names (failed ones by id or file name); gives those removed.

        Raises:
            PaperNotFound: a name means no paper, or several; nothing is removed then.
            LibraryLocked: another process is changing the library.
        """
        asked = [names] if isinstance(names, str) else list(names)
        with WriterLock(self._existing()):
            found = [self.any_paper(name) for name in asked]
            removing.remove(self._resources, [paper.id for paper in found])
            with contextlib.suppress(LibraryLocked):
                self._resources.database.checkpoint()
        return found

    def check(self) -> Health:
        """Account for every row, entry, vector and copy; what is amiss is listed."""
        return checking.check(self._resources)

    def repair(self, *, progress: OnProgress | None = None) -> Health:
        """Finish or make again whatever `check` finds; gives what is still amiss, and what was made again.

        A lost database is made again from the copies in `papers/`.

        Raises:
            LibraryLocked: another process is changing the library.
        """
        if any(self._resources.papers.glob("*.pdf")):
            self._create()
        with WriterLock(self._existing()):
            notes = checking.repair(self._resources, progress)
            self._resources.database.checkpoint()
        return replace(self.check(), notes=tuple(notes))

    def move_vectors(self, uri: str, *, progress: Callable[[str, int], None] | None = None) -> int:
        """Move all vectors to `duckdb`, `milvus:PATH` or `milvus+http://HOST:PORT`; gives how many moved.

        The library remembers it in its `quire.toml`; open it again afterwards. `progress` gets the
        collection and the vectors so far.

        Raises:
            SettingsError: they are there already, or the settings file cannot be changed.
            UnknownNameError: there is no such backend.
            LibraryLocked: another process is changing the library.
        """
        with WriterLock(self._existing()):
            return vectors.move(self._resources, uri, progress)

    def _add(self, found: FoundFiles, password: str | None, progress: OnProgress | None) -> AddReport:
        self._create()
        with WriterLock(self.folder):
            meter = Meter("parse", len(found.files) + len(found.missing), progress)
            adding = Adding(self._resources, meter, password)
            return self._run(lambda: adding.run(found), adding, progress)

    def _run(self, parse: Callable[[], None], adding: Adding, progress: OnProgress | None) -> AddReport:
        """Parse and encode; the caller holds the writer's lock."""
        started = time.monotonic()
        parse()
        encoded, notes = encoding.encode(self._resources, progress)
        notes += checking.strays_told(self._resources)
        if encoded:  # so that the first search need not
            with self._resources.database.reading() as connection:
                self._everything.snapshot(connection, fresh=True)
        with contextlib.suppress(LibraryLocked):  # a long reader: all is in, the log is folded next time
            self._resources.database.checkpoint()
        return AddReport(tuple(adding.reports), encoded, tuple(notes), time.monotonic() - started)

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
