from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest

from quire.errors import LibraryDamaged, LibraryError, LibraryLocked
from quire.store import Database, WriterLock, migrate
from tests.store.conftest import PAPER, metadata

HOLDER = """
import duckdb, sys
held = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "reader")
print("held", flush=True)
sys.stdin.read()
"""


def holder(path: Path, role: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path), role],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def count(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute("SELECT count(*) FROM metadata").fetchall()[0][0])


def test_all_migrations_ran_and_say_so(database: Database) -> None:
    with database.reading() as connection:
        assert migrate.version(connection) == migrate.newest()
    database.create()  # again: nothing to do
    assert count(database) == 1


def test_a_failed_block_leaves_nothing(database: Database) -> None:
    def half(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("DELETE FROM metadata")
        raise KeyError("half-way")

    with pytest.raises(KeyError, match="half-way"), database.writing() as connection:
        half(connection)
    assert count(database) == 1


def test_no_library_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="quire add"), Database(tmp_path / "library.duckdb").reading():
        pass


def test_a_library_of_before_gets_the_views_that_came_later(tmp_path: Path) -> None:
    path = tmp_path / "library.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE schema_version (number INTEGER, name VARCHAR, ran TIMESTAMP)")
        for number, name, sql in migrate.migrations()[:2]:
            connection.execute(sql)
            connection.execute("INSERT INTO schema_version VALUES (?, ?, now())", [number, name])
        connection.execute(
            "INSERT INTO papers (paper_id, file_name, source_path, state) VALUES"
            " (uuid(), 'a.pdf', '/papers/a.pdf', 'parsed'), (uuid(), 'b.pdf', '/papers/b.pdf', 'failed')"
        )
        connection.execute("INSERT INTO metadata (paper_id, title, volume) VALUES (uuid(), 'On Boats', '3')")
    with Database(path).reading() as connection:
        assert connection.execute("SELECT count(*) FROM cells, sentences").fetchall() == [(0,)]
        assert connection.execute("SELECT place, file_name FROM sources").fetchall() == [
            ("/papers/a.pdf", "a.pdf")
        ]
        asked = "SELECT title, volume, received, keywords, corrected FROM metadata"
        assert connection.execute(asked).fetchall() == [("On Boats", "3", None, None, None)]
        assert connection.execute("SELECT reference_authors FROM reference").fetchall() == []


def test_a_newer_schema_is_refused(database: Database) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO schema_version VALUES (9999, 'later', now())")
    with pytest.raises(LibraryError, match="newer quire"), Database(database.path).reading():
        pass


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "library.duckdb"
    path.write_text("This is not a database. " * 1000)
    with pytest.raises(LibraryDamaged, match="cannot be read: IO Error"), Database(path).reading():
        pass


def test_a_writer_elsewhere_is_named(database: Database) -> None:
    process = holder(database.path, "writer")
    try:
        with pytest.raises(LibraryLocked, match=f"process {process.pid}"):
            count(database)
    finally:
        end(process)
    assert count(database) == 1


def test_readers_share_and_hold_up_only_writers(database: Database) -> None:
    process = holder(database.path, "reader")
    try:
        assert count(database) == 1
        with pytest.raises(LibraryLocked, match=str(process.pid)), database.writing():
            pass
    finally:
        end(process)


def test_a_writer_waits_for_a_reader_that_soon_ends(database: Database) -> None:
    patient = Database(database.path, patience=20)
    process = holder(database.path, "reader")
    threading.Timer(0.2, process.kill).start()
    with patient.writing() as connection:
        connection.execute("DELETE FROM metadata")
    end(process)
    assert count(database) == 0


def test_threads_take_turns(database: Database) -> None:
    patient = Database(database.path, patience=30)
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(5):
                if number % 2:
                    count(patient)
                else:
                    with patient.writing() as connection:
                        connection.execute("UPDATE metadata SET num_pages = num_pages + 1")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    with patient.reading() as connection:
        assert connection.execute("SELECT num_pages FROM metadata").fetchall() == [(11,)]


def test_what_was_committed_survives_a_kill(database: Database) -> None:
    script = """
import os, signal, sys
from pathlib import Path
from quire.store import Database
from tests.store.conftest import metadata
from quire.store.rows import insert
import uuid
database = Database(Path(sys.argv[1]))
with database.writing() as connection:
    insert(connection, [metadata(str(uuid.uuid4()), "kept")])
with database.writing() as connection:
    insert(connection, [metadata(str(uuid.uuid4()), "lost")])
    os.kill(os.getpid(), signal.SIGKILL)
"""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script, str(database.path)],
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert done.returncode == -9
    with database.reading() as connection:
        titles = connection.execute("SELECT title FROM metadata ORDER BY title").fetchall()
    assert titles == [("On Boats",), ("kept",)]


def test_one_changes_a_library_at_a_time_and_the_second_hears_who(tmp_path: Path) -> None:
    with WriterLock(tmp_path), pytest.raises(LibraryLocked, match=f"process {os.getpid()}"):
        WriterLock(tmp_path, patience=0.05).__enter__()
    with WriterLock(tmp_path):
        pass


def test_the_paper_of_the_fixture_is_there(database: Database) -> None:
    assert metadata().paper_id == PAPER


_MANY_READS = """
import gc, sys
from pathlib import Path
from quire.store import Database

def pages():
    return int(open("/proc/self/statm").read().split()[1])

def read(times):
    for _ in range(times):
        with database.reading() as connection:
            connection.execute("SELECT title FROM metadata ORDER BY title LIMIT 5").fetchall()
    gc.collect()
    return pages()

database = Database(Path(sys.argv[1]))
print((-read(500) + read(4000)) * 4)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_many_reads_in_a_row_keep_nothing(database: Database) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MANY_READS, str(database.path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert int(done.stdout) < 3000  # kB


def test_readers_go_on_while_a_thread_writes_and_see_what_was_committed(database: Database) -> None:
    with database.writing() as connection:
        connection.execute("DELETE FROM metadata")
        seen: list[int] = []
        reader = threading.Thread(target=lambda: seen.append(count(database)))
        reader.start()
        reader.join(10)
        assert seen == [1]  # from another thread, inside the writer's turn, before its commit
    assert count(database) == 0


def test_a_reader_sees_one_state_for_as_long_as_it_reads(database: Database) -> None:
    begun, changed, seen = threading.Event(), threading.Event(), list[tuple[int, int]]()

    def read() -> None:
        with database.reading() as connection:
            sql = "SELECT count(*) FROM metadata"
            before = connection.execute(sql).fetchall()[0][0]
            begun.set()
            changed.wait(10)
            seen.append((before, connection.execute(sql).fetchall()[0][0]))

    reader = threading.Thread(target=read)
    with database.writing() as connection:
        reader.start()
        begun.wait(10)
        connection.execute("DELETE FROM metadata")
        connection.commit()
        connection.begin()
        changed.set()
        reader.join(10)
    assert seen == [(1, 1)]
    assert count(database) == 0


def test_many_readers_do_not_keep_a_writer_out(database: Database) -> None:
    ended = threading.Event()
    patient = Database(database.path, patience=30)

    def read() -> None:
        while not ended.is_set():
            with patient.reading() as connection, patient.reading():  # one within the other, too
                connection.execute("SELECT count(*) FROM metadata").fetchall()

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    try:
        for _ in range(5):
            with Database(database.path, patience=10).writing() as connection:
                connection.execute("UPDATE metadata SET num_pages = 7")
    finally:
        ended.set()
        for reader in readers:
            reader.join()
