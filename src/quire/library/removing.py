"""Taking papers out again: rows, words and vectors in one transaction, the copy with them."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from quire.index import writing
from quire.index.backends import Backend
from quire.library import intake
from quire.library.shelf import Shelf
from quire.store import rows


def forget(connection: duckdb.DuckDBPyConnection, backend: Backend, papers: Sequence[str]) -> None:
    """Delete all that the database and the vector backend have of these papers."""
    if papers:
        backend.delete(connection, papers)
        writing.delete(connection, papers)
        rows.delete_paper(connection, papers)


def remove(shelf: Shelf, papers: Sequence[str]) -> None:
    """Remove papers from the library. The user's own files are not touched."""
    with intake.leaving(shelf.papers, papers), shelf.database.writing() as connection:
        forget(connection, shelf.backend, papers)
