"""A library: a folder that holds PDFs, their rows and their vectors, always consistent.

    from quire.library import Library

    with Library.open("my-papers") as library:
        report = library.add(["~/Downloads/*.pdf"])
        report.failed                                   # each with its reason
        library.search("residual connections")[0]       # Hit(page=3, bbox=..., section="3.2 ...", ...)
        library.sql("SELECT title FROM metadata").rows

One process changes a library at a time (LibraryLocked names it); any number may read between its commits.
A Library may be used by several threads. What changes it stands in `changes`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from quire import settings as configuration
from quire.errors import PaperNotFound, QueryError, QuireError
from quire.library import citing, contents, corrections, indexing, intake, papers, searching
from quire.library.changes import LibraryChanges
from quire.library.citing import Cited
from quire.library.contents import Contents, Counts, Status
from quire.library.corrections import Told
from quire.library.papers import Paper, find, several
from quire.library.resources import Resources
from quire.library.views import UNKNOWN
from quire.search.cells import main_column
from quire.search.ranking import is_read
from quire.search.search import Request
from quire.settings import Settings
from quire.store import rows, schema
from quire.store.locks import refuse_links
from quire.types import LONGEST_QUESTION, Box, Hits, Piece, ResultSet

if TYPE_CHECKING:  # what one search does not need is loaded when it is
    from quire.library.exporting import Exported
    from quire.library.parsing import PageWord
    from quire.library.report import OnProgress
    from quire.pdf.links import PageLink
    from quire.search.view import View


class Library(LibraryChanges):
    """One library folder. Nothing is opened, loaded or started before it is needed."""

    def __init__(self, settings: Settings) -> None:
        """A library that may come from anybody.

        Raises:
            LibraryUnsafe: there is a link in its folder.
        """
        self.settings = settings
        self.folder = settings.library
        refuse_links(self.folder)
        self._resources = Resources(settings)
        self._ahead = ThreadPoolExecutor(1, "quire-load")  # loads MiniLM while the database is opened

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
            library._resources.create()
        return library

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Load and start what the first search, query and picture would otherwise wait for."""
        self._resources.pages.warm()
        with contextlib.suppress(QuireError):  # whoever asks first hears of it
            self.sql("SELECT count(*) FROM metadata")
            self.search("warm")

    def close(self) -> None:
        """End the child processes, let go of the index. The library may be used again afterwards."""
        self._resources.close()

    # ---------------------------------------------------------------- papers

    def status(self) -> Status:
        """How the library stands."""
        return contents.status(self._resources)

    def papers(self) -> list[Paper]:
        """All papers, failed ones too, in the order in which they were added."""
        with self._resources.database.reading() as connection:
            return papers.listed(connection)

    def paper(self, name: str) -> Paper:
        """The paper of that id, unique beginning of an id, file name, title, DOI or arXiv id.

        Raises:
            PaperNotFound: none, or several; the message names what was probably meant.
        """
        with self._resources.database.reading() as connection:
            return papers.find(connection, name, gone=self._restored_by)

    def any_paper(self, name: str, *, whole: bool = False) -> Paper:
        """As `paper`; a failed one, too, by its id, file name or path. `whole`: a part of a name is none.

        Raises:
            PaperNotFound: none, or several.
        """
        with self._resources.database.reading() as connection:
            return papers.find(connection, name, whole=whole, failed=True, gone=self._restored_by)

    def _restored_by(self, name: str) -> str:
        """What puts a removed paper of that name back; "" where none is kept."""
        from quire.library import removing

        with contextlib.suppress(PaperNotFound):
            return f"It was removed; `quire restore {removing.find(self.folder, name).id[:8]}` puts it back."
        return ""

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

    def told(self, paper: str) -> tuple[Told, ...]:
        """What a paper's metadata say, where that is printed, and what a user has corrected.

        Raises:
            PaperNotFound: there is no such paper.
        """
        with self._resources.database.reading() as connection:
            return corrections.told(connection, papers.find(connection, paper).id)

    def tags(self) -> dict[str, tuple[str, ...]]:
        """The key words of the papers, by id."""
        found = self.rows("SELECT paper_id, tags FROM metadata").rows
        return {paper: tuple(tags or ()) for paper, tags in found}

    def venues(self) -> dict[str, str]:
        """Where the papers appeared, by id; "" where they do not say."""
        found = self.rows("SELECT paper_id, conference_full FROM metadata").rows
        return {paper: "" if venue == UNKNOWN else str(venue or "") for paper, venue in found}

    def cited(self, papers: Sequence[str] = ()) -> dict[str, Cited]:
        """Papers (ids; none: all) as bibliographies have them, in their order; no two have the same key."""
        with self._resources.database.reading() as connection:
            return citing.entries(connection, papers)

    def export(
        self,
        folder: Path | str,
        papers: Sequence[str] = (),
        *,
        forms: Sequence[str] = ("md",),
        progress: OnProgress | None = None,
    ) -> Exported:
        """Write papers (ids; none: all) and what is known of them to a folder that needs no quire.

        Raises:
            UnknownNameError: there is no such form (md, json, jsonl, html, jats).
            LibraryError: the folder cannot be written.
        """
        from quire.library import exporting

        return exporting.export(self._resources, papers, Path(folder), forms=forms, progress=progress)

    # ---------------------------------------------------------------- search and SQL

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
        primary_key and bbox) the cells of one column are searched, by default the first of the table, or the
        passages. `papers` are names as in `paper`.

        Raises:
            QueryError: empty or too long query, bad limit, wrong column, collection or filter.
            UnknownNameError: there is no such part.
            PaperNotFound: a name means no paper, or several.
        """
        if len(query) > LONGEST_QUESTION:
            raise QueryError(
                f"The query has {len(query)} characters.", hint=f"Search in at most {LONGEST_QUESTION}."
            )
        here = self._resources
        everywhere = not (table or column or filter or collection)
        vector = self._ahead.submit(here.encoded, query, everywhere and is_read(part))  # meanwhile

        def search(view: View) -> Hits:
            if everywhere:
                adjust = here.learner.adjustment() if memory and here.learner else None
                return searching.everything(
                    connection, view, here.ranker, query, vector.result(),
                    papers=names, part=part, limit=limit, words=words, why=why, adjust=adjust,
                )  # fmt: skip
            of = table or "chunks"
            request = Request(query, collection, of, column or main_column(of), names, filter, limit)
            return searching.in_column(connection, view, request, here.available()[0])

        with here.database.reading() as connection:
            names = tuple(find(connection, name).id for name in several(papers))
            return indexing.searched(here, connection, search)

    def sql(self, sql: str) -> ResultSet:
        """The rows of one read-only statement over the public tables, run in a limited child process.

        Raises:
            SqlError: it does not run; the message names the nearest table or column.
            SqlRefused: it does more than read the public tables.
            QueryLimit: it ran into a limit.
        """
        return self._resources.sandbox.query(sql)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> ResultSet:
        """The rows of one of quire's own statements, read in this process and not in the limited child.

        Nothing in `sql` may come from a user, a paper or a model: that is what `values` are for.
        """
        with self._resources.database.reading() as connection:
            return rows.result_of(connection, sql, values)

    def schema(self) -> tuple[schema.Table, ...]:
        """The public tables, described."""
        return schema.TABLES

    # ---------------------------------------------------------------- pages

    def page_text(self, paper: str, page: int) -> str:
        """The text of one page (from 1) in reading order.

        Raises:
            PaperNotFound: there is no such paper, or no such page of it.
        """
        found = self._with_page(paper, page)
        sql = "SELECT page_content FROM pages WHERE ref_paper_id = ?::UUID AND page_number = ?"
        return "".join(str(text) for (text,) in self.rows(sql, [found.id, page]).rows)

    def render(
        self, paper: str, page: int, *, box: Box | None = None, marks: Sequence[Box] = (), dpi: float = 150
    ) -> bytes:
        """A PNG of a page (from 1), or of a box of it, with `marks` drawn over it.

        Raises:
            PaperNotFound: there is no such paper, or no such page of it.
            DocumentError: the page cannot be drawn within the limits of a file.
        """
        return self._resources.pages.render(self._page(paper, page), page, box, marks, dpi)

    def page_words(self, paper: str, page: int) -> list[PageWord]:
        """The words of a page (from 1) in the order of its lines, each with its box. Raises as `render`."""
        return self._resources.pages.words(self._page(paper, page), page)

    def page_links(self, paper: str, page: int) -> list[PageLink]:
        """The links of a page (from 1): to places of the file, or to addresses. Raises as `render`."""
        return self._resources.pages.links(self._page(paper, page), page)

    def page_pieces(self, paper: str, page: int) -> Sequence[Piece]:
        """The pieces of the lines of a page by place, from the file; none of a scan. Raises as `render`."""
        return self._resources.pieces(self._page(paper, page), page)

    def _page(self, paper: str, page: int) -> Path:
        """The copy of a paper that has such a page."""
        return intake.copy_of(self._resources.papers, self._with_page(paper, page).id)

    def _with_page(self, paper: str, page: int) -> Paper:
        found = self.paper(paper)
        if not 1 <= page <= found.pages:
            raise PaperNotFound(f"{found.name} has no page {page}.", hint=f"It has {found.pages} pages.")
        return found
