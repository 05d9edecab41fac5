"""What an environment needs of a library: seven ways of reading it, and none of changing it.

`quire.library.Library` offers them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from quire.types import Box, Hit, Piece, ResultSet


class Readable(Protocol):
    """A library as an agent may use it: read-only."""

    def sql(self, sql: str) -> ResultSet:
        """Rows of a read-only query, within limits.

        Raises:
            QueryError: it does not run, is refused, or ran into a limit.
        """
        ...

    def rows(self, sql: str, values: Sequence[Any] = ()) -> ResultSet:
        """Rows of one of quire's own statements; whatever comes from elsewhere is among its `values`."""
        ...

    def search(
        self,
        query: str,
        *,
        papers: Sequence[str] = (),
        collection: str | None = None,
        table: str = "",
        column: str = "",
        filter: str = "",
        limit: int = 5,
        words: int = 300,
        memory: bool = True,
    ) -> list[Hit]:
        """What answers `query` best, anywhere; with `table` and `column`, the entries of that column.

        `collection=None` fuses words and meaning; passages have about so many `words` at most.
        `memory` lets count what the library learned of its users' verdicts.
        """
        ...

    def render(
        self, paper: str, page: int, *, box: Box | None = None, marks: Sequence[Box] = (), dpi: float = 150
    ) -> bytes:
        """A PNG of one page, or of a box of it."""
        ...

    def page_text(self, paper: str, page: int) -> str:
        """The text of one page in reading order."""
        ...

    def page_pieces(self, paper: str, page: int) -> Sequence[Piece]:
        """The pieces of the lines of one page by place, from its file; none where it has no characters."""
        ...

    def paper(self, name: str) -> Any:
        """The paper of that id, unique prefix, file name, title or DOI; it has an `id`.

        Raises:
            PaperNotFound: none, or several.
        """
        ...
