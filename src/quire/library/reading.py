"""A library as it is read: papers, search, SQL, pages. Nothing here changes it.

Nothing is opened, loaded or started before it is needed. May be used by several threads.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

from quire.errors import PaperNotFound, QuireError
from quire.index.everything import Everything
from quire.index.search import Request, Searcher
from quire.library import (
    contents,
    encoding,
    exporting,
    intake,
    papers,
    searching,
)
from quire.library.contents import Contents, Counts
from quire.library.page_readers import PageReaders, PageWord, page_words, words_task
from quire.library.papers import Paper, several
from quire.library.resources import Resources
from quire.library.status import Status, status
from quire.settings import Settings
from quire.store import Sandbox, schema
from quire.store.locks import held_here
from quire.types import Box, Hits, ResultSet


class ReadLibrary:
    """One library folder, to read. `Library` adds what changes it."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.folder = settings.library
        self._resources = Resources(settings)
        self._sandbox = Sandbox(self._resources.database.path, settings.sql)
        self._searching = threading.Lock()  # the caches of a column's search are for one thread at a time
        self._readers = PageReaders(settings.parsing)
        weakref.finalize(self, _stop, self._sandbox, self._readers)

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
            names = tuple(_paper_id(connection, name) for name in several(papers))
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
