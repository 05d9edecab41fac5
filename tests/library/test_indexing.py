"""The index of a library: whatever becomes of it, the next search finds what it found before."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import numpy as np
import pytest

from quire.library import Library
from quire.search import MINILM
from quire.search.slots import RECORD
from quire.store import WriterLock, locks
from quire.types import Hits
from tests.library.conftest import write_pdf

QUESTION = "How long does a boat float until it sinks?"


@pytest.fixture
def copied(filled: Library, tmp_path: Path) -> Path:
    """A copy of the example library."""
    shutil.copytree(filled.folder, tmp_path / "copy")
    return tmp_path / "copy"


def asked(folder: Path) -> list[Hits]:
    with Library.open(folder) as library:
        return [library.search(QUESTION), library.search("boats", collection=MINILM, limit=20)]


def gone(folder: Path) -> None:
    shutil.rmtree(folder / "index")


def words_gone(folder: Path) -> None:
    shutil.rmtree(folder / "index" / "words")


def meta_damaged(folder: Path) -> None:
    (folder / "index" / "words" / "meta.json").write_text("{")


def segment_gone(folder: Path) -> None:
    next((folder / "index" / "words").glob("*.idx")).unlink()


def records_short(folder: Path) -> None:
    file = folder / "index" / "units" / "records"
    file.write_bytes(file.read_bytes()[:-100])


def journal_damaged(folder: Path) -> None:
    (folder / "index" / "units" / "journal").write_text("no journal\n")


def units_gone(folder: Path) -> None:
    shutil.rmtree(folder / "index" / "units")


def no_folder(folder: Path) -> None:
    shutil.rmtree(folder / "index")
    (folder / "index").write_text("no folder")


DAMAGES = [
    gone,
    words_gone,
    meta_damaged,
    segment_gone,
    records_short,
    journal_damaged,
    units_gone,
    no_folder,
]


@pytest.mark.parametrize("damage", [*DAMAGES, no_folder])
def test_a_search_finds_what_it_found_before(copied: Path, damage: Callable[[Path], None]) -> None:
    expected = asked(copied)[0]
    damage(copied)
    if damage in (gone, no_folder):  # vectors have to be encoded again; words find it, too
        with Library.open(copied) as library:
            assert library.search(QUESTION)[0].paper_id == expected[0].paper_id
        return
    assert asked(copied)[0] == expected


@pytest.mark.parametrize("damage", DAMAGES)
def test_adding_and_checking_go_on(copied: Path, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    damage(copied)
    kites = write_pdf(tmp_path / "kites.pdf", "Kites", "Kites of rice paper fly for nine hours.")
    with Library.open(copied) as library:
        assert not library.add(kites).failed
        assert library.check().problems == ()
        assert "nine hours" in library.search("How long do kites fly?", part="text")[0].text


@pytest.mark.parametrize("damage", DAMAGES)
def test_check_tells_and_repair_mends(copied: Path, damage: Callable[[Path], None]) -> None:
    expected = asked(copied)
    damage(copied)
    with Library.open(copied) as library:
        assert library.check().problems
        assert library.repair().problems == ()
    for hits, before in zip(asked(copied), expected, strict=True):
        assert [hit.key for hit in hits] == [hit.key for hit in before]
        # A vector that is made again beside other texts may differ by one of its 255 steps.
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in before], abs=0.01)


def text_of_about(text: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / "about.json").write_text(text)

    return damage


def a_folder(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).mkdir()

    return damage


def a_file(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("no folder")


def codes_cut(folder: Path) -> None:
    os.truncate(folder / "codes", 500)


VECTORS_DAMAGED: dict[str, Callable[[Path], None]] = {
    "empty": text_of_about(""),
    "wrong": text_of_about('{"dim": 768}'),
    "a folder": a_folder("about.json"),
    "codes a folder": a_folder("codes"),
    "codes cut": codes_cut,
    "no folders": lambda folder: a_file(folder.parent),
}


@pytest.mark.parametrize("damage", VECTORS_DAMAGED)
def test_damaged_vectors_stop_nothing_and_are_made_anew(copied: Path, tmp_path: Path, damage: str) -> None:
    VECTORS_DAMAGED[damage](copied / "index" / "vectors" / MINILM)
    kites = write_pdf(tmp_path / "kites.pdf", "Kites", "Kites of rice paper fly for nine hours.")
    with Library.open(copied) as library:
        assert not library.check().ok
        hits = library.search(QUESTION)
        assert "boat" in hits[0].text
        assert any("made anew" in note for note in hits.notes), hits.notes
        assert not library.search(QUESTION).notes, "it is said once"
        assert library.status().waiting[MINILM] > 200
        report = library.add(kites)
        assert not report.failed
        assert report.encoded > 200
        assert library.check().problems == ()


def test_a_few_damaged_vectors_cost_no_others(copied: Path) -> None:
    scales = copied / "index" / "vectors" / MINILM / "scales"
    scales.write_bytes(b"\x55" * 128 + scales.read_bytes()[128:])  # the first sixteen
    with Library.open(copied) as library:
        assert not library.search(QUESTION).notes
        assert library.status().vectors[MINILM] > 200
        assert not library.check().ok
        library.repair()
        assert library.check().problems == ()


def test_damaged_vectors_stop_no_search_while_another_process_writes(copied: Path) -> None:
    text_of_about("")(copied / "index" / "vectors" / MINILM)
    with (copied / "library.lock").open("r+b") as lock, Library.open(copied) as library:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "boat" in library.search(QUESTION)[0].text
        assert library.status().papers
        assert (copied / "index" / "vectors" / MINILM / "codes").exists(), "who writes mends it"


def test_a_search_says_that_the_index_is_being_made(copied: Path) -> None:
    units_gone(copied)
    with (copied / "library.lock").open("r+b") as lock, Library.open(copied) as library:
        fcntl.flock(lock, fcntl.LOCK_EX)
        hits = library.search(QUESTION)
        assert not hits
        assert any("not in the index yet: 4" in note for note in hits.notes)


def test_hidden_files_of_the_system_are_no_damage(copied: Path) -> None:
    hidden = copied / "index" / "vectors" / ".DS_Store"
    hidden.write_bytes(b"\0\0\0\1Bud1")
    words_gone(copied)
    with Library.open(copied) as library:
        assert "boat" in library.search(QUESTION)[0].text
        assert library.check().problems == ()
        assert library.status().vectors[MINILM] > 200
    assert hidden.exists()


def test_threads_that_meet_the_same_damage_all_find(copied: Path) -> None:
    expected = asked(copied)[0]
    file = copied / "index" / "units" / "records"
    records = np.fromfile(file, dtype=RECORD)
    records["sizes"][:] = -7
    records.tofile(file)
    with Library.open(copied) as library, ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: library.search(QUESTION), range(4))) == [expected] * 4
        assert library._resources.made <= 2


def test_what_is_found_damaged_by_a_search_is_made_anew(copied: Path) -> None:
    expected = asked(copied)[0]
    file = copied / "index" / "units" / "records"
    records = np.fromfile(file, dtype=RECORD)
    records["sizes"][:] = -7
    with Library.open(copied) as library:
        assert library.search(QUESTION) == expected
        file.unlink()  # who has it mapped keeps it as it was
        records.tofile(file)
    with Library.open(copied) as library:
        hits = library.search(QUESTION)
        assert hits == expected
        assert any("made anew" in note for note in hits.notes)
        assert not library.search(QUESTION).notes
        assert library.check().problems == ()


def test_damaged_words_are_told_and_made_anew(copied: Path) -> None:
    expected = asked(copied)[0]
    file = next((copied / "index" / "words").glob("*.term"))
    whole = file.read_bytes()
    file.write_bytes(bytes(len(whole) - 200) + whole[-200:])
    with Library.open(copied) as library:
        problems = library.check().problems
        assert [problem.kind for problem in problems] == ["index"]
        assert library.repair().problems == ()
        assert library.search(QUESTION) == expected


def test_an_index_most_of_which_is_gone_is_made_anew(copied: Path) -> None:
    def taken() -> int:
        return sum(file.stat().st_blocks for file in (copied / "index").rglob("*"))

    expected = asked(copied)
    for _ in range(3):
        with Library.open(copied) as library:
            with library._resources.database.writing() as connection:
                connection.execute("UPDATE papers SET parser = 'pdfium-1'")
            assert len(library.refresh().refreshed) == 4
    before = taken()
    with Library.open(copied) as library:
        health = library.repair()
        assert health.problems == ()
        assert any("made anew without them" in note for note in health.notes)
        assert taken() < before * 0.6
        assert library.repair().notes == ()
    for hits, told in zip(asked(copied), expected, strict=True):
        assert [hit.text for hit in hits] == [hit.text for hit in told]


def test_the_memory_of_the_database_is_a_setting(copied: Path) -> None:
    with Library.open(copied, index__memory_limit=300) as library:
        assert library.rows("SELECT current_setting('memory_limit')").rows == (("286.1 MiB",),)


def test_a_flipped_byte_is_told_and_mended(copied: Path) -> None:
    expected = asked(copied)
    with (copied / "index" / "units" / "texts").open("r+b") as file:
        file.seek(500)
        file.write(b"\xff\xff")
    with (copied / "index" / "vectors" / MINILM / "codes").open("r+b") as file:
        file.seek(384 * 5)
        file.write(b"\x7f\x81\x7f\x81")
    with Library.open(copied) as library:
        assert {problem.kind for problem in library.check().problems} == {"index", "vectors"}
        assert library.repair().problems == ()
    assert asked(copied) == expected


@pytest.mark.parametrize("order", ["ask first", "failed first", "removed"])
def test_an_empty_library_may_be_asked(tmp_path: Path, order: str) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"no PDF")
    good = write_pdf(tmp_path / "kites.pdf", "Kites", "Kites of rice paper fly for nine hours.")
    with Library.open(tmp_path / "library", create=True) as library:
        if order == "failed first":
            library.add(tmp_path / "broken.pdf")
        if order == "removed":
            library.add(good)
            library.remove("kites.pdf")
        assert library.search("kites") == []
        assert library.check().ok
        assert len(library.add(good).added) == 1
        assert library.search("kites")
        assert library.check().problems == ()


def test_a_library_that_cannot_be_written_is_searched(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone(copied)

    def refused(self: WriterLock) -> None:
        from quire.store.locks import unwritable

        raise unwritable(self.folder, OSError(30, "Read-only file system"))

    monkeypatch.setattr(WriterLock, "__enter__", refused)
    with Library.open(copied) as library:
        assert library.search(QUESTION)
    assert not (copied / "index" / "units").exists()


def test_threads_search_at_once(copied: Path) -> None:
    questions = [QUESTION, "seedlings on the window", "bread of the results", "which table is about boats?"]
    with Library.open(copied) as library, ThreadPoolExecutor(8) as pool:
        expected = [library.search(question) for question in questions]
        assert list(pool.map(library.search, questions * 4)) == expected * 4


def old(folder: Path) -> None:
    """The library as an older quire left it: vectors in the database, no index."""
    with Library.open(folder) as library:
        with library._resources.database.reading() as connection:
            view = library._resources.index.view(connection)
            rows = connection.execute("SELECT id, pdf_id, pair FROM entries ORDER BY id").fetchall()
        vectors = library._resources.index.files(MINILM)
        held = vectors.held(len(view.slots))
        blocks = [(paper, pair, [id], vectors.rows(np.asarray([id]))) for id, paper, pair in rows if held[id]]
    shutil.rmtree(folder / "index")
    locks.shared_file(folder / "library.duckdb").drop()
    with duckdb.connect(folder / "library.duckdb") as connection:
        connection.execute("DELETE FROM schema_version WHERE number >= 7")
        connection.execute("DROP TABLE runs")
        connection.execute("ALTER TABLE entries ADD COLUMN length INTEGER")
        for table in ("postings", "postings_recent", "pair_sizes", "sent_averages", "sent", "outbox"):
            connection.execute(f"CREATE TABLE {table} (id INTEGER)")
        connection.execute(
            """CREATE TABLE vectors (collection VARCHAR, pdf_id VARCHAR, pair UTINYINT, dim INTEGER,
               ids INTEGER[], matrix BLOB)"""
        )
        for paper, pair, ids, matrix in blocks:
            connection.execute(
                "INSERT INTO vectors VALUES (?, ?, ?, 384, ?, ?)",
                [MINILM, paper, pair, ids, matrix.astype("<f4").tobytes()],
            )


def test_a_library_of_an_older_quire_is_taken_over(copied: Path, tmp_path: Path) -> None:
    expected = asked(copied)
    old(copied)
    found = asked(copied)
    assert [[hit.key for hit in hits] for hits in found] == [[hit.key for hit in hits] for hits in expected]
    with Library.open(copied) as library:
        kites = write_pdf(tmp_path / "kites.pdf", "Kites", "Kites of rice paper fly for nine hours.")
        report = library.add(kites)
        assert report.encoded < 40, "no vector of the others is made again"
        assert library.check().problems == ()
        with library._resources.database.reading() as connection:
            tables = {
                name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
            }
    assert not tables & {"vectors", "postings", "sent"}
