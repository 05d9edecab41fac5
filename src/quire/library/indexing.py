"""Keeping the index in step with the rows: what it lacks is made up, what cannot be read is made anew.

    with WriterLock(folder):
        bring_up(resources)                 # after a kill, in an old library, where the index was lost
        move_vectors(resources, "milvus:/data/vectors.db", progress)
    view_of(resources, connection)          # what searches read; brings the index up where nobody else does

Rows are the truth, so no state of the index may stop anything: a damaged one is dropped and made again, its
vectors as far as they are sound taken over. Vectors that move are copied before they are removed, and where
they are is written down last: a move that is interrupted is begun again and leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence

import duckdb
import numpy as np

from quire import atomic, trust
from quire import settings as configuration
from quire.errors import LibraryError, LibraryLocked, SettingsError
from quire.library.resources import Resources
from quire.library.units import arranged, units_of
from quire.search import entries
from quire.search.batch import Batch, analyse
from quire.search.cells import ENCODABLE
from quire.search.entries import Run
from quire.search.index import HERE, Index, whole_address
from quire.search.slots import Ids, IndexDamaged
from quire.search.vectors import About
from quire.search.view import View
from quire.store import WriterLock
from quire.store.locks import held_here
from quire.store.rows import rows_of
from quire.types import Hits

_TRIES = 2  # vectors may be damaged, and words, too
_PAPERS = 16  # read from their rows and put at once
_BLOCKS = 64  # of vectors of an old library, moved at once
_VECTORS = 2000  # moved to another backend at once
_PATIENCE = 20.0  # seconds in which another thread may make the index anew


def view_of(
    resources: Resources,
    connection: duckdb.DuckDBPyConnection,
    damage: IndexDamaged | None = None,
    made: int = -1,
) -> View:
    """The index as the connection sees the library; brought up first if it lacks something.

    While another process changes the library, what that has not indexed yet is left out. `damage` is what
    was found as it was searched: it is made anew, unless the index has been since (`made`: how often before).

    Raises:
        LibraryLocked: the index cannot be read, and another process is making it.
    """
    seen = damage
    try:
        found = _view(resources, connection)
        if not damage and (not found.lacks or held_here(resources.folder)):
            return found
    except IndexDamaged as error:
        seen = error
    # Another thread of this process may be making it anew.
    patience = _PATIENCE if seen and held_here(resources.folder) else 0.0
    runs = entries.runs(connection)
    try:
        with WriterLock(resources.folder, patience=patience):
            still = damage if made in (-1, resources.made) else None
            notes = _make_up(resources.index, connection, runs, still)
            resources.made += bool(notes)
    except LibraryLocked:
        with contextlib.suppress(IndexDamaged):
            if not damage:
                return _view(resources, connection, sound=True)
        raise
    except LibraryError:  # a folder that cannot be written to: as long as the process lasts
        resources.index = Index(atomic.scratch(resources))
        notes = [*_make_up(resources.index, connection, runs), *([str(seen)] if seen else [])]
    resources.told = (*resources.told, *notes)
    return _view(resources, connection)


def _view(resources: Resources, connection: duckdb.DuckDBPyConnection, *, sound: bool = False) -> View:
    """The index with the vectors that are there; `sound`: without those that cannot be read."""
    there = []
    for name in resources.dense:
        try:
            there += [name] if resources.index.about(name) else []
        except IndexDamaged:
            if not sound:
                raise
    return resources.index.view(connection, there)


def searched(
    resources: Resources, connection: duckdb.DuckDBPyConnection, search: Callable[[View], Hits]
) -> Hits:
    """What a search finds. What it finds damaged is made anew, which its notes tell, once.

    Raises:
        LibraryLocked: something is damaged, and another process is changing the library.
    """
    damage: IndexDamaged | None = None
    made = -1
    for left in range(_TRIES, -1, -1):
        view = view_of(resources, connection, damage, made)
        made = resources.made
        try:
            hits = search(view)
            break
        except IndexDamaged as error:
            damage = error
            if not left:
                raise
    told, resources.told = resources.told, ()
    if view.lacks and not hits:
        told = (*told, f"Papers that are not in the index yet: {view.lacks}. It is being made; search again.")
    return Hits(hits, (*hits.notes, *told))


def bring_up(resources: Resources, damage: IndexDamaged | None = None) -> list[str]:
    """Make up what the index lacks; gives what a user should know. The caller holds the writer's lock."""
    with resources.database.reading() as connection:
        notes = _make_up(resources.index, connection, entries.runs(connection), damage)
        old = _old(connection)
    if old:
        with resources.database.writing() as writing:
            writing.execute("DROP TABLE vectors")
    return notes


