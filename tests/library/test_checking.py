"""Damage of every kind is found, named, and made good."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quire.library import Library
from quire.store import Database

DAMAGE = {
    "metadata": "DELETE FROM metadata WHERE title LIKE 'Paper Boats%'",
    "pages": "DELETE FROM pages WHERE page_number = 2",
    "twice": "INSERT INTO chunks SELECT * FROM chunks LIMIT 1",
    "entries": "DELETE FROM chunks WHERE ordinal = 1",
    "orphans": "UPDATE tables SET ref_paper_id = uuid() WHERE ordinal = 0",
    "dangling": "UPDATE chunks SET ref_section_id = uuid() WHERE ordinal = 0",
    "words": "DELETE FROM postings_recent WHERE id = (SELECT min(id) FROM postings_recent)",
    "vectors": "DELETE FROM vectors WHERE pair = 9",
}


@pytest.fixture
def copied(filled: Library, tmp_path: Path) -> Library:
    shutil.copytree(filled.folder, tmp_path / "library")
    return Library.open(tmp_path / "library")


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_is_found(copied: Library, kind: str) -> None:
    with Database(copied.folder / "library.duckdb").writing() as connection:
        connection.execute(DAMAGE[kind])
    health = copied.check()
    assert not health.ok
    assert kind in {problem.kind for problem in health.problems}


def test_all_of_it_is_repaired(copied: Library, filled: Library) -> None:
    with Database(copied.folder / "library.duckdb").writing() as connection:
        for sql in DAMAGE.values():
            connection.execute(sql)
    lost, *_ = sorted((copied.folder / "papers").glob("*.pdf"))
    lost.unlink()
    (copied.folder / "papers" / "not-an-id.pdf").touch()
    health = copied.repair()
    assert health.problems == ()
    assert health.counts == filled.check().counts
    assert lost.exists()
    copied.close()


def test_a_lost_copy_costs_no_rows_and_comes_back_with_the_file(copied: Library, tmp_path: Path) -> None:
    paper, before = copied.paper("paper-boats.pdf"), copied.check().counts
    copy = copied.folder / "papers" / f"{paper.id}.pdf"
    moved = shutil.copy(copy, tmp_path / "moved.pdf")
    with Database(copied.folder / "library.duckdb").writing() as connection:
        connection.execute("UPDATE papers SET source_path = '/nowhere' WHERE file_name = 'paper-boats.pdf'")
    copy.unlink()
    health = copied.repair()
    assert [problem.detail for problem in health.problems] == [
        "its PDF is not in papers/; add the file again"
    ]
    assert health.counts == before
    copied.add([moved])
    assert copied.check().problems == ()
    assert copied.check().counts == before
    copied.close()


def test_a_lost_copy_is_taken_from_the_file_without_parsing(copied: Library) -> None:
    copied.close()
    copied = Library.open(copied.folder, parsing__time_limit=0.001)  # nothing can be parsed
    paper = copied.paper("paper-boats.pdf")
    copy = copied.folder / "papers" / f"{paper.id}.pdf"
    content = copy.read_bytes()
    copy.unlink()
    assert copied.repair().problems == ()
    assert copy.read_bytes() == content
    copied.close()


def test_damaged_rows_without_any_pdf_make_the_paper_failed(copied: Library) -> None:
    paper = copied.paper("paper-boats.pdf")
    with Database(copied.folder / "library.duckdb").writing() as connection:
        connection.execute("UPDATE papers SET source_path = '/nowhere' WHERE file_name = 'paper-boats.pdf'")
        connection.execute(DAMAGE["metadata"])
    (copied.folder / "papers" / f"{paper.id}.pdf").unlink()
    assert copied.repair().problems == ()
    (failed,) = [p for p in copied.papers() if p.state == "failed"]
    assert failed.error == "Its PDF is gone. Add the file again."


def test_vectors_that_wait_are_no_damage(copied: Library) -> None:
    with Database(copied.folder / "library.duckdb").writing() as connection:
        connection.execute("DELETE FROM vectors")
        connection.execute("UPDATE collections SET encoded_to = 0")
    health = copied.check()
    assert health.ok
    assert [problem.kind for problem in health.problems] == ["waiting"]
    assert copied.add([]).encoded == health.counts["text_bm25_en"] - 7
    assert copied.check().problems == ()
