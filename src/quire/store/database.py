"""The library's one DuckDB file, opened for moments only.

    database = Database(folder / "library.duckdb")
    with database.writing() as connection:      # one transaction: all of it is kept, or nothing
        connection.execute("DELETE FROM pages WHERE ref_paper_id = ?", [paper])
    with database.reading() as connection:
        connection.execute("SELECT count(*) FROM pages").fetchone()

DuckDB lets one process write or several read, never both, so no connection lives longer than its block (a
quarter of a second longer for reading, unless a writer waits: `locks`). Threads of the process that
writes read along.
Who finds the file locked waits `patience` seconds and then gets LibraryLocked with the holder's name.

A committed transaction stands in the write-ahead log; folding the log into the file is left to DuckDB's
threshold and to `checkpoint()`, because folding at every close costs more as the library grows. Whoever ends
a change calls it: nothing that is done depends on the log being there later.

A library may come from somebody else: what is no table in it (a view, macro or trigger) would run its maker's
SQL at every question, so it is not opened.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import duckdb

from quire.errors import LibraryDamaged, LibraryError, LibraryUnsafe
from quire.store import hints, locks, migrate

Config = dict[str, str | bool | int | float | list[str]]

_CONFIG: Config = {
    "enable_external_access": "false",  # no statement reaches a file, whatever a library brings along
    "autoinstall_known_extensions": "false",  # no hidden network
    "autoload_known_extensions": "false",
    "memory_limit": "700MB",  # of a library: the setting `index.memory_limit`
    "threads": "1",  # most questions are small: sharing them out takes longer than they do
    "checkpoint_threshold": "4MB",  # of the log, which every opening reads
    "python_enable_replacements": "false",
}
_LOCKED: Config = {"lock_configuration": "true"}
_STRANGE = """
SELECT 'view', view_name FROM duckdb_views() WHERE NOT internal
UNION ALL SELECT 'trigger', trigger_name FROM duckdb_triggers()
UNION ALL SELECT 'macro', function_name FROM duckdb_functions() WHERE NOT internal
LIMIT 1"""


class Database:
    """Connections to one file, with `config` beside DuckDB's usual settings. Thread-safe."""

    def __init__(self, path: Path, *, patience: float = 10.0, config: Config | None = None) -> None:
        self.path = path
        self.patience = patience
        self._config = {**_CONFIG, **(config or {})}
        self._shared = locks.shared_file(path)
        self._known = False

    def exists(self) -> bool:
        """Whether there is a file yet."""
        return self.path.exists()

    def create(self) -> None:
        """Make the file, or bring its schema up to date.

        Raises:
            LibraryLocked: another process holds it.
            LibraryError: it was written by a newer quire.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._told(), self._writing() as connection:
            migrate.migrate(connection)
        self._known = True

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection.

        Raises:
            LibraryError: there is no library there, one of a newer quire, or an unsafe one.
            LibraryLocked: another process is writing, for longer than `patience`.
        """
        self._prepare()
        with self._reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection inside one transaction: committed at the end, rolled back if the block raises.

        Threads of this process may read meanwhile: they see what was committed before.

        Raises:
            LibraryError: there is no library there, or one of a newer quire.
            LibraryLocked: other processes are using it, for longer than `patience`.
        """
        self._prepare()
        # What does not fit a column is the matter of who writes it.
        with self._told(duckdb.DataError), self._writing(fold=False) as instance:
            with self._shared.lending(instance), contextlib.closing(instance.cursor()) as connection:
                connection.begin()
                try:
                    yield connection
                    connection.commit()
                except BaseException:
                    # A failed commit has rolled back by itself, and a broken connection cannot.
                    with contextlib.suppress(duckdb.Error):
                        connection.rollback()
                    raise

    def checkpoint(self) -> None:
        """Fold the write-ahead log, if there is one, into the file.

        Raises:
            LibraryLocked: other processes are reading, for longer than `patience`; the log stays.
            LibraryError: the file cannot be written.
        """
        if not self.path.with_name(f"{self.path.name}.wal").exists():
            return
        with self._told(), self._writing() as connection:
            connection.execute("CHECKPOINT")

    def _prepare(self) -> None:
        if self._known:
            return
        if not self.path.exists():
            raise missing(self.path)
        with self._reading() as connection:
            have = migrate.version(connection)
            _refuse_strange(connection, self.path)
        migrate.check_known(have)
        if have < migrate.newest():
            self.create()
        self._known = True

    @contextmanager
    def _reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        opened = partial(self._open, read_only=True)
        with self._shared.reading(self.patience, opened) as connection, self._told():
            yield connection

    @contextmanager
    def _writing(self, fold: bool = True) -> Iterator[duckdb.DuckDBPyConnection]:
        """The writer's turn, and an instance that writes; it folds the log into the file as it is closed."""
        with self._shared.writing(self.patience):
            with contextlib.closing(self._open(read_only=False, fold=fold)) as connection:
                yield connection

    def _open(self, read_only: bool, fold: bool = True) -> duckdb.DuckDBPyConnection:
        end = time.monotonic() + self.patience
        pause = 0.002
        while True:
            try:
                if read_only:  # its readers share one instance, so it must be opened in one way only
                    return duckdb.connect(self.path, read_only=True, config={**self._config, **_LOCKED})
                connection = duckdb.connect(self.path, config=self._config)
                if not fold:
                    connection.execute("PRAGMA disable_checkpoint_on_shutdown")
                connection.execute("SET lock_configuration = true")
                return connection
            except duckdb.Error as error:
                pid = locks.holder_of(str(error))
                if pid is None:
                    raise hints.told(self.path, error) from error
                if time.monotonic() > end:
                    raise locks.locked(self.path.parent, pid) from error
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 1.5, 0.1)

    @contextmanager
    def _told(self, *passed: type[duckdb.Error]) -> Iterator[None]:
        """DuckDB's errors as ours."""
        try:
            yield
        except passed:
            raise
        except duckdb.Error as error:
            raise hints.told(self.path, error) from error


def _refuse_strange(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    for kind, name in connection.execute(_STRANGE).fetchall():
        raise LibraryUnsafe(
            f"{path} holds the {kind} `{str(name)[:100]}`, which quire never makes; it is not opened.",
            hint=f"Make another library from its PDFs: `quire add {path.parent}/papers --library DIR`.",
        )


def connected_to(files: Sequence[Path]) -> duckdb.DuckDBPyConnection:
    """A database in memory whose statements reach these files and no other."""
    connection = duckdb.connect(config={**_CONFIG, "enable_external_access": "true"})
    connection.execute("SET allowed_paths = ?", [[str(file) for file in files]])
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def missing(path: Path) -> LibraryError:
    """The error for a database that is not there: never made, or lost."""
    if any((path.parent / "papers").glob("*.pdf")):
        return LibraryDamaged(
            f"{path} is gone, the library's PDFs are there.", hint="`quire repair` reads them again."
        )
    return LibraryError(f"There is no library in {path.parent}.", hint="`quire add PATH` makes one.")
