from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.app.cli.conftest import Command


def test_search_names_paper_page_section_and_box(quire: Command, filled: Path) -> None:
    ran = quire("search", "soaking time of the crease", "--library", filled, "--json", "--limit", 3)
    hits = json.loads(ran.out)
    assert 0 < len(hits) <= 3
    best = hits[0]
    assert best["paper_title"].startswith("Paper Boats")
    assert best["page"] == 1
    assert len(best["bbox"]) == 4
    marked = {best["text"][start:stop].lower() for start, stop in best["spans"]}
    assert "crease" in marked
    assert any(word.startswith("soak") for word in marked)  # whatever its ending


def test_search_for_people_is_safe_from_markup(quire: Command, filled: Path) -> None:
    ran = quire("search", "[red]reciprocal[/red] rank", "--library", filled)
    assert ran.code == 0
    assert "Searching a Shoe Box" in ran.out


def test_a_table_is_searched_by_its_first_column(quire: Command, filled: Path) -> None:
    hits = json.loads(quire("search", "shoe box", "--table", "metadata", "--library", filled, "--json").out)
    assert {hit["column"] for hit in hits} == {"title"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--filter", "ref_paper_id == 'x'"], "pdf_id"),
        (["--table", "chunk"], "chunks"),
        (["--collection", "text_bm25"], "text_bm25_en"),
        (["--paper", "no-such.pdf"], "no-such.pdf"),
    ],
)
def test_a_wrong_search_says_what_was_meant(
    quire: Command, filled: Path, arguments: list[str], said: str
) -> None:
    ran = quire("search", "paper", "--library", filled, *arguments)
    assert ran.code == 1
    assert said in ran.err


def test_errors_are_json_too(quire: Command, filled: Path) -> None:
    ran = quire("sql", "SELECT titel FROM metadata", "--library", filled, "--json")
    assert ran.code == 1
    error = json.loads(ran.out)["error"]
    assert error["type"] == "SqlError"
    assert "title" in error["message"] + error["hint"]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_sql_writes_files(quire: Command, filled: Path, tmp_path: Path, kind: str) -> None:
    target = tmp_path / f"years.{kind}"
    statement = "SELECT title, pub_year FROM metadata ORDER BY title"
    assert quire("sql", statement, "--library", filled, "-o", target).code == 0
    import duckdb

    reader = {"csv": "read_csv", "jsonl": "read_json", "parquet": "read_parquet"}[kind]
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT title FROM {reader}('{target}') ORDER BY title").fetchall()
    assert rows[0][0].startswith("Feeding")
    assert len(rows) == 4


def test_sql_is_read_only(quire: Command, filled: Path) -> None:
    ran = quire("sql", "DROP TABLE metadata", "--library", filled)
    assert ran.code == 1
    assert "SqlRefused" in ran.err


def test_schema_documents_every_column(quire: Command, filled: Path) -> None:
    tables = json.loads(quire("schema", "--library", filled, "--json").out)
    assert {table["name"] for table in tables} >= {"metadata", "pages", "sections", "reference"}
    assert all(column["doc"] for table in tables for column in table["columns"])


def test_page_writes_a_picture(quire: Command, filled: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.png"
    box = "54,162,244,82"
    ran = quire("page", "paper-boats.pdf", 1, "--box", box, "-o", target, "--library", filled)
    assert ran.code == 0
    assert target.read_bytes().startswith(b"\x89PNG")
    assert quire("page", "paper-boats.pdf", 9, "-o", target, "--library", filled).code == 1
    assert quire("page", "paper-boats.pdf", 1, "--box", "1,2", "-o", target, "--library", filled).code == 2


def test_arguments_that_are_no_text_end_in_a_sentence(quire: Command, filled: Path) -> None:
    bad = os.fsdecode(b"boats \xff\xfe")
    for words in (
        ["search", bad],
        ["ask", bad],
        ["sql", f"SELECT '{bad}'"],
        ["search", "x", "--filter", bad],
    ):
        for form in ([], ["--json"]):
            ran = quire(*words, *form, "--library", filled)
            assert "Traceback" not in ran.err
            (ran.out + ran.err).encode()
