"""Writing and deleting what was analysed, on a connection whose transaction the library owns.

    with database.writing() as connection:     # rows of the paper and its BM25 postings: both or neither
        delete(connection, [paper_id])
        ...
        write(connection, batch)

The cost of a paper does not depend on the size of the library: rows are appended, and the sorted part of the
postings is rewritten only when a quarter of it is new (each posting is moved about five times in all).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.index import outbox
from quire.index.postings import Batch

MERGE_SHARE = 0.25
MERGE_FROM = 500_000  # postings; fewer are scanned in about a millisecond


def write(connection: duckdb.DuckDBPyConnection, batch: Batch) -> range:
    """Append the entries and postings of a batch; gives the ids that its cells got, in order."""
    first = _next_id(connection)
    ids = np.arange(first, first + len(batch.cells), dtype=np.int64)
    if len(ids):
        _append(connection, "entries", _entry_columns(batch, ids))
        _append(
            connection,
            "postings_recent",
            {
                "pair": batch.pairs[batch.owner],
                "term": batch.term,
                "id": ids[batch.owner].astype(np.int32),
                "tf": batch.tf,
                "length": batch.lengths[batch.owner],
            },
        )
        _resize(
            connection,
            [
                (int(number), int(chosen.sum()), int(batch.lengths[chosen].sum()))
                for number in np.unique(batch.pairs)
                for chosen in [batch.pairs == number]
            ],
        )
        _merge_if_due(connection)
    touch(connection, next_id=first + len(batch.cells))
    return range(first, first + len(batch.cells))


def delete(connection: duckdb.DuckDBPyConnection, paper_ids: Sequence[str]) -> int:
    """Remove every entry, posting and vector of these papers; gives the number of entries removed.

    What a remote backend has of them goes to the outbox, for after the commit (`quire.index.outbox`).
    """
    papers = [list(paper_ids)]
    per_pair = connection.execute(
        "SELECT pair, count(*), sum(length) FROM entries WHERE pdf_id IN (SELECT unnest(?::VARCHAR[]))"
        " GROUP BY pair",
        papers,
    ).fetchall()
    if not per_pair:
        return 0
    outbox.note(connection, paper_ids)
    for table in ("postings", "postings_recent"):
        # The range lets whole row groups be skipped: a paper's ids stand together.
        connection.execute(
            f"""DELETE FROM {table} WHERE id IN
                (SELECT id FROM entries WHERE pdf_id IN (SELECT unnest(?::VARCHAR[])))""",
            papers,
        )
    for table in ("vectors", "entries"):
        connection.execute(f"DELETE FROM {table} WHERE pdf_id IN (SELECT unnest(?::VARCHAR[]))", papers)
    _resize(connection, [(number, -entries, -int(length)) for number, entries, length in per_pair])
    touch(connection)
    return sum(entries for _, entries, _ in per_pair)


def touch(connection: duckdb.DuckDBPyConnection, *, next_id: int | None = None) -> None:
    """Count a write, so that every process drops what it cached."""
    connection.execute(
        "UPDATE index_state SET generation = generation + 1, next_id = greatest(next_id, ?)", [next_id or 0]
    )


def merge(connection: duckdb.DuckDBPyConnection) -> None:
    """Sort the recent postings into the main part."""
    connection.execute(
        """CREATE OR REPLACE TABLE postings AS
           SELECT pair, term, id, tf, length FROM (FROM postings UNION ALL FROM postings_recent)
           ORDER BY pair, term, id"""
    )
    connection.execute("DELETE FROM postings_recent")


def _merge_if_due(connection: duckdb.DuckDBPyConnection) -> None:
    recent, main = _one(
        connection, "SELECT (SELECT count(*) FROM postings_recent), (SELECT count(*) FROM postings)"
    )
    if recent >= MERGE_FROM and recent >= MERGE_SHARE * main:
        merge(connection)


def _next_id(connection: duckdb.DuckDBPyConnection) -> int:
    (first,) = _one(connection, "SELECT next_id FROM index_state")
    return int(first)


def _one(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    (row,) = connection.execute(sql).fetchall()  # an unfinished result would block the next statement
    found: tuple[Any, ...] = row
    return found


def _entry_columns(batch: Batch, ids: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    def column(values: list[Any]) -> NDArray[Any]:
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array

    cells = batch.cells
    return {
        "id": ids,
        "pdf_id": column([cell.paper_id for cell in cells]),
        "page_number": np.asarray([cell.page for cell in cells], dtype=np.int16),
        "table_name": column([cell.table for cell in cells]),
        "column_name": column([cell.column for cell in cells]),
        "primary_key": column([cell.key for cell in cells]),
        # Rounded as the seeds' INT16 boxes are; "" is NULL, because numpy has no empty list of numbers.
        "bbox": column([str([round(v) for v in cell.bbox]) if cell.bbox else "" for cell in cells]),
        "pair": batch.pairs,
        "length": batch.lengths,
    }


_CASTS = {"bbox": "CAST(nullif(bbox, '') AS SMALLINT[])"}


def _append(connection: duckdb.DuckDBPyConnection, table: str, columns: dict[str, NDArray[Any]]) -> None:
    chosen = ", ".join(_CASTS.get(name, name) for name in columns)
    connection.register("_quire_rows", columns)
    try:
        connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} FROM _quire_rows")
    finally:
        connection.unregister("_quire_rows")


def _resize(connection: duckdb.DuckDBPyConnection, changes: Sequence[tuple[int, int, int]]) -> None:
    """Add (pair, entries, words) to the sizes; a frozen average follows when a size has doubled or halved."""
    columns = [list(column) for column in zip(*changes, strict=True)]
    connection.execute(
        """INSERT INTO pair_sizes SELECT added, 0, 0, 0, 0 FROM (SELECT unnest(?::INTEGER[]) AS added)
           WHERE added NOT IN (SELECT pair FROM pair_sizes)""",
        [columns[0]],
    )
    connection.execute(
        """UPDATE pair_sizes
           SET entries = pair_sizes.entries + more.entries, words = pair_sizes.words + more.words
           FROM (SELECT unnest(?::INTEGER[]) AS pair, unnest(?::BIGINT[]) AS entries,
                        unnest(?::BIGINT[]) AS words) AS more
           WHERE pair_sizes.pair = more.pair""",
        columns,
    )
    connection.execute(
        """UPDATE pair_sizes SET frozen_entries = entries, frozen_words = words
           WHERE entries >= 2 * frozen_entries OR 2 * entries <= frozen_entries"""
    )
