"""Execution accuracy: what counts as the same, and what a query must not do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire_streams.tasks.sql_child import is_ordered, strip
from quire_streams.tasks.text_to_sql import (
    Cosql,
    Databases,
    QueryComparison,
    Spider,
    SqlQuestion,
    SqlRunner,
    from_columns,
    from_tables,
    rejoined,
)
from tasks.datasets import cosql, spider

RUNNER = SqlRunner(seconds=1.0)
SHOWN = (
    Spider()
    .sample(Databases(Path("nowhere"), ("database",), {"db": ""}), SqlQuestion("1", "db", "How many?", ""))
    .instance
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql") / "pets.sqlite"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE pet (name TEXT, kind TEXT, kilos REAL)")
    rows = [("Rex", "dog", 20), ("Tom", "cat", 4), ("Kim", "cat", 4), ("Old", "dog", 30)]
    db.executemany("INSERT INTO pet VALUES (?, ?, ?)", rows)
    db.execute("INSERT INTO pet VALUES (CAST(X'ff41' AS TEXT), 'fish', NULL)")
    db.commit()
    db.close()
    return path


def _compare(database: Path, said: str, gold: str) -> QueryComparison:
    return RUNNER.compare(database, said, gold)


@pytest.mark.parametrize(
    ("said", "gold", "strict", "loose"),
    [
        ("select NAME from pet", "SELECT name FROM pet", True, True),
        ("WITH c AS (SELECT * FROM pet) SELECT name FROM c", "SELECT name FROM pet", True, True),
        ("-- all\nSELECT name FROM pet -- really", "SELECT name FROM pet", True, True),
        ("/* x */ SELECT name FROM pet;", "SELECT name FROM pet", True, True),
        ("SELECT name FROM pet ORDER BY name DESC", "SELECT name FROM pet", True, True),
        ("SELECT name FROM pet ORDER BY name DESC", "SELECT name FROM pet ORDER BY name", False, True),
        ("SELECT DISTINCT kind FROM pet", "SELECT kind FROM pet", False, True),
        ("SELECT kind, name FROM pet", "SELECT name, kind FROM pet", False, False),
        ("SELECT name FROM pet WHERE kilos > 99", "SELECT kind FROM pet WHERE kilos > 500", True, True),
        ("SELECT name FROM pet WHERE kilos > 99", "SELECT name FROM pet", False, False),
        ("SELECT count(*) FROM pet", "SELECT 5.0", True, True),
        ("SELECT nothing FROM pet", "SELECT name FROM pet", False, False),
        ("SELECT 1; SELECT 1", "SELECT 1", False, False),
        ("", "SELECT 1", False, False),
    ],
)
def test_comparison(database: Path, said: str, gold: str, strict: bool, loose: bool) -> None:
    found = _compare(database, said, gold)
    assert (found.strict, found.loose) == (strict, loose), found


@pytest.mark.parametrize(
    "said",
    [
        "DELETE FROM pet",
        "DROP TABLE pet",
        "INSERT INTO pet VALUES ('a', 'b', 1)",
        "ATTACH '/etc/passwd' AS x",
        "PRAGMA writable_schema = 1",
        "CREATE TEMP TABLE t AS SELECT 1",
        "VACUUM INTO '/tmp/stolen.sqlite'",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
    ],
)
def test_only_reading_is_allowed(database: Path, said: str) -> None:
    before = database.read_bytes()
    found = _compare(database, said, "SELECT 1")
    assert found.said == "error"
    assert not found.loose
    assert database.read_bytes() == before


@pytest.mark.parametrize(
    "said",
    [
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "SELECT count(*) FROM " + ", ".join(f"pet p{n}" for n in range(14)),
    ],
)
def test_endless_queries_end(database: Path, said: str) -> None:
    assert _compare(database, said, "SELECT 1").said == "timeout"


def test_what_eats_memory_ends_and_the_next_query_runs(database: Path) -> None:
    found = _compare(database, "SELECT zeroblob(900000000) || zeroblob(900000000)", "SELECT 1")
    assert found.said in ("error", "limit", "timeout")
    assert _compare(database, "SELECT 1", "SELECT 1").strict


def test_what_cannot_run_is_unknown_and_named(tmp_path: Path) -> None:
    task = Spider(seconds=1.0)
    sample = task.load(spider(tmp_path))[0]
    sample.gold.database.unlink()
    result = task.score(sample, "SELECT 1")
    assert result.value is None
    assert "not there" in result.reason


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("SELECT 1", "SELECT 1"),
        ("```sql\nselect a\nfrom b;\n```", "select a\nfrom b"),
        (
            "Here you are:\n```\nWITH x AS (SELECT 1)\nSELECT * FROM x\n```\nDone.",
            "WITH x AS (SELECT 1)\nSELECT * FROM x",
        ),
        ("The query is SELECT name FROM t WHERE a = 'x;'\n\nIt counts.", "SELECT name FROM t WHERE a = 'x;'"),
        ("-- first\nselect 1", "-- first\nselect 1"),
        ('{"sql": "SELECT 2"}', "SELECT 2"),
        ("(SELECT 1) UNION SELECT 2", "(SELECT 1) UNION SELECT 2"),
        ("I do not know.", ""),
        ("", ""),
    ],
)
def test_reading_a_reply(reply: str, expected: str) -> None:
    assert Spider().parse(reply, SHOWN) == expected


@given(st.text(max_size=200))
def test_reading_never_fails(reply: str) -> None:
    assert isinstance(Spider().parse(reply, SHOWN), str)


@pytest.mark.parametrize(
    ("sql", "ordered"),
    [
        ("SELECT a FROM t ORDER BY a", True),
        ("select a from t order\n by a", True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", False),
        ("SELECT 'order by' FROM t", False),
        ('SELECT a AS "order by" FROM t', False),
        ("SELECT a FROM t -- order by a", False),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM u) ORDER BY c", True),
        ("SELECT row_number() OVER (ORDER BY a) FROM t", False),
    ],
)
def test_whether_order_was_asked(sql: str, ordered: bool) -> None:
    assert is_ordered(sql) == ordered


@given(st.text(alphabet="ab'\"-/*\n []`", max_size=40))
def test_stripping_never_fails(sql: str) -> None:
    assert len(strip(sql)) <= 2 * len(sql) + 2


def test_broken_operators_are_joined_outside_quotes() -> None:
    assert (
        rejoined("a ! = 1 AND b > = 2 AND c < > 3 AND d = '> ='")
        == "a != 1 AND b >= 2 AND c <> 3 AND d = '> ='"
    )


def test_dialogues_show_what_came_before(tmp_path: Path) -> None:
    samples = Cosql().load(cosql(tmp_path))
    assert samples[0].instance.fields["before"] == ""
    assert "Before: Which animals weigh more than 0 kilos?" in samples[1].instance.input
    assert "SELECT" not in samples[1].instance.input


def test_schemas_have_keys_and_quotes() -> None:
    table = {
        "db_id": "d",
        "table_names_original": ["a", "b"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "Free Meal (%)"], [1, "a_id"]],
        "column_types": ["text", "number", "text", "number"],
        "primary_keys": [1],
        "foreign_keys": [[3, 1]],
    }
    schema = from_tables([table])["d"]
    assert '"Free Meal (%)" text' in schema
    assert "PRIMARY KEY (id)" in schema
    assert "FOREIGN KEY (a_id) REFERENCES a (id)" in schema
    columns = {
        "d#sep#a": {
            "db_id": "d",
            "table_name_original": "a",
            "column_names_original": ["x"],
            "column_types": ["t"],
        }
    }
    assert from_columns(columns) == {"d": "CREATE TABLE a (\n  x t\n);"}
