"""What a remote backend has yet to be told: the entries that went while it had vectors of them.

    with database.writing() as connection:    # rows go and what is to be told is noted: both or neither
        writing.delete(connection, [paper_id])
    outbox.send(database.reading, database.writing, backend)    # after the commit, until it has heard

Entries' ids are never used again, so telling it twice does no harm, and vectors that came later stay. Until
it has heard, searches leave out what has no entry any more.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index.backends import Backend
from quire.index.dense import Connect


def note(connection: duckdb.DuckDBPyConnection, paper_ids: Sequence[str]) -> None:
    """Note the entries of these papers that a remote backend has, before they go."""
    papers = [list(paper_ids)]
    of_papers = "id IN (SELECT id FROM entries WHERE pdf_id IN (SELECT unnest(?::VARCHAR[])))"
    connection.execute(f"INSERT INTO outbox SELECT DISTINCT id FROM sent WHERE {of_papers}", papers)
    connection.execute(f"DELETE FROM sent WHERE {of_papers}", papers)


def unsent(connection: duckdb.DuckDBPyConnection) -> NDArray[np.int64]:
    """The ids that the backend has yet to be told."""
    columns = connection.execute("SELECT DISTINCT id FROM outbox ORDER BY id").fetchnumpy()
    return np.asarray(columns["id"], dtype=np.int64)


def send(reading: Connect, writing: Connect, backend: Backend) -> int:
    """Tell the backend what went; gives how many entries.

    Raises:
        LibraryError: the backend cannot be told; the outbox keeps it.
    """
    with reading() as connection:
        ids = unsent(connection)
    if len(ids):
        with writing() as connection:
            backend.delete(connection, ids)
            connection.execute("DELETE FROM outbox WHERE id IN (SELECT unnest(?::INTEGER[]))", [ids.tolist()])
    return len(ids)
