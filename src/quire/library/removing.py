"""Taking papers out again: rows, words and vectors in one transaction, the copy with them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import duckdb

from quire.errors import LibraryError
from quire.index import writing
from quire.library import intake, sources
from quire.library.resources import Resources
from quire.store import rows


def forget(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> None:
    """Delete all that the database has of these papers; a remote vector backend is told after the commit."""
    if papers:
        writing.delete(connection, papers)
        rows.delete_paper(connection, papers)


def remove(resources: Resources, papers: Sequence[str]) -> None:
    """Remove papers from the library. The user's own files are not touched.

    A remote backend that cannot be told hears of it later; until then searches leave the papers out.
    """
    with intake.leaving(resources.papers, papers), resources.database.writing() as connection:
        forget(connection, papers)
        sources.forget(connection, papers)
    with contextlib.suppress(LibraryError):
        resources.tell()
