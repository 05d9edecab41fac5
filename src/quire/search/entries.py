"""Entries in the database: which cells the index is to know, under which ids. The index itself is derived.

    with database.writing() as connection:     # rows of the paper and its entries: both or neither
        delete(connection, [paper_id])
        first = write(connection, batch)
    index.put([(first, batch)])                # afterwards; what a killed process left undone is made up

An id is given once and never again; a paper's ids follow each other, from `runs.first` to `runs.last`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from quire.search.batch import Batch
from quire.search.cells import ENCODABLE, encodable_text
from quire.search.filters import Condition
from quire.search.slots import Ids

Run = tuple[str, int, int]


def write(connection: duckdb.DuckDBPyConnection, batch: Batch) -> int:
    """Append the entries of a paper; gives the id of the first."""
    first = end(connection)
    if len(batch):
        connection.register("_quire_rows", _columns(batch, first))
        try:
            connection.execute(
                """INSERT INTO entries
                       (id, pdf_id, page_number, table_name, column_name, primary_key, bbox, pair)
                   SELECT id, pdf_id, page_number, table_name, column_name, primary_key,
                          CAST(nullif(bbox, '') AS SMALLINT[]), pair FROM _quire_rows"""
            )
        finally:
            connection.unregister("_quire_rows")
    last = first + len(batch)
    connection.execute("INSERT INTO runs VALUES (?, ?, ?)", [batch.paper_id, first, last])
    connection.execute("UPDATE index_state SET generation = generation + 1, next_id = ?", [last])
    return first


def delete(connection: duckdb.DuckDBPyConnection, papers: Sequence[str]) -> None:
    """Remove the entries of these papers; from this commit on no search finds them."""
    for paper in papers:
        rows = connection.execute("SELECT first, last FROM runs WHERE pdf_id = ?", [paper]).fetchall()
        for first, last in rows:
            connection.execute("DELETE FROM entries WHERE id >= ? AND id < ?", [first, last])
        connection.execute("DELETE FROM runs WHERE pdf_id = ?", [paper])
    connection.execute("UPDATE index_state SET generation = generation + 1")


def state(connection: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """A number that changes with every write, and the id that the next entry gets."""
    ((generation, next_id),) = connection.execute("SELECT generation, next_id FROM index_state").fetchall()
    return int(generation), int(next_id)


def end(connection: duckdb.DuckDBPyConnection) -> int:
    """The id that the next entry gets."""
    return state(connection)[1]


def runs(connection: duckdb.DuckDBPyConnection) -> list[Run]:
    """The papers and their ids: (paper, first, last + 1), ascending."""
    rows = connection.execute("SELECT pdf_id, first, last FROM runs ORDER BY first, last").fetchall()
    return [(str(paper), int(first), int(last)) for paper, first, last in rows]


def texts(connection: duckdb.DuckDBPyConnection, ids: Sequence[int]) -> dict[int, str]:
    """What an encoder reads of some entries, from the rows; those whose row is gone are left out."""
    told = connection.execute(
        "SELECT id, pair, primary_key FROM entries WHERE id IN (SELECT unnest(?::BIGINT[]))", [list(ids)]
    ).fetchall()
    found: dict[int, str] = {}
    for number in sorted({pair for _, pair, _ in told}):
        of = ENCODABLE[number]
        keys = {key: int(id) for id, pair, key in told if pair == number}
        said = connection.execute(
            f'SELECT "{of.key}"::VARCHAR, "{of.column}" FROM "{of.table}"'
            f' WHERE "{of.key}" IN (SELECT unnest(?::UUID[]))',
            [list(keys)],
        ).fetchall()
        found |= {keys[key]: encodable_text(of, text or "") for key, text in said}
    return found


def filtered(connection: duckdb.DuckDBPyConnection, pair: int, condition: Condition) -> Ids:
    """The ids of the entries of a pair that a filter leaves, ascending."""
    found = connection.execute(
        f"SELECT id FROM entries WHERE pair = ? AND ({condition.sql}) ORDER BY id",
        [pair, *condition.parameters],
    ).fetchnumpy()
    return np.asarray(found["id"], dtype=np.int64)


def _columns(batch: Batch, first: int) -> dict[str, NDArray[Any]]:
    def column(values: list[Any]) -> NDArray[Any]:
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array

    of = [ENCODABLE[number] for number in batch.pairs.tolist()]
    return {
        "id": np.arange(first, first + len(batch), dtype=np.int64),
        "pdf_id": column([batch.paper_id] * len(batch)),
        "page_number": batch.pages.astype(np.int16),
        "table_name": column([pair.table for pair in of]),
        "column_name": column([pair.column for pair in of]),
        "primary_key": column(list(batch.keys)),
        # Rounded as the seeds' INT16 boxes are; "" is NULL, because numpy has no empty list of numbers.
        "bbox": column([str([round(v) for v in box]) if box else "" for box in batch.boxes]),
        "pair": batch.pairs,
    }
