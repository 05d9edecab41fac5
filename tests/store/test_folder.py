"""Libraries of strangers: links, views, triggers and macros are refused, and no SQL reaches a file."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

from quire.errors import LibraryDamaged, LibraryError, LibraryFull, LibraryUnsafe
from quire.library import Library
from quire.store import Database, WriterLock, hints, locks
from quire.store.database import Config
from tests.library.conftest import KEYWORDS

STRANGE = {
    "view": "ALTER TABLE pages RENAME TO old; CREATE VIEW pages AS SELECT * FROM read_text('/etc/passwd')",
    "macro": "CREATE MACRO lower(a) AS 'a'",
    "table macro": "CREATE MACRO found() AS TABLE SELECT * FROM read_text('/etc/passwd')",
    "view elsewhere": "CREATE SCHEMA other; CREATE VIEW other.pages AS SELECT 1",
    "trigger": "CREATE TRIGGER t AFTER INSERT ON papers FOR EACH STATEMENT DELETE FROM pages",
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_quire_never_makes_is_refused(database: Database, kind: str) -> None:
    locks.shared_file(database.path).drop()
    with duckdb.connect(str(database.path)) as connection:
        try:
            connection.execute(STRANGE[kind])
        except duckdb.Error as error:  # a DuckDB that has none of these
            pytest.skip(str(error))
    before = database.path.read_bytes()
    told = f"the {'macro' if 'macro' in kind else kind.split()[0]} `"
    with pytest.raises(LibraryUnsafe, match=told), Database(database.path).reading():
        pass
    with pytest.raises(LibraryUnsafe, match=told), Database(database.path).writing():
        pass
    with pytest.raises(LibraryUnsafe, match="quire add"):
        Library.open(database.path.parent, **KEYWORDS).papers()
    assert database.path.read_bytes() == before


@pytest.mark.parametrize("write", [True, False])
def test_no_connection_reaches_a_file_or_changes_its_settings(database: Database, write: bool) -> None:
    for sql, kind in {
        "SELECT * FROM read_text('/etc/passwd')": duckdb.PermissionException,
        "SELECT * FROM '/etc/passwd'": duckdb.Error,
        "ATTACH '/tmp/other.duckdb'": duckdb.PermissionException,
        "SET enable_external_access = true": duckdb.InvalidInputException,
        "SET memory_limit = '100GB'": duckdb.InvalidInputException,
        "SET lock_configuration = false": duckdb.InvalidInputException,
    }.items():
        with database.writing() if write else database.reading() as connection, pytest.raises(kind):
            connection.execute(sql).fetchall()


@pytest.mark.parametrize(
    "place",
    "library.lock library.duckdb.wal papers papers/.leaving papers/x.json serve/uploads serve.lock cache/x"
    " trash trash/x.note index index/words index/units/journal index/vectors/x/codes runs downloads".split(),
)
def test_a_link_in_a_library_is_refused_and_its_target_stays(tmp_path: Path, place: str) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "letter.txt").write_text("Dear reader")
    folder = tmp_path / "library"
    (folder / place).parent.mkdir(parents=True)
    (folder / place).symlink_to(precious / "letter.txt" if "." in place[-7:] else precious)
    with pytest.raises(LibraryUnsafe, match="is a link"):
        Library.open(folder, **KEYWORDS)
    with pytest.raises(LibraryError):
        WriterLock(folder, patience=0).__enter__()
    assert (precious / "letter.txt").read_text() == "Dear reader"
    assert [each.name for each in precious.iterdir()] == ["letter.txt"]


def test_a_pipe_in_a_library_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "memory.sqlite")
    with pytest.raises(LibraryUnsafe, match="no file"):
        Library.open(tmp_path)


@pytest.mark.parametrize(
    ("error", "kind", "advice"),
    [
        (
            duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block"),
            LibraryFull,
            "second library",
        ),
        (duckdb.IOException("IO Error: Could not write: No space left on device"), LibraryFull, "room"),
        (
            duckdb.FatalException("FATAL Error: invalidated.\nOriginal error: 'No space left on device'"),
            LibraryFull,
            "room",
        ),
        (duckdb.IOException("IO Error: Cannot open: Permission denied"), LibraryError, "disk"),
        (
            duckdb.SerializationException("Serialization Error: Failed to deserialize"),
            LibraryDamaged,
            "repair",
        ),
    ],
)
def test_running_out_is_no_damage(error: duckdb.Error, kind: type[LibraryError], advice: str) -> None:
    told = hints.told(Path("/papers/library.duckdb"), error)
    assert type(told) is kind
    assert advice in str(told)
    assert ("move it" in str(told)) == (kind is LibraryDamaged)


def test_a_library_that_outgrows_its_memory_is_full_not_damaged(tmp_path: Path) -> None:
    Database(tmp_path / "library.duckdb").create()
    config: Config = {"memory_limit": "20MB", "max_temp_directory_size": "1MB"}
    small = Database(tmp_path / "library.duckdb", config=config)
    with pytest.raises(LibraryFull, match=r"memory.*index\.memory_limit"), small.writing() as connection:
        connection.execute(
            "INSERT INTO pages SELECT uuid(), 1, 1, 1, repeat('x', 2000) || range, '', uuid(), ''"
            " FROM range(100000) ORDER BY random()"
        )
    with small.reading() as connection:
        assert connection.execute("SELECT count(*) FROM pages").fetchall() == [(0,)]
