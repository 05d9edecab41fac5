"""Keeping the index in step with the rows: what it lacks is made up, what cannot be read is made anew.

    with WriterLock(folder):
        bring_up(resources)                 # after a kill, in an old library, where the index was lost
    view_of(resources, connection)          # what searches read; brings the index up where nobody else does

Rows are the truth, so no state of the index may stop anything: a damaged one is dropped and made again, its
vectors as far as they are sound taken over.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np

from quire.errors import LibraryError, LibraryLocked
from quire.library.resources import Resources
from quire.library.units import arranged, rows_of, units_of
from quire.search import entries
from quire.search.batch import Batch, analyse
from quire.search.entries import Run
from quire.search.index import Index
from quire.search.slots import IndexDamaged
from quire.search.vectors import About, VectorFiles
from quire.search.view import View
from quire.store import WriterLock
from quire.store.locks import held_here

_PAPERS = 16  # read from their rows and put at once
_BLOCKS = 64  # of vectors of an old library, moved at once
OnPapers = Callable[[int, int], None]


def view_of(resources: Resources, connection: duckdb.DuckDBPyConnection) -> View:
    """The index as the connection sees the library; brought up first if it lacks something.

    While another process changes the library, what that has not indexed yet is left out.

    Raises:
        LibraryLocked: the index cannot be read, and another process is making it.
    """

    def view() -> View:
        index = resources.index
        return index.view(connection, [name for name in resources.dense if index.about(name)])

    with contextlib.suppress(IndexDamaged):
        found = view()
        if not found.lacks or held_here(resources.folder):
            return found
    runs = entries.runs(connection)
    try:
        with WriterLock(resources.folder, patience=0.0):
            _make_up(resources.index, connection, runs)
    except LibraryLocked:
        with contextlib.suppress(IndexDamaged):
            return view()
        raise
    except LibraryError:  # a folder that cannot be written to: as long as the process lasts
        resources.index = Index(Path(tempfile.mkdtemp(prefix="quire-index-")))
        _make_up(resources.index, connection, runs)
    return view()


def bring_up(resources: Resources, on_papers: OnPapers | None = None) -> list[str]:
    """Make up what the index lacks; gives what a user should know. The caller holds the writer's lock."""
    with resources.database.reading() as connection:
        notes = _make_up(resources.index, connection, entries.runs(connection), on_papers)
        old = _old(connection)
    if old:
        with resources.database.writing() as writing:
            writing.execute("DROP TABLE vectors")
    return notes


def _make_up(
    index: Index,
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[Run],
    on_papers: OnPapers | None = None,
) -> list[str]:
    try:
        # Vectors first: who finds all papers in the index may rely on them.
        index.fits(entries.end(connection))
        if index.behind(runs):
            _take_over(index, connection)
        _put_missing(index, connection, runs, on_papers)
    except IndexDamaged as error:
        index.forget(entries.end(connection))
        _put_missing(index, connection, runs, on_papers)
        return [f"The index was made anew. {error}"]
    return []


def _put_missing(
    index: Index, connection: duckdb.DuckDBPyConnection, runs: Sequence[Run], on_papers: OnPapers | None
) -> None:
    missing = index.behind(runs)
    # An index that lacks nothing is opened, too: it might be damaged, and words be left of a killed process.
    with index.writing() as writer:
        writer.only([paper for paper, _, _ in runs])
        view = index.view(connection)
        if len(index.words) != view.words_expected():
            raise IndexDamaged(f"{len(index.words)} entries have words, not {view.words_expected()}.")
        for start in range(0, len(missing), _PAPERS):
            some = missing[start : start + _PAPERS]
            writer.put([(first, batch_of(connection, paper, first, last)) for paper, first, last in some])
            if on_papers:
                on_papers(start + len(some), len(missing))


def batch_of(connection: duckdb.DuckDBPyConnection, paper: str, first: int, last: int) -> Batch:
    """The units of a paper as its rows have them, under the ids that its entries have."""
    wanted = connection.execute(
        "SELECT pair, primary_key FROM entries WHERE id >= ? AND id < ? ORDER BY id", [first, last]
    ).fetchall()
    units = units_of(paper, list(rows_of(connection, paper)))
    return analyse(paper, arranged(paper, units, [(int(pair), str(key)) for pair, key in wanted]))


def _take_over(index: Index, connection: duckdb.DuckDBPyConnection) -> None:
    """Copy the vectors of a library of an older quire out of its database; interrupted, it goes on."""
    if not _old(connection):
        return
    found = connection.execute("SELECT DISTINCT collection, dim FROM vectors ORDER BY 1").fetchall()
    for name, dim in found:
        files = index.files(name)
        if files.about is None:
            files.create(About(int(dim), "float32", pooled=False))
        rows = connection.execute(
            "SELECT rowid FROM vectors WHERE collection = ? ORDER BY rowid", [name]
        ).fetchall()
        for start in range(0, len(rows), _BLOCKS):
            _move(connection, files, [int(row) for (row,) in rows[start : start + _BLOCKS]])


def _old(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the database still has vectors of an older quire."""
    known = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'vectors'"
    return bool(connection.execute(known).fetchall()[0][0])


def _move(connection: duckdb.DuckDBPyConnection, files: VectorFiles, rows: Sequence[int]) -> None:
    blocks = connection.execute(
        "SELECT ids, matrix, dim FROM vectors WHERE rowid IN (SELECT unnest(?::BIGINT[]))", [list(rows)]
    ).fetchall()
    for members, blob, dim in blocks:
        if len(blob) == len(members) * dim * 4:  # a damaged block is encoded anew
            matrix = np.frombuffer(blob, dtype="<f4").reshape(-1, dim)
            files.put(np.asarray(members, dtype=np.int64), matrix)
