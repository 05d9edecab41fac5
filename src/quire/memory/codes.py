"""Vectors of a memory's items, a byte a number, in files that are mapped: opening them costs nothing.

    codes = Codes(store, "hash-512", 512)
    codes.nearest(query, 64)          # [(item id, cosine), ...], best first

The store holds the vectors and `vector_rows` their order; the files in `cache/memory` beside it repeat them,
rounded, and are made again whenever they do not fit. Rows are only ever added; when an item is forgotten, the
files are made anew, so that nothing of it is left. Where files cannot be written, the arrays stay in memory.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import simsimd
from numpy.typing import NDArray

from quire import atomic
from quire.memory.matrix import rounded
from quire.memory.store import MemoryStore

Floats = NDArray[np.float32]
SPACE = "library"
REMOVALS = "library/removals"  # the revision of this space counts them
_FORMAT = 1
_READ = 5000  # vectors read of the store at once


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """Rounded vectors: `row` numbers them in the store, a step of a byte stands for `step`."""

    row: NDArray[np.int64]
    step: Floats
    code: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.row)


class Codes:
    """The rounded vectors of one encoder. Thread-safe; other processes have their own over the same files."""

    def __init__(self, store: MemoryStore, encoder: str, dim: int) -> None:
        self._store, self._encoder, self._dim = store, encoder, dim
        self._folder = folder_of(store, encoder)
        self._state = (-1, -1)
        self._held = self._nothing()

    def nearest(self, query: Floats, k: int) -> list[tuple[str, float]]:
        """The ids of the k items of the highest cosine with `query`, and the cosines, best first."""
        held = self.sync()
        if not len(held) or k < 1:
            return []
        code, _, _ = rounded(query[None])
        about = np.asarray(simsimd.cdist(code, held.code, metric="dot"))[0] * held.step
        some = min(2 * k, len(held))  # spare ones: rounding may change places
        best = np.argpartition(-about, some - 1)[:some]
        marks = ", ".join("?" * some)
        # CROSS JOIN keeps the order: left to itself, SQLite reads all vectors of the space first.
        rows = self._store.read(
            f"SELECT r.id, v.vector FROM vector_rows r CROSS JOIN vectors v ON v.space = '{SPACE}'"
            f" AND v.id = r.id AND v.encoder = r.encoder WHERE r.row IN ({marks})",
            held.row[best].tolist(),
        )
        exact = [(str(id), float(np.frombuffer(blob, dtype="<f4") @ query)) for id, blob in rows]
        return sorted(exact, key=lambda each: -each[1])[:k]

    def __len__(self) -> int:
        return len(self.sync())

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

    def sync(self) -> _Held:
        """Bring the files up to the store; what they hold now."""
        state = self._now()
        if state != self._state:
            # One process at a time writes the files; the others wait and find them written.
            with self._store.transaction():
                state = self._now()
                self._held = self._brought(state)
            self._state = state
        return self._held

    def _now(self) -> tuple[int, int]:
        """(last row, number of removals): when neither moved, nothing changed."""
        ((last, removals),) = self._store.read(
            "SELECT (SELECT row FROM vector_rows WHERE encoder = ? ORDER BY row DESC LIMIT 1),"
            " (SELECT revision FROM revisions WHERE space = ?)",
            (self._encoder, REMOVALS),
        )
        return (last or 0, removals or 0)

    def _brought(self, state: tuple[int, int]) -> _Held:
        """What the store has now: from the files as far as they go, and the files brought up to it."""
        held, known = self._mapped(state[1])
        if held is not None and known == state[0]:
            return held
        if held is not None:
            new = self._read(known)
            whole = _joined([held, new])
        else:  # no files, or of other items: what this process has may still serve
            held, known = (self._held, self._state[0]) if self._state[1] == state[1] else (self._nothing(), 0)
            drop_files(self._store, self._encoder)
            new = whole = _joined([held, self._read(known)])
        self._append(new)
        self._settle(len(whole), state)
        return whole

    def _read(self, after: int) -> _Held:
        """Rows of the store behind a row."""
        found = [self._nothing()]
        while True:
            rows = self._store.read(
                f"SELECT r.row, v.vector FROM vector_rows r CROSS JOIN vectors v ON v.space = '{SPACE}'"
                " AND v.id = r.id AND v.encoder = r.encoder WHERE r.encoder = ? AND r.row > ?"
                " ORDER BY r.row LIMIT ?",
                (self._encoder, after, _READ),
            )
            if not rows:
                break
            after = rows[-1][0]
            vectors = np.stack([np.frombuffer(blob, dtype="<f4") for _, blob in rows])
            code, step, _ = rounded(vectors.astype(np.float32))
            found.append(_Held(np.asarray([row for row, _ in rows], dtype=np.int64), step, code))
        return _joined(found)

    # ---------------------------------------------------------------- files

    def _mapped(self, removals: int) -> tuple[_Held | None, int]:
        """What the files hold, and up to which row; None where they are missing or do not fit."""
        if self._folder is None:
            return None, 0
        try:
            told = json.loads((self._folder / "state.json").read_text(encoding="utf-8"))
            count, last = int(told["count"]), int(told["last"])
            fits = (told["format"], told["dim"], told["removals"]) == (_FORMAT, self._dim, removals)
            if not fits:
                return None, 0
            sizes = {"row": (count,), "step": (count,), "code": (count, self._dim)}
            kinds = {"row": np.int64, "step": np.float32, "code": np.int8}
            # A plain view: numpy's own class for mapped arrays is slow to index.
            parts: dict[str, Any] = {
                name: np.asarray(np.memmap(self._folder / name, kinds[name], "r", shape=shape))
                if count
                else np.empty(shape, kinds[name])
                for name, shape in sizes.items()
            }
            return _Held(**parts), last
        except (OSError, ValueError, KeyError, TypeError):
            return None, 0

    def _append(self, new: _Held) -> None:
        """Add rows to the files, behind those that the state tells of."""
        if self._folder is None:
            return
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            for name, part in zip(("row", "step", "code"), _parts(new), strict=True):
                with (self._folder / name).open("ab") as file:
                    file.truncate(self._kept() * part.itemsize * (self._dim if name == "code" else 1))
                    file.seek(0, os.SEEK_END)
                    file.write(np.ascontiguousarray(part).tobytes())

    def _kept(self) -> int:
        """How many rows the state tells of: what a killed process wrote behind them does not count."""
        assert self._folder is not None
        try:
            return int(json.loads((self._folder / "state.json").read_text(encoding="utf-8"))["count"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0

    def _settle(self, count: int, state: tuple[int, int]) -> None:
        if self._folder is None:
            return
        told = {"format": _FORMAT, "dim": self._dim, "count": count, "last": state[0], "removals": state[1]}
        with suppress(OSError):
            atomic.write(self._folder / "state.json", json.dumps(told))

    def _nothing(self) -> _Held:
        return _Held(np.empty(0, np.int64), np.empty(0, np.float32), np.empty((0, self._dim), np.int8))


def folder_of(store: MemoryStore, encoder: str) -> Path | None:
    """Where the files of an encoder's vectors are; nowhere for a store in memory."""
    if store.path is None:
        return None
    return store.path.parent / "cache" / "memory" / re.sub(r"[^\w-]", "_", encoder)


def drop_files(store: MemoryStore, encoder: str = "") -> None:
    """Remove the files of an encoder, of all for none; what is mapped stays readable."""
    folder = folder_of(store, encoder or "any")
    if folder is not None:
        shutil.rmtree(folder if encoder else folder.parent, ignore_errors=True)


def _joined(parts: Sequence[_Held]) -> _Held:
    return _Held(*(np.concatenate(each) for each in zip(*map(_parts, parts), strict=True)))


def _parts(held: _Held) -> tuple[NDArray[Any], ...]:
    return held.row, held.step, held.code
