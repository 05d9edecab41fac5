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
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

from quire import settings as configuration
from quire.errors import LibraryError, LibraryLocked, PaperNotFound, QuireError
from quire.index.everything import Everything
from quire.index.search import Request, Searcher
from quire.library import (
    checking,
    contents,
    encoding,
    exporting,
    finding,
    intake,
    papers,
    removing,
    searching,
    vectors,
)
from quire.library.adding import Adding
from quire.library.checking import Health
from quire.library.contents import Contents, Counts
from quire.library.fetching import Fetcher
from quire.library.finding import FoundFiles
from quire.library.page_readers import PageReaders, PageWord, page_words, words_task
from quire.library.papers import Paper
from quire.library.report import AddReport, Meter, OnProgress
from quire.library.resources import Resources
from quire.library.status import Status, status
from quire.settings import Settings
from quire.store import Sandbox, WriterLock, rows, schema
from quire.store.database import missing
from quire.store.locks import held_here
from quire.types import Box, Hits, ResultSet


class Library:
    """One library folder. Nothing is opened, loaded or started before it is needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.library
        self._resources = Resources(settings)
        self._sandbox = Sandbox(self._resources.database.path, settings.sql)
        self._searching = threading.Lock()  # the caches of a column's search are for one thread at a time
        self._readers = PageReaders(settings.parsing)
        weakref.finalize(self, _stop, self._sandbox, self._readers)

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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Load and start what the first search, query and picture would otherwise wait for."""
        self._readers.warm()
        with contextlib.suppress(QuireError):  # whoever asks first hears of it
            self.sql("SELECT count(*) FROM metadata")
            self.search("warm")

    def close(self) -> None:
        """End the child processes. The library may be used again afterwards."""
        _stop(self._sandbox, self._readers)

    # ------------------------------------------------------------------ changing

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

    # ------------------------------------------------------------------ reading

    def status(self) -> Status:
        """How the library stands."""
        return status(self._resources)

    def papers(self) -> list[Paper]:
        """All papers, failed ones too, in the order in which they were added."""
        with self._resources.database.reading() as connection:
            return papers.listed(connection)

    def bibtex(self, papers: Sequence[str]) -> dict[str, str]:
        """BibTeX entries of papers (ids), in their order; no two have the same key."""
        with self._resources.database.reading() as connection:
            return exporting.entries(connection, papers)

    def tags(self) -> dict[str, tuple[str, ...]]:
        """The key words of the papers, by id."""
        with self._resources.database.reading() as connection:
            rows = connection.execute("SELECT paper_id::VARCHAR, tags FROM metadata").fetchall()
        return {paper: tuple(tags or ()) for paper, tags in rows}

    def paper(self, name: str) -> Paper:
        """The paper of that id, unique beginning of an id, file name, title, DOI or arXiv id.

        Raises:
            PaperNotFound: none, or several; the message names what was probably meant.
        """
        with self._resources.database.reading() as connection:
            return papers.find(connection, name)

    def any_paper(self, name: str) -> Paper:
        """As `paper`; a failed one, too, by its id, file name or path.

        Raises:
            PaperNotFound: none, or several.
        """
        with self._resources.database.reading() as connection:
            failed = [
                paper
                for paper in papers.listed(connection)
                if paper.state == "failed" and name in (paper.id, paper.file_name, paper.source_path)
            ]
            return failed[0] if len(failed) == 1 else papers.find(connection, name)

    def search(
        self,
        query: str,
        *,
        papers: Sequence[str] = (),
        part: str = "",
        collection: str | None = None,
        table: str = "",
        column: str = "",
        filter: str = "",
        limit: int = 5,
        words: int = 300,
        why: bool = False,
        memory: bool = True,
    ) -> Hits:
        """What answers the query best: passages around the sentence, row, caption or heading that speaks.

        Everything is looked through, or one `part` of it: text, tables, figures, headings or titles; `why`
        adds what moved each hit up or down; a passage has about so many `words` at most; with `memory`, what
        the library learned of its users' verdicts counts. With a `table` and `column`, a `collection` (None
        fuses keywords and vectors) or a `filter` (a Milvus boolean expression over pdf_id, page_number,
        primary_key and bbox) the cells of one column are searched, by default the passages. `papers` are
        names as in `paper`.

        Raises:
            QueryError: empty query, bad limit, wrong column, collection or filter.
            UnknownNameError: there is no such part.
            PaperNotFound: a name means no paper, or several.
        """
        with self._resources.database.reading() as connection:
            names = tuple(_paper_id(connection, name) for name in papers)
            if not (table or column or filter or collection):
                adjust = self._adjust() if memory else None
                asked = searching.Wanted(query, names, part, limit, words, why, adjust)
                return searching.everything(connection, self._everything, asked)
            request = Request(
                query, collection, table or "chunks", column or "text_content", names, filter, limit
            )
            with self._searching:
                found = self._searcher.search(connection, request)
            return Hits(searching.hits(connection, found, request))

    def sql(self, sql: str) -> ResultSet:
        """The rows of one read-only statement over the public tables, run in a limited child process.

        Raises:
            SqlError: it does not run; the message names the nearest table or column.
            SqlRefused: it does more than read the public tables.
            QueryLimit: it ran into a limit.
        """
        return self._sandbox.query(sql)

    def schema(self) -> tuple[schema.Table, ...]:
        """The public tables, described."""
        return schema.TABLES

    def page_text(self, paper: str, page: int) -> str:
        """The text of one page (from 1) in reading order.

        Raises:
            PaperNotFound: there is no such paper, or no such page of it.
        """
        with self._resources.database.reading() as connection:
            found = papers.find(connection, paper)
            rows = connection.execute(
                "SELECT page_content FROM pages WHERE ref_paper_id = ?::UUID AND page_number = ?",
                [found.id, page],
            ).fetchall()
        if not rows:
            raise PaperNotFound(f"{found.name} has no page {page}.", hint=f"It has {found.pages} pages.")
        return str(rows[0][0])

    def render(
        self, paper: str, page: int, *, box: Box | None = None, marks: Sequence[Box] = (), dpi: float = 150
    ) -> bytes:
        """A PNG of a page (from 1), or of a box of it, with `marks` drawn over it.

        Raises:
            PaperNotFound: there is no such paper, or no such page of it.
            DocumentError: the page cannot be drawn within the limits of a file.
        """
        _, copy = self._page(paper, page)
        task = encoding.render_task(copy, page, box, [tuple(mark) for mark in marks], dpi)
        return self._readers.ask(task)

    def page_words(self, paper: str, page: int) -> list[PageWord]:
        """The words of a page (from 1) in the order of its lines, each with its box.

        Raises:
            PaperNotFound: there is no such paper, or no such page of it.
            DocumentError: the page cannot be read within the limits of a file.
        """
        _, copy = self._page(paper, page)
        return page_words(self._readers.ask(words_task(copy, page)))

    def contents(self, paper: str) -> Contents:
        """What a paper consists of: outline, tables, figures, references, sizes of its pages.

        Raises:
            PaperNotFound: there is no such paper.
        """
        with self._resources.database.reading() as connection:
            return contents.contents(connection, papers.find(connection, paper))

    def counts(self) -> dict[str, Counts]:
        """How many tables, figures and so on every paper has, by its id."""
        with self._resources.database.reading() as connection:
            return contents.counts(connection)

    def file(self, paper: str) -> Path:
        """The library's own copy of a paper's PDF, not to be changed.

        Raises:
            PaperNotFound: there is no such paper, or its copy is gone.
        """
        found = self.any_paper(paper)
        copy = intake.copy_of(self._resources.papers, found.id)
        if not copy.exists():
            raise PaperNotFound(f"The PDF of {found.name} is gone.", hint="Add the file again.")
        return copy

    # ------------------------------------------------------------------ inside

    @cached_property
    def _searcher(self) -> Searcher:
        return Searcher(self._resources.backend, self._resources.available()[0])

    @cached_property
    def _everything(self) -> Everything:
        cache, changing = self.folder / "cache", partial(held_here, self.folder)
        return Everything(self._resources.backend, self._resources.available()[0], cache, changing)

    def _adjust(self) -> searching.Adjust | None:
        """What verdicts taught the search; a library that cannot be asked learns nothing."""
        return None

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

    def _page(self, paper: str, page: int) -> tuple[Paper, Path]:
        found = self.paper(paper)
        if not 1 <= page <= found.pages:
            raise PaperNotFound(f"{found.name} has no page {page}.", hint=f"It has {found.pages} pages.")
        return found, intake.copy_of(self._resources.papers, found.id)


def _paper_id(connection: Any, name: str) -> str:
    return papers.find(connection, name).id


def _stop(sandbox: Sandbox, readers: PageReaders) -> None:
    sandbox.close()
    readers.close()
