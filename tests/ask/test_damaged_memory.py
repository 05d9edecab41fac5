"""A memory that cannot be read: set aside whole, told once, and answers go on."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from quire import Library
from quire.errors import MemoryStoreError, QuireError
from quire.memory import MemoryStore
from tests.library.conftest import write_pdf

QUESTION = "What do paper boats do on calm water?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Library.open(tmp_path / "library", index__encoders=("text_bm25_en",)) as library:
        library.add(
            write_pdf(tmp_path / "boats.pdf", "On Boats", "Paper boats float on calm water for hours.")
        )
        library.ask(QUESTION)
        library.verdict("right", evidence=1)
    return tmp_path / "library"


def torn(file: Path, how: str) -> bytes:
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if how == "no JSON":
            db.execute("UPDATE items SET evidence = '{['")
            db.commit()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()  # the block alone ends the transaction only
    data = bytearray(file.read_bytes())
    if how == "cut":
        data = data[: len(data) // 2]
    if how == "flipped":
        data[4096:] = os.urandom(len(data) - 4096)
    if how == "text":
        data = bytearray(b"not a database at all, only text" * 99)
    file.write_bytes(data)
    for end in ("-wal", "-shm"):
        file.with_name(file.name + end).unlink(missing_ok=True)
    return bytes(data)


@pytest.mark.parametrize("how", ["cut", "flipped", "text"])
def test_it_is_set_aside_whole_told_once_and_answers_go_on(folder: Path, how: str) -> None:
    data = torn(folder / "memory.sqlite", how)
    with Library.open(folder) as library:
        assert library.search("paper boats")
        first = library.ask(QUESTION).answer
        assert first.evidence
        assert "It is kept as memory.sqlite.damaged-" in first.note
        (kept,) = folder.glob("memory.sqlite.damaged-*[0-9]")
        assert kept.read_bytes() == data
        assert "It is kept" not in library.ask(QUESTION).answer.note
        library.verdict("right", evidence=1)
        assert len(library.memory.verdicts.listed()) == 1


def test_rows_that_cannot_be_read_are_told_and_answers_go_on(folder: Path) -> None:
    torn(folder / "memory.sqlite", "no JSON")
    with Library.open(folder) as library:
        assert library.search("paper boats")
        answer = library.ask(QUESTION).answer
        assert answer.evidence
        assert "cannot be read" in answer.note


def test_a_command_that_needs_it_says_so_and_goes_on_next_time(folder: Path) -> None:
    torn(folder / "memory.sqlite", "cut")
    with Library.open(folder) as library:
        with pytest.raises(MemoryStoreError, match="It is kept as"):
            library.verdict("right", evidence=1)
        library.verdict("right", evidence=1)
        assert list(folder.glob("memory.sqlite.damaged-*"))


def test_a_disk_that_refuses_is_not_called_damage(tmp_path: Path) -> None:
    with MemoryStore(tmp_path / "memory.sqlite") as store:
        pages = store.read("PRAGMA page_count")[0][0]
        store.read(f"PRAGMA max_page_count = {pages}")  # as a full disk: SQLITE_FULL
        with pytest.raises(QuireError) as caught, store.transaction() as db:
            db.execute("INSERT INTO vectors VALUES ('a', 'b', 'c', zeroblob(1000000))")
        assert "damaged" not in str(caught.value)
        assert "away" not in str(caught.value)
        assert store.read("SELECT count(*) FROM vectors") == [(0,)]
    with pytest.raises(MemoryStoreError) as opened:
        MemoryStore(tmp_path / "none" / "memory.sqlite")
    assert "damaged" not in str(opened.value)
    assert "away" not in str(opened.value)


def test_a_plain_wrong_is_no_word_of_the_papers(folder: Path) -> None:
    with Library.open(folder) as library:
        library.ask("Who paints violins in the city of Cremona?")
        library.verdict("wrong")
        item = library.memory.verdicts.listed()[0]
        assert (item.label, item.absent, item.empty) == ("wrong", False, True)
