"""Damage of every kind is found, named, and made good."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption

from quire.errors import LibraryDamaged, LibraryError, LibraryLocked
from quire.library import Library, ids, intake, removing
from quire.search import MINILM
from quire.store import Database, WriterLock, locks
from tests.library.conftest import KEYWORDS, write_pdf

DAMAGE = {
    "metadata": "DELETE FROM metadata WHERE title LIKE 'Paper Boats%'",
    "pages": "DELETE FROM pages WHERE page_number = 2",
    "twice": "INSERT INTO chunks SELECT * FROM chunks LIMIT 1",
    "entries": "DELETE FROM chunks WHERE ordinal = 1",
    "orphans": "UPDATE tables SET ref_paper_id = uuid() WHERE ordinal = 0",
    "dangling": "UPDATE chunks SET ref_section_id = uuid() WHERE ordinal = 0",
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
    assert [problem.paper_id for problem in health.problems] == ["not-an-id"]
    assert health.notes == ("papers/not-an-id.pdf could not be read. The file is empty.",)
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
    vectors = copied._resources.index.vectors(MINILM)
    vectors.remove(np.flatnonzero(vectors.held(10_000)))
    health = copied.check()
    assert health.ok
    assert [problem.kind for problem in health.problems] == ["waiting"]
    assert copied.add([]).encoded == health.counts["text_bm25_en"]
    assert copied.check().problems == ()


def rows_of(library: Library) -> dict[str, object]:
    """What must be there again: every paper with its names, and all counts."""
    papers = {p.id: (p.file_name, p.source_path, p.sha256, p.title) for p in library.papers()}
    return {**papers, **library.check().counts}


def copies(library: Library) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (library.folder / "papers").glob("*.pdf")}


def lose_the_log(library: Library, before: bytes) -> None:
    """The file as it was at the last checkpoint, and no log."""
    (library.folder / "library.duckdb").write_bytes(before)
    (library.folder / "library.duckdb.wal").unlink(missing_ok=True)


def cut_the_log(library: Library, before: bytes) -> None:
    log = library.folder / "library.duckdb.wal"
    os.truncate(log, log.stat().st_size // 3)


def lose_the_database(library: Library, before: bytes) -> None:
    (library.folder / "library.duckdb").unlink()
    (library.folder / "library.duckdb.wal").unlink(missing_ok=True)


def test_nothing_that_was_added_or_removed_depends_on_the_log(empty: Library, tmp_path: Path) -> None:
    log = empty.folder / "library.duckdb.wal"
    for name in ("first", "second"):
        empty.add(write_pdf(tmp_path / f"{name}.pdf", f"On the {name} of all boats", "It floats."))
        assert not log.exists()
    empty.remove("first.pdf")
    assert not log.exists()


@pytest.mark.parametrize("lose", [lose_the_log, cut_the_log, lose_the_database])
def test_lost_rows_are_damage_and_made_again_from_the_copies(
    empty: Library, tmp_path: Path, lose: Callable[[Library, bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    empty.add(write_pdf(tmp_path / "first.pdf", "On the First of all Boats", "It floats."))
    before = (empty.folder / "library.duckdb").read_bytes()
    if lose is cut_the_log:  # as if killed before the end of `add`
        monkeypatch.setattr(Database, "checkpoint", lambda self: None)
    secret = write_pdf(
        tmp_path / "secret.pdf", "On Secret Boats", "Hush.", encrypt=StandardEncryption("open", "own")
    )
    second = write_pdf(tmp_path / "second.pdf", "On the Second of all Boats", "It sinks.")
    empty.add([second, secret], password="open")
    wanted, pdfs = rows_of(empty), copies(empty)
    locks.shared_file(empty.folder / "library.duckdb").drop()
    lose(empty, before)
    for file in tmp_path.glob("*.pdf"):
        file.unlink()

    again = Library.open(empty.folder, **KEYWORDS)
    if lose is lose_the_database:
        for use in (again.check, again.papers, lambda: again.sql("SELECT 1"), lambda: again.remove("x")):
            with pytest.raises(LibraryDamaged, match="quire repair"):
                use()
    else:
        health = again.check()
        assert not health.ok
        assert {problem.kind for problem in health.problems} == {"copy", "index"}, "it is ahead of the rows"
    health = again.repair()
    assert health.problems == ()
    assert any("read again from their PDFs" in note for note in health.notes)
    assert rows_of(again) == wanted
    assert copies(again) == pdfs
    again.close()


def test_adding_to_a_library_that_lost_its_database_says_so_and_keeps_the_copies(
    copied: Library, tmp_path: Path
) -> None:
    pdfs = copies(copied)
    locks.shared_file(copied.folder / "library.duckdb").drop()
    lose_the_database(copied, b"")
    again = Library.open(copied.folder, **KEYWORDS)
    report = again.add(write_pdf(tmp_path / "new.pdf", "A New Paper on Boats", "New."))
    assert f"{len(pdfs)} PDFs in papers/ have no rows; `quire repair` reads them again." in report.notes
    assert pdfs.items() <= copies(again).items()
    assert again.repair().ok
    assert len(again.papers()) == len(pdfs) + 1
    again.close()


def test_a_changed_copy_is_found_and_made_good(copied: Library) -> None:
    paper = copied.paper("paper-boats.pdf")
    copy = copied.folder / "papers" / f"{paper.id}.pdf"
    content = copy.read_bytes()
    copy.write_bytes(content[:-20] + bytes([content[-20] ^ 1]) + content[-19:])
    (problem,) = copied.check().problems
    assert "is not what was added" in problem.detail
    assert copied.repair().ok
    assert copy.read_bytes() == content
    copy.write_bytes(content[:-1])
    copied.add(paper.source_path)
    assert copied.check().ok
    copied.close()


def test_a_copy_under_a_wrong_name_gets_its_own(copied: Library) -> None:
    paper = copied.paper("paper-boats.pdf")
    (copied.folder / "papers" / f"{paper.id}.pdf").rename(copied.folder / "papers" / "odd.pdf")
    before = copied.check().counts
    with Database(copied.folder / "library.duckdb").writing() as connection:
        connection.execute("UPDATE papers SET source_path = '/nowhere'")
    assert copied.repair().problems == ()
    assert copied.check().counts == before
    assert "odd.pdf" not in copies(copied)
    copied.close()


@pytest.mark.parametrize("name", ["notes.pdf", "..odd.pdf", "5fe57755-14f1-5ee7-a4b4-ecaba6827045.pdf"])
def test_a_pdf_that_somebody_put_among_the_copies_becomes_a_paper(
    empty: Library, tmp_path: Path, name: str
) -> None:
    empty.add(write_pdf(tmp_path / "first.pdf", "On the First of all Boats", "It floats."))
    second = write_pdf(empty.folder / "papers" / name, "On the Second of all Boats", "It sinks.")
    shutil.copy(second, second.with_name("the same.pdf"))
    own = ids.paper_id(intake.sha256_of(second))
    shutil.copy(second, second.with_name(f"{own}.pdf"))
    assert empty.repair().problems == ()
    assert sorted(paper.title for paper in empty.papers()) == [
        "On the First of all Boats",
        "On the Second of all Boats",
    ]
    assert set(copies(empty)) == {f"{paper.id}.pdf" for paper in empty.papers()}


def test_a_removal_that_was_killed_is_whole_or_not_begun(empty: Library, tmp_path: Path) -> None:
    names = ("first", "second")
    empty.add([write_pdf(tmp_path / f"{name}.pdf", f"On the {name} of all boats", "Oh.") for name in names])
    first, second = (empty.paper(f"{name}.pdf").id for name in ("first", "second"))
    papers = empty.folder / "papers"
    (papers / ".leaving").mkdir()
    for paper in (first, second):  # where a killed process leaves them
        (papers / f"{paper}.pdf").rename(papers / ".leaving" / f"{paper}.pdf")
    with Database(empty.folder / "library.duckdb").writing() as connection:
        removing.forget(connection, [first])
    health = empty.repair()
    assert health.problems == ()
    assert [paper.id for paper in empty.papers()] == [second]
    assert set(copies(empty)) == {f"{second}.pdf"}


def test_a_removal_that_fails_keeps_the_copy(empty: Library, tmp_path: Path) -> None:
    empty.add(write_pdf(tmp_path / "first.pdf", "On the First of all Boats", "It floats."))
    with WriterLock(empty.folder), pytest.raises(LibraryLocked):
        empty.remove("first.pdf")
    assert empty.check().ok
    with pytest.raises(LibraryError, match="quire add"):
        Library.open(tmp_path / "nothing").repair()
