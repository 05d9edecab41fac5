"""A library as it is read: papers, search, SQL, pages. Nothing here changes it.

Nothing is opened, loaded or started before it is needed. May be used by several threads.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from quire.errors import PaperNotFound, QueryError, QuireError
from quire.library import indexing, intake, papers, searching
from quire.library.papers import Paper, find, several
from quire.library.resources import Resources
from quire.search.encoders import MINILM
from quire.search.ranking import Ranker, is_read
from quire.search.search import Request
from quire.search.slots import IndexDamaged
from quire.settings import Settings
from quire.store import schema
from quire.store.folder import refuse_links
from quire.types import LONGEST_QUESTION, Box, Hits, Piece, ResultSet

if TYPE_CHECKING:  # what one search does not need is loaded when it is
    from quire.library.citing import Cited
    from quire.library.contents import Contents, Counts, Status
    from quire.library.corrections import Told
    from quire.library.exporting import Exported
    from quire.library.parsing import PageWord, Readers
    from quire.library.report import OnProgress
    from quire.pdf.links import PageLink
    from quire.search.vectors import Floats
    from quire.search.view import View
    from quire.store import Sandbox

_KEPT_PAGES = 16


class ReadLibrary:
    """One library folder, to read. `Library` adds what changes it."""

    def __init__(self, settings: Settings) -> None:
        """A library that may come from anybody.

        Raises:
            LibraryUnsafe: there is a link in its folder.
        """
        self.settings = settings
        self.folder = settings.library
        refuse_links(self.folder)
        self._resources = Resources(settings)
        self._pieces: dict[tuple[Path, int], Sequence[Piece]] = {}
        self._ahead = ThreadPoolExecutor(1, "quire-load")  # loads MiniLM while the database is opened

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
        """End the child processes, let go of the index. The library may be used again afterwards."""
        for started in ("_sandbox", "_readers"):
            if started in self.__dict__:
                self.__dict__[started].close()
        self._resources.index.close()

    def status(self) -> Status:
        """How the library stands."""
        from quire.library import contents

        return contents.status(self._resources)

    def papers(self) -> list[Paper]:
        """All papers, failed ones too, in the order in which they were added."""
        with self._resources.database.reading() as connection:
            return papers.listed(connection)

    def cited(self, papers: Sequence[str] = ()) -> dict[str, Cited]:
        """Papers (ids; none: all) as bibliographies have them, in their order; no two have the same key."""
        from quire.library import citing

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

    def tags(self) -> dict[str, tuple[str, ...]]:
        """The key words of the papers, by id."""
        found = self.rows("SELECT paper_id, tags FROM metadata").rows
        return {paper: tuple(tags or ()) for paper, tags in found}

    def venues(self) -> dict[str, str]:
        """Where the papers appeared, by id; "" where they do not say."""
        from quire.library.views import UNKNOWN

        found = self.rows("SELECT paper_id, conference_full FROM metadata").rows
        return {paper: "" if venue == UNKNOWN else str(venue or "") for paper, venue in found}

    def paper(self, name: str) -> Paper:
        """The paper of that id, unique beginning of an id, file name, title, DOI or arXiv id.

        Raises:
            PaperNotFound: none, or several; the message names what was probably meant.
        """
        with self._resources.database.reading() as connection:
            return papers.find(connection, name)

    def any_paper(self, name: str, *, whole: bool = False) -> Paper:
        """As `paper`; a failed one, too, by its id, file name or path. `whole`: a part of a name is none.

        Raises:
            PaperNotFound: none, or several.
        """
        with self._resources.database.reading() as connection:
            return papers.find(connection, name, whole=whole, failed=True)

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
            QueryError: empty or too long query, bad limit, wrong column, collection or filter.
            UnknownNameError: there is no such part.
            PaperNotFound: a name means no paper, or several.
        """
        if len(query) > LONGEST_QUESTION:
            raise QueryError(
                f"The query has {len(query)} characters.", hint=f"Search in at most {LONGEST_QUESTION}."
            )
        everywhere = not (table or column or filter or collection)
        vector = self._ahead.submit(self._encoded, query, everywhere and is_read(part))

        def search(view: View) -> Hits:
            if everywhere:
                adjust = self._adjust() if memory else None
                asked = searching.Wanted(query, names, part, limit, words, why, adjust)
                return searching.everything(connection, view, self._ranker, asked, vector.result())
            request = Request(
                query, collection, table or "chunks", column or "text_content", names, filter, limit
            )
            return searching.in_column(connection, view, request, self._resources.available()[0])

        with self._resources.database.reading() as connection:
            names = tuple(find(connection, name).id for name in several(papers))
            return indexing.searched(self._resources, connection, search)

    def sql(self, sql: str) -> ResultSet:
        """The rows of one read-only statement over the public tables, run in a limited child process.

        Raises:
            SqlError: it does not run; the message names the nearest table or column.
            SqlRefused: it does more than read the public tables.
            QueryLimit: it ran into a limit.
        """
        return self._sandbox.query(sql)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> ResultSet:
        """The rows of one of quire's own statements, read in this process and not in the limited child.

        Nothing in `sql` may come from a user, a paper or a model: that is what `values` are for.
        """
        with self._resources.database.reading() as connection:
            cursor = connection.execute(sql, list(values))
            found = tuple(
                tuple(str(value) if isinstance(value, UUID) else value for value in row)
                for row in cursor.fetchall()
            )
            about = cursor.description or ()
        names, types = tuple(str(each[0]) for each in about), tuple(str(each[1]) for each in about)
        return ResultSet(names, types, found, total=len(found))

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
        return self._readers.render(self._page(paper, page), page, box, marks, dpi)

    def page_words(self, paper: str, page: int) -> list[PageWord]:
        """The words of a page (from 1) in the order of its lines, each with its box. Raises as `render`."""
        return self._readers.words(self._page(paper, page), page)

    def page_links(self, paper: str, page: int) -> list[PageLink]:
        """The links of a page (from 1): to places of the file, or to addresses. Raises as `render`."""
        return self._readers.links(self._page(paper, page), page)

    def page_pieces(self, paper: str, page: int) -> Sequence[Piece]:
        """The pieces of the lines of a page by place, from the file; none of a scan. Raises as `render`."""
        copy = self._page(paper, page)
        if (known := self._pieces.get((copy, page))) is None:
            known = self._readers.pieces(copy, page)
            while len(self._pieces) >= _KEPT_PAGES:
                self._pieces.pop(next(iter(self._pieces), (copy, page)), None)
            self._pieces[copy, page] = known
        return known

    def contents(self, paper: str) -> Contents:
        """What a paper consists of: outline, tables, figures, references, sizes of its pages.

        Raises:
            PaperNotFound: there is no such paper.
        """
        from quire.library import contents

        with self._resources.database.reading() as connection:
            return contents.contents(connection, papers.find(connection, paper))

    def told(self, paper: str) -> tuple[Told, ...]:
        """What a paper's metadata say, where that is printed, and what a user has corrected.

        Raises:
            PaperNotFound: there is no such paper.
        """
        from quire.library import corrections

        with self._resources.database.reading() as connection:
            return corrections.told(connection, papers.find(connection, paper).id)

    def counts(self) -> dict[str, Counts]:
        """How many tables, figures and so on every paper has, by its id."""
        from quire.library import contents

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
    def _sandbox(self) -> Sandbox:
        from quire.store import Sandbox

        sandbox = Sandbox(self._resources.database.path, self.settings.sql)
        weakref.finalize(self, sandbox.close)
        return sandbox

    @cached_property
    def _readers(self) -> Readers:
        from quire.library.parsing import PAGES, Readers

        readers = Readers(self.settings.parsing, PAGES)
        weakref.finalize(self, readers.close)
        return readers

    @cached_property
    def _ranker(self) -> Ranker:
        return Ranker(self._resources.available()[0].get(MINILM), self._resources.reader)

    def _encoded(self, query: str, read: bool) -> Future[Floats] | None:
        """The vector of a query, which is made while the index is opened; None if that must be mended."""
        with contextlib.suppress(IndexDamaged):
            return self._ranker.encoded(query, read=read)
        return None

    def _adjust(self) -> searching.Adjust | None:
        """What verdicts taught the search; a library that cannot be asked learns nothing."""
        return None

    def _page(self, paper: str, page: int) -> Path:
        """The copy of a paper that has such a page."""
        found = self.paper(paper)
        if not 1 <= page <= found.pages:
            raise PaperNotFound(f"{found.name} has no page {page}.", hint=f"It has {found.pages} pages.")
        return intake.copy_of(self._resources.papers, found.id)
