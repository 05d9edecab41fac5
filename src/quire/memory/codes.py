"""Vectors of a memory's items, a byte a number, in files that are mapped: opening them costs nothing.

    codes = Codes(store, "hash-512", 512)
    codes.nearest(query, 64)          # [(item id, cosine), ...], best first

The store holds the vectors and `vector_rows` their order; the files in `cache/memory` beside it
(`quire.search.vectors`, the number of a row as its place) repeat them, rounded, and are made again whenever
they do not fit. Rows are only ever added; when an item is forgotten, the files are made anew, so that nothing
of it is left. Where files cannot be written, they lie in a folder for this process alone.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quire import atomic
from quire.errors import QuireError
from quire.memory.store import MemoryStore
from quire.search.slots import Ids
from quire.search.vectors import About, VectorFiles

Floats = NDArray[np.float32]
SPACE = "library"
REMOVALS = "library/removals"  # the revision of this space counts them
_READ = 5000  # vectors read of the store at once
_JOINED = f"""FROM vector_rows r CROSS JOIN vectors v
    ON v.space = '{SPACE}' AND v.id = r.id AND v.encoder = r.encoder"""
# CROSS JOIN keeps the order: left to itself, SQLite reads all vectors of the space first.


class Codes:
    """The rounded vectors of one encoder. Thread-safe; other processes have their own over the same files."""

    def __init__(self, store: MemoryStore, encoder: str, dim: int) -> None:
        self._store, self._encoder, self._about = store, encoder, About(dim)
        self._state = (-1, -1)
        self._files = VectorFiles(folder_of(store, encoder) or atomic.scratch(self))

    def nearest(self, query: Floats, k: int) -> list[tuple[str, float]]:
        """The ids of the k items of the highest cosine with `query`, and the cosines, best first."""
        if k < 1:
            return []
        self.sync()
        found, _ = self._files.best(query, 2 * k)  # spare ones: rounding may change places
        marks = ", ".join("?" * len(found))
        rows = self._store.read(f"SELECT r.id, v.vector {_JOINED} WHERE r.row IN ({marks})", found.tolist())
        exact = [(str(id), float(np.frombuffer(blob, dtype="<f4") @ query)) for id, blob in rows]
        return sorted(exact, key=lambda each: -each[1])[:k]

    def __len__(self) -> int:
        self.sync()
        return int(np.count_nonzero(self._files.held(self._state[0] + 1)))

    def missing(self, limit: int = 512) -> list[tuple[str, str]]:
        """(id, question) of items without a vector of this encoder."""
        rows = self._store.read(
            "SELECT id, question FROM items i WHERE NOT EXISTS"
            " (SELECT 1 FROM vector_rows r WHERE r.id = i.id AND r.encoder = ?) LIMIT ?",
            (self._encoder, limit),
        )
        return [(str(id), str(question)) for id, question in rows]

    def add(self, ids: Sequence[str], vectors: Floats) -> None:
        """Keep vectors of items, row by row."""
        blobs = [np.ascontiguousarray(row, dtype="<f4").tobytes() for row in vectors]
        rows = [(SPACE, id, self._encoder, blob) for id, blob in zip(ids, blobs, strict=True)]
        with self._store.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?, ?, ?)", rows)
            db.executemany(
                "INSERT OR IGNORE INTO vector_rows (id, encoder) VALUES (?, ?)",
                [(id, self._encoder) for id in ids],
            )

    def of(self, ids: Sequence[str]) -> dict[str, Floats]:
        """The vectors of some items, where there are any."""
        return self._store.vectors(SPACE, self._encoder, ids)

    def sync(self) -> None:
        """Bring the files up to the store."""
        if self._now() == self._state:
            return
        # One process at a time writes the files; the others wait and find them written.
        with self._store.transaction():
            state = self._now()
            try:
                self._bring_up(*state)
            except OSError:
                self._files = VectorFiles(atomic.scratch(self))
                self._bring_up(*state)
            self._state = state

    def _now(self) -> tuple[int, int]:
        """(last row, number of removals): when neither moved, nothing changed."""
        ((last, removals),) = self._store.read(
            "SELECT (SELECT row FROM vector_rows WHERE encoder = ? ORDER BY row DESC LIMIT 1),"
            " (SELECT revision FROM revisions WHERE space = ?)",
            (self._encoder, REMOVALS),
        )
        return (last or 0, removals or 0)

    def _bring_up(self, last: int, removals: int) -> None:
        self._files.close()  # another process may have made them anew
        folder, known = self._files.folder, self._known(removals)
        if known < 0:
            shutil.rmtree(folder, ignore_errors=True)
            self._files = VectorFiles(folder)
            self._files.create(self._about)
        if known == last:
            return
        self._files.cut(max(known, 0) + 1)  # what a killed process wrote behind it
        for rows, vectors in self._read(max(known, 0)):
            self._files.put(rows, vectors)
        atomic.write(folder / "state.json", json.dumps({"last": last, "removals": removals}))

    def _known(self, removals: int) -> int:
        """Up to which row the files go; -1 where they are missing or do not fit."""
        try:
            told = json.loads((self._files.folder / "state.json").read_text(encoding="utf-8"))
            last, fits = int(told["last"]), told["removals"] == removals
            return last if fits and self._files.about == self._about and self._files.reach > last else -1
        except (OSError, ValueError, KeyError, TypeError, QuireError):
            return -1

    def _read(self, after: int) -> Iterator[tuple[Ids, Floats]]:
        """Rows of the store behind a row: their numbers and vectors."""
        while True:
            found = self._store.read(
                f"SELECT r.row, v.vector {_JOINED} WHERE r.encoder = ? AND r.row > ? ORDER BY r.row LIMIT ?",
                (self._encoder, after, _READ),
            )
            if not found:
                return
            after = found[-1][0]
            vectors = np.stack([np.frombuffer(blob, dtype="<f4") for _, blob in found])
            yield np.asarray([row for row, _ in found], dtype=np.int64), vectors.astype(np.float32)


def folder_of(store: MemoryStore, encoder: str) -> Path | None:
    """Where the files of an encoder's vectors are; nowhere for a store in memory."""
    if store.path is None:
        return None
    return store.path.parent / "cache" / "memory" / re.sub(r"[^\w-]", "_", encoder)


def drop_files(store: MemoryStore) -> None:
    """Remove the files of all encoders; what is mapped stays readable."""
    folder = folder_of(store, "any")
    if folder is not None:
        shutil.rmtree(folder.parent, ignore_errors=True)