def _make_up(
    index: Index,
    connection: duckdb.DuckDBPyConnection,
    runs: Sequence[Run],
    damage: IndexDamaged | None = None,
) -> list[str]:
    dropped = index.forget_unreadable()
    notes = [f"{told} They are dropped, and made anew by the next `quire add`." for told in dropped]
    try:
        if damage and not notes:
            raise damage
        # Vectors first: who finds all papers in the index may rely on them.
        index.fits(entries.end(connection))
        if index.behind(runs):
            _take_over(index, connection)
        _put_missing(index, connection, runs)
        if len(index.words) and index.words.counted != index.words_elsewhere():
            with index.writing() as writer:
                writer.move_words((run[1], batch_of(connection, *run)) for run in runs if run[2] > run[1])
    except IndexDamaged as error:
        index.forget(entries.end(connection))
        _put_missing(index, connection, runs)
        notes.append(f"The index was made anew. {error}")
    return notes


def _put_missing(index: Index, connection: duckdb.DuckDBPyConnection, runs: Sequence[Run]) -> None:
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


def batch_of(connection: duckdb.DuckDBPyConnection, paper: str, first: int, last: int) -> Batch:
    """The units of a paper as its rows have them, under the ids that its entries have."""
    wanted = connection.execute(
        "SELECT pair, primary_key FROM entries WHERE id >= ? AND id < ? ORDER BY id", [first, last]
    ).fetchall()
    units = units_of(paper, rows_of(connection, paper))
    return analyse(paper, arranged(paper, units, [(int(pair), str(key)) for pair, key in wanted]))


def _take_over(index: Index, connection: duckdb.DuckDBPyConnection) -> None:
    """Copy the vectors of a library of an older quire out of its database; interrupted, it goes on."""
    if not _old(connection):
        return
    for name, dim in connection.execute("SELECT DISTINCT collection, dim FROM vectors ORDER BY 1").fetchall():
        files = index.files(name)
        if files.about is None:
            files.create(About(int(dim), "float32", pooled=False))
        rows = connection.execute(
            "SELECT rowid FROM vectors WHERE collection = ? ORDER BY rowid", [name]
        ).fetchall()
        for start in range(0, len(rows), _BLOCKS):
            blocks = connection.execute(
                "SELECT ids, matrix FROM vectors WHERE rowid IN (SELECT unnest(?::BIGINT[]))",
                [[int(row) for (row,) in rows[start : start + _BLOCKS]]],
            ).fetchall()
            for members, blob in blocks:
                if len(blob) == len(members) * dim * 4:  # a damaged block is encoded anew
                    matrix = np.frombuffer(blob, dtype="<f4").reshape(-1, dim)
                    files.put(np.asarray(members, dtype=np.int64), matrix)


def _old(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether the database still has vectors of an older quire."""
    known = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'vectors'"
    return bool(connection.execute(known).fetchall()[0][0])


def move_vectors(resources: Resources, uri: str, progress: Callable[[str, int], None] | None = None) -> int:
    """Move all vectors to the backend that `uri` names; gives the number of dense vectors moved.

    Raises:
        SettingsError: they are there already, it is no address, or the settings file cannot be changed.
        UnknownNameError: there is no such backend.
    """
    # "duckdb" is how older settings name it; a wrong address is told before anything is moved
    there, uri = (
        HERE if each in (HERE, "duckdb") else whole_address(each)
        for each in (resources.settings.index.vectors, uri)
    )
    if uri.removesuffix("?words") == there.removesuffix("?words"):
        raise SettingsError(
            f"The vectors are in `{uri}` already.", hint="Words come and go with them: move to `files` first."
        )
    settings = resources.folder / "quire.toml"
    changed = with_vectors(settings.read_text(encoding="utf-8") if settings.exists() else "", uri)
    bring_up(resources)
    source, target = resources.index, Index(resources.index.folder, uri)
    with resources.database.reading() as connection:
        view = source.view(connection)
    moved = [_copy(source, target, name, view, progress) for name in resources.dense]
    atomic.write(settings, changed)
    configuration.trust(resources.folder)  # who moves vectors has named the place
    with resources.database.reading() as connection:
        _make_up(target, connection, entries.runs(connection))  # words go with them
    for name in resources.dense:
        source.vectors(name).drop()
    source.close()
    target.close()
    return sum(moved)


def _copy(
    source: Index, target: Index, name: str, view: View, progress: Callable[[str, int], None] | None
) -> int:
    """Copy the vectors of one collection; gives how many."""
    alive = view.selected(ENCODABLE)
    ids: Ids = np.flatnonzero(alive & source.vectors(name).held(len(alive)))
    for start in range(0, len(ids), _VECTORS):
        some = ids[start : start + _VECTORS]
        target.vectors(name).put(some, source.vectors(name).rows(some), view)
        if progress:
            progress(name, start + len(some))
    target.vectors(name).settle(view)
    return len(ids)


def with_vectors(text: str, uri: str) -> str:
    """A settings file that says where the vectors are, all else left as it stands.

    Raises:
        SettingsError: the file is laid out in a way that cannot be changed safely.
    """
    try:
        return trust.with_values(text, "index", vectors=uri)
    except ValueError as error:
        raise SettingsError(
            f"The library's quire.toml cannot be changed safely: {error}.",
            hint=f"Write `vectors = {json.dumps(uri, ensure_ascii=False)}` under [index] yourself.",
        ) from error
