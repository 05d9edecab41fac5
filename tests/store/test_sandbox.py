"""What hostile SQL can and cannot do."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import pytest

from quire.errors import LibraryError, QueryError, QueryLimit, SqlError, SqlRefused
from quire.settings import Sql
from quire.store import Database, Sandbox, sandbox_child, schema
from tests.store.conftest import PAPER

REFUSED = {
    "read a file": "SELECT * FROM read_text('/etc/passwd')",
    "read a csv": "SELECT * FROM read_csv('/etc/passwd')",
    "list files": "SELECT * FROM glob('/*')",
    "read a database": "SELECT * FROM read_duckdb('/tmp/x.duckdb')",
    "a subquery that reads a file": "SELECT title FROM metadata WHERE EXISTS (SELECT 1 FROM read_blob('/x'))",
    "network": "SELECT * FROM read_csv('https://example.org/x.csv')",
    "attach": "ATTACH '/tmp/other.duckdb' AS other",
    "attach memory": "ATTACH ':memory:' AS other",
    "copy to": "COPY metadata TO '/tmp/stolen.csv'",
    "copy from": "COPY metadata FROM '/etc/passwd'",
    "export": "EXPORT DATABASE '/tmp/stolen'",
    "install": "INSTALL httpfs",
    "load": "LOAD httpfs",
    "set": "SET memory_limit = '100GB'",
    "set schema": "SET schema = 'information_schema'",
    "use": "USE memory",
    "pragma": "PRAGMA database_list",
    "pragma of storage": "PRAGMA storage_info('metadata')",
    "call": "CALL duckdb_settings()",
    "checkpoint": "CHECKPOINT",
    "vacuum": "VACUUM",
    "begin": "BEGIN",
    "two statements": "SELECT 1; SELECT 2",
    "hidden second statement": "SELECT 1; DROP TABLE metadata",
    "insert": "INSERT INTO metadata (title) VALUES ('x')",
    "insert in a with": "WITH x AS (INSERT INTO pages (page_number) VALUES (1) RETURNING *) SELECT * FROM x",
    "delete": "DELETE FROM metadata",
    "update": "UPDATE metadata SET title = ''",
    "drop": "DROP TABLE metadata",
    "temp table": "CREATE TEMP TABLE t AS SELECT 1",
    "macro": "CREATE TEMP MACRO f(x) AS x",
    "prepare": "PREPARE p AS SELECT 1",
    "variable": "SET VARIABLE x = 1",
    "explain a copy": "EXPLAIN COPY metadata TO '/tmp/x'",
    "explain analyze a copy": "EXPLAIN ANALYZE COPY metadata TO '/tmp/x'",
    "settings": "SELECT * FROM duckdb_settings()",
    "one setting": "SELECT current_setting('temp_directory')",
    "databases": "SELECT * FROM duckdb_databases()",
    "show databases": "SHOW DATABASES",
    "show all tables": "SHOW ALL TABLES",
    "information schema": "SELECT * FROM information_schema.tables",
    "system catalogue": "SELECT * FROM pg_catalog.pg_class",
    "other catalogue": "SELECT * FROM system.main.duckdb_tables",
    "text run as SQL": "SELECT * FROM query('SELECT 1')",
    "table by name": "SELECT * FROM query_table('papers')",
    "serialized SQL": "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
    "a with named like a hidden table": "SELECT * FROM (WITH papers AS (SELECT 1) FROM papers) a, papers",
    "log": "SELECT write_log('x')",
    "pivot": "PIVOT pages ON page_number USING count(*)",
    "sleep": "SELECT sleep_ms(100000)",
}
HIDDEN = ["papers", "vectors", "entries", "postings", "schema_version", "sqlite_master", "duckdb_tables"]
ENDLESS = {
    "recursion": "WITH RECURSIVE r AS (SELECT 1 a UNION ALL SELECT a + 1 FROM r) SELECT count(*) FROM r",
    "join": "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE hash(a.range + b.range) = 1",
    "one scalar call": "SELECT levenshtein(repeat('x', 300000), repeat('y', 300000))",
    "scalar calls": "SELECT sum(length(repeat('x', 100000000))) FROM range(100000)",
    "a huge string": "SELECT length(repeat('x', 4000000000))",
    "a huge list": "SELECT len(list_sort(range(2000000000)))",
    "a huge sort": "SELECT * FROM range(1000000000) t(x) ORDER BY hash(x)",
    "a huge row": "SELECT repeat('x', 1000000)",
}


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED.keys())
def test_refused(sandbox: Sandbox, sql: str) -> None:
    with pytest.raises(SqlRefused):
        sandbox.query(sql)


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_tables_look_as_if_they_were_not_there(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(SqlError, match="There is no table"):
        sandbox.query(f"SELECT * FROM {name}")


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM '/etc/passwd'", 'SELECT * FROM "/etc/passwd"', "FROM 'x.csv'"]
)
def test_a_file_as_a_table_is_no_table(sandbox: Sandbox, sql: str) -> None:
    with pytest.raises(SqlError, match="There is no table"):
        sandbox.query(sql)


@pytest.mark.parametrize("sql", ENDLESS.values(), ids=ENDLESS.keys())
def test_limits_hold_and_the_next_query_runs(sandbox: Sandbox, sql: str) -> None:
    started = time.monotonic()
    with pytest.raises(QueryLimit):
        sandbox.query(sql)
    assert time.monotonic() - started < 15  # the limit is 0.5 s; a new child takes longer
    assert sandbox.query("SELECT 1").rows == ((1,),)


def test_rows_are_cut_and_it_is_told(sandbox: Sandbox) -> None:
    result = sandbox.query("SELECT * FROM range(1000)")
    assert (len(result.rows), result.truncated, result.total) == (50, True, None)
    result = sandbox.query("SELECT * FROM range(50)")
    assert (len(result.rows), result.truncated, result.total) == (50, False, 50)


def test_bytes_are_cut_and_it_is_told(sandbox: Sandbox) -> None:
    result = sandbox.query("SELECT repeat('x', 30000) FROM range(40)")
    assert result.truncated
    assert len(result.rows) == 3


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT paper_id, title FROM metadata", ((PAPER, "On Boats"),)),
        ("FROM metadata SELECT authors", ((["A. Example", "B. Specimen"],),)),
        ("WITH m AS (SELECT * FROM metadata) SELECT count(*) FROM m", ((1,),)),
        ("SELECT title FROM main.metadata", (("On Boats",),)),
        ("SELECT m.title, p.page_label FROM metadata m JOIN pages p ON p.ref_paper_id = m.paper_id",
         (("On Boats", "iv"),)),
        ("VALUES (1, 'a')", ((1, "a"),)),
        ("SELECT 1.5, DATE '2024-02-03', NULL, {'a': [1]}, 'nan'::DOUBLE, '\\xFF'::BLOB",
         ((1.5, "2024-02-03", None, {"a": [1]}, "nan", "ff"),)),
        ("SELECT list_transform([1, 2], lambda x: x + 1)", (([2, 3],),)),
        ("SELECT unnest(authors) FROM metadata", (("A. Example",), ("B. Specimen",))),
        ("SELECT title FROM metadata WHERE title ILIKE '%boat%';", (("On Boats",),)),
    ],
)  # fmt: skip
def test_reading_works(sandbox: Sandbox, sql: str, rows: tuple[tuple[object, ...], ...]) -> None:
    assert sandbox.query(sql).rows == rows


def test_the_catalogue_that_is_shown(sandbox: Sandbox) -> None:
    assert ("pages",) in sandbox.query("SHOW TABLES").rows
    assert len(sandbox.query("SHOW TABLES").rows) == len(schema.TABLES)
    assert sandbox.query("DESCRIBE pages").rows[0][:2] == ("page_id", "UUID")
    assert sandbox.query("DESCRIBE tables").rows[0][:2] == ("table_id", "UUID")
    assert sandbox.query("SUMMARIZE pages").columns[0] == "column_name"
    assert "Seq Scan" in sandbox.query("EXPLAIN SELECT * FROM pages").rows[0][1]


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT * FROM page", "Did you mean `pages`"),
        ("SELECT * FROM referenses", "Did you mean `reference`"),
        ("SELECT titel FROM metadata", "Did you mean `title` of metadata"),
        ("SELECT ref_paper_id FROM metadata", "Did you mean `paper_id`"),
        ("SELECT m.page_content FROM metadata m", "`page_content` is a column of pages"),
        ("SELECT list_transform([1], x -> x)", "lambda x:"),
        ("SELEC 1", "syntax error"),
        ("", "no SQL statement"),
        ("-- nothing", "no SQL statement"),
    ],
)
def test_errors_say_what_was_meant(sandbox: Sandbox, sql: str, told: str) -> None:
    with pytest.raises(SqlError, match="(?s)" + told.replace("(", r"\(")):
        sandbox.query(sql)


def test_a_query_nested_without_end(sandbox: Sandbox) -> None:
    with pytest.raises(QueryError):  # the parser's depth or the memory, whichever ends first
        sandbox.query("SELECT " + "(" * 3000 + "1" + ")" * 3000)


def test_no_error_or_plan_tells_where_the_library_is(sandbox: Sandbox) -> None:
    folder = sandbox.path.parent.name
    for sql in [
        *list(REFUSED.values())[::6],
        "SELECT nothing",
        "SELECT * FROM nowhere",
        "SELECT 'x'::INTEGER",
    ]:
        with pytest.raises(QueryError) as raised:
            sandbox.query(sql)
        assert folder not in str(raised.value)
    assert folder not in str(sandbox.query("EXPLAIN SELECT * FROM metadata").rows)


def test_a_query_holds_no_lock_afterwards(shared: Database, sandbox: Sandbox) -> None:
    sandbox.query("SELECT 1")
    with Database(shared.path, patience=3.0).writing() as connection:
        connection.execute("UPDATE pages SET page_label = 'v'")
    assert sandbox.query("SELECT page_label FROM pages").rows == (("v",),)


def test_no_library(tmp_path: Path) -> None:
    with Sandbox(tmp_path / "library.duckdb", Sql()) as empty, pytest.raises(LibraryError, match="quire add"):
        empty.query("SELECT 1")


def test_a_statement_without_end(sandbox: Sandbox) -> None:
    with pytest.raises(QueryLimit, match="characters"):
        sandbox.query("SELECT '" + "x" * 300_000 + "'")


def test_times_that_python_does_not_know_are_text(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Sandbox(database.path) as sandbox:
        ((far,),) = sandbox.query("SELECT INTERVAL '100000000 years' -- far").rows
        assert far == "100000000 years"
        assert sandbox.query("SELECT 1 AS a, INTERVAL '9000000 years' AS b; ").columns == ("a", "b")
    monkeypatch.setitem(sys.modules, "pytz", None)  # as where it is not installed
    limits = sandbox_child.Limits(5, 512, 10, 10_000)
    with database.reading() as connection:
        found = sandbox_child._run(connection, "SELECT now() AS t, [now()] AS l, 7 AS n", limits)
    ((now, several, seven),) = found["rows"]
    assert str(now).startswith("20")
    assert str(now) in several
    assert seven == 7
    assert found["columns"] == ["t", "l", "n"]


def test_a_slow_query_holds_up_no_other(database: Database) -> None:
    slow = "SELECT count(*) FROM range(100000) a, range(100000) b WHERE hash(a.range * b.range) = 1"
    with Sandbox(database.path, Sql(time_limit=300)) as sandbox:
        sandbox.query("SELECT 1")
        thread = threading.Thread(target=lambda: pytest.raises(QueryLimit, sandbox.query, slow))
        thread.start()
        time.sleep(0.3)
        assert sandbox.query("SELECT 2").rows == ((2,),)
        assert thread.is_alive()
        sandbox._children.stop()
        thread.join()
