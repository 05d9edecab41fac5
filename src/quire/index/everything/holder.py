"""The snapshot of the library as it now is: mapped if it was made before, else made and kept.

    holder = Holder(folder / "cache", backend, dim=384)
    snapshot = holder.snapshot(connection)

Files are in `cache/search-<state>` of the library; they can be deleted at any time. Where they cannot be
written they are made in the system's temporary folder and last as long as the process.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from quire.index.backends import Backend
from quire.index.everything.building import build
from quire.index.everything.snapshot import FORMAT, Snapshot, SnapshotDamaged, load

_PREFIX = "search-"
_OLD = 10.0  # seconds


class Holder:
    """Keeps the newest snapshot. Thread-safe: threads wait for each other only while one is made.

    While `changing()`, one that was made less than `_OLD` seconds ago will do, and so will the last one for
    those who come while the next is made: else every search would wait for every paper that comes in.
    """

    def __init__(
        self, folder: Path, backend: Backend, dim: int, changing: Callable[[], bool] = lambda: False
    ) -> None:
        self._folder = folder
        self._backend = backend
        self._dim = dim
        self._guard = threading.Lock()
        self._changing = changing
        self._held: tuple[int, Snapshot] | None = None
        self._since = 0.0

    def snapshot(self, connection: duckdb.DuckDBPyConnection, *, fresh: bool = False) -> Snapshot:
        """The snapshot of what the connection sees; unless `fresh`, an older one where that will do."""
        ((generation,),) = connection.execute("SELECT generation FROM index_state").fetchall()
        held = self._held
        if held is not None and held[0] == generation:
            return held[1]
        if held is not None and not fresh and self._changing():
            if self._guard.locked() or time.monotonic() - self._since < _OLD:
                return held[1]
        with self._guard:
            if self._held is None or self._held[0] != generation:
                self._held = (generation, self._made(connection))
                self._since = time.monotonic()
            return self._held[1]

    def _made(self, connection: duckdb.DuckDBPyConnection) -> Snapshot:
        target = self._folder / f"{_PREFIX}{self._state(connection)}"
        with contextlib.suppress(SnapshotDamaged):
            return load(target)
        earlier = self._held[1] if self._held else self._earlier()
        try:
            self._folder.mkdir(exist_ok=True)
            making = Path(tempfile.mkdtemp(prefix=".", dir=self._folder))
        except OSError:
            making = target = Path(tempfile.mkdtemp(prefix="quire-"))
        try:
            build(connection, self._backend, self._dim, earlier, making)
            if making == target:
                return load(making)  # what is mapped stays when the files go
            _put(making, target)
            found = load(target)
        finally:
            shutil.rmtree(making, ignore_errors=True)
        for other in self._folder.glob(f"{_PREFIX}*"):
            if other != target:
                shutil.rmtree(other, ignore_errors=True)
        return found

    def _earlier(self) -> Snapshot | None:
        """Any earlier snapshot: its entries need not be read again."""
        for folder in self._folder.glob(f"{_PREFIX}*"):
            with contextlib.suppress(SnapshotDamaged):
                return load(folder)
        return None

    def _state(self, connection: duckdb.DuckDBPyConnection) -> str:
        # The generation alone would not tell a library that was made again in the same folder.
        rows = connection.execute(
            """SELECT (SELECT generation FROM index_state), count(*), max(id),
                      bit_xor(hash(id, pdf_id, primary_key)) FROM entries"""
        ).fetchall()
        told = f"{FORMAT} {self._dim} {rows}"
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def _put(making: Path, target: Path) -> None:
    """Give a finished folder its name, in place of a damaged one; another process may have been faster."""
    shutil.rmtree(target, ignore_errors=True)
    with contextlib.suppress(OSError):
        making.rename(target)
