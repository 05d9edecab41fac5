from __future__ import annotations

import csv
import io
import json
from datetime import date
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.errors import QueryError, UnknownNameError
from quire.store import export
from quire.types import ResultSet

RESULT = ResultSet(
    columns=("n", "text", "text", "list", "day", "blob"),
    types=("INTEGER", "VARCHAR", "VARCHAR", "VARCHAR[]", "DATE", "BLOB"),
    rows=((1, 'a "b",\nc', "x", ["p", "q"], "2024-02-03", "ff00"), (2, None, None, None, None, None)),
)


def test_csv() -> None:
    rows = list(csv.reader(io.StringIO(export.as_csv(RESULT))))
    assert rows[0] == ["n", "text", "text", "list", "day", "blob"]
    assert rows[1][:4] == ["1", 'a "b",\nc', "x", '["p", "q"]']
    assert rows[2] == ["2", "", "", "", "", ""]


def test_json_lines_keep_both_columns_of_one_name() -> None:
    first, second = (json.loads(line) for line in export.as_jsonl(RESULT).splitlines())
    assert first["text"] == 'a "b",\nc'
    assert first["text_2"] == "x"
    assert second["list"] is None


def test_parquet_has_the_types(tmp_path: Path) -> None:
    file = tmp_path / "out.parquet"
    export.write(RESULT, "parquet", file)
    with duckdb.connect() as connection:
        rows = connection.execute("SELECT * FROM read_parquet(?)", [str(file)]).fetchall()
    assert rows[0] == (1, 'a "b",\nc', "x", ["p", "q"], date(2024, 2, 3), b"\xff\x00")
    assert rows[1] == (2, None, None, None, None, None)


def test_parquet_without_rows(tmp_path: Path) -> None:
    file = tmp_path / "out.parquet"
    export.write(ResultSet(("a", "b"), ("INTEGER", "VARCHAR[]"), ()), "parquet", file)
    with duckdb.connect() as connection:
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(file)]).fetchall()
    assert [row[:2] for row in described] == [("a", "INTEGER"), ("b", "VARCHAR[]")]


def test_table_is_aligned_and_short() -> None:
    lines = export.as_table(
        ResultSet(("a", "b"), ("VARCHAR",) * 2, (("x" * 100, None), ("y", "z")))
    ).splitlines()
    assert lines[0].index("b") == lines[3].index("z")
    assert "..." in lines[2]


def test_unknown_kind_and_unwritable_place(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="csv"):
        export.write(RESULT, "xlsx", tmp_path / "out")
    with pytest.raises(QueryError, match="Cannot write"):
        export.write(RESULT, "csv", tmp_path / "no" / "such" / "folder.csv")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-(2**31), 2**31 - 1)),
        max_size=5,
    )
)
def test_json_lines_round_trip(rows: list[tuple[str, int]]) -> None:
    result = ResultSet(("t", "n"), ("VARCHAR", "INTEGER"), tuple(rows))
    back = [json.loads(line) for line in export.as_jsonl(result).split("\n")[:-1]]
    assert [(row["t"], row["n"]) for row in back] == rows


HOSTILE = "\x1b]0;owned\x07\x9b31m\u202egnp.exe\x00 title\ud800"


def test_no_control_character_leaves_raw() -> None:
    result = ResultSet((HOSTILE,), ("VARCHAR",), ((HOSTILE,), ([HOSTILE],)))
    for kind in (export.as_csv, export.as_jsonl, export.as_table):
        text = kind(result)
        assert all(c.isprintable() or c == "\n" for c in text), (kind, text)
    assert json.loads(export.as_jsonl(result).splitlines()[0]) == {HOSTILE: HOSTILE}


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("@SUM(1)", "'@SUM(1)"),
        ("-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"),
        (" =1", "' =1"),
        ("-2.5", "-2.5"),
        ("+1,000", "+1,000"),
        ("- 3 %", "- 3 %"),
        ("a=b", "a=b"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_no_formula_leaves_raw(cell: str, written: str) -> None:
    out = export.as_csv(ResultSet(("x",), ("VARCHAR",), ((cell,),)))
    assert list(csv.reader(io.StringIO(out, newline="")))[1] == [written]
