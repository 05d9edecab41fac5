"""Vectors in a remote backend that loses calls: nothing stays lost, and nothing that went is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.errors import LibraryError
from quire.index import BM25, MINILM
from quire.library import Library
from tests.index.losing import losing
from tests.index.test_dense import Letters
from tests.library.conftest import write_pdf

SUBJECTS = ("Boats", "Bread", "Seeds")


class Remote:
    """A library whose vectors lie in a Milvus that can be told to lose calls."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library = Library.open(folder / "library", index__vectors=f"milvus:{folder / 'vectors.db'}")
        self.library._resources._encoders[MINILM] = Letters(MINILM)
        self.backend, self.client = losing(f"milvus:{folder / 'vectors.db'}")
        self.library._resources.backend = self.backend

    def add(self, *subjects: str) -> None:
        """One paper on each subject."""
        for name in subjects:
            write_pdf(self.folder / f"{name}.pdf", f"On {name} and Their Makers", f"{name} are made by hand.")
        self.library.add([self.folder / f"{name}.pdf" for name in subjects])

    def kinds(self) -> dict[str, bool]:
        """What `check` finds: kinds, and whether they only wait."""
        return {problem.kind: problem.waiting for problem in self.library.check().problems}

    def found(self, subject: str) -> set[str]:
        """The papers that a search for a subject finds, by words and by meaning."""
        hits = [
            hit
            for collection in (BM25, MINILM)
            for hit in self.library.search(subject, collection=collection, limit=50)
        ]
        return {self.library.paper(hit.paper_id).file_name for hit in hits}

    def whole(self) -> None:
        """Every entry has its vector in Milvus, and no vector is left over."""
        assert self.library.check().problems == ()
        with self.library._resources.database.reading() as connection:
            for name in (BM25, MINILM):
                held = self.backend.held(connection, name)
                ((entries,),) = connection.execute(
                    "SELECT count(*) FROM entries WHERE bbox IS NULL"
                ).fetchall()
                assert (len(held.ids), len(held.strays)) == (entries, 0)


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[Remote]:
    made = Remote(tmp_path)
    yield made
    made.library.close()
    made.backend.close()


def test_vectors_that_were_lost_in_silence_come_back(remote: Remote) -> None:
    remote.client.loses, remote.client.nth = {"upsert"}, 2
    for subject in SUBJECTS:
        remote.add(subject)
    assert remote.client.lost >= 3
    remote.client.loses = set()
    assert remote.kinds() == {"vectors": False}
    remote.library.repair()
    remote.whole()
    assert all(f"{subject}.pdf" in remote.found(subject) for subject in SUBJECTS)
    assert {paper.state for paper in remote.library.papers()} == {"encoded"}
    for name in (BM25, MINILM):  # and when all of it is gone
        remote.client.drop_collection(name)
    remote.backend._loaded.clear()
    assert remote.kinds() == {"vectors": False}
    remote.library.repair()
    remote.whole()


def test_what_could_not_be_sent_waits_and_is_sent_next_time(remote: Remote) -> None:
    remote.client.fails = {"upsert"}
    with pytest.raises(LibraryError, match="network"):
        remote.add(*SUBJECTS)
    remote.client.fails = set()
    assert remote.kinds() == {"waiting": True}
    remote.library.add([])
    remote.whole()


def test_a_removal_is_told_after_the_commit(remote: Remote) -> None:
    remote.add(*SUBJECTS)
    remote.client.fails = {"delete"}
    remote.library.remove("Boats.pdf")
    assert remote.kinds() == {"waiting": True}
    assert "Boats.pdf" not in remote.found("Boats")
    remote.client.fails = set()
    remote.add("Ships")
    remote.whole()


def test_a_removal_that_was_lost_leaves_strays_that_repair_drops(remote: Remote) -> None:
    remote.add(*SUBJECTS)
    remote.client.loses = {"delete"}
    remote.library.remove("Boats.pdf")
    assert remote.client.lost
    remote.client.loses = set()
    assert remote.kinds() == {"vectors": False}
    assert not remote.found("Boats") - {"Bread.pdf", "Seeds.pdf"}
    remote.library.repair()
    remote.whole()


def test_a_paper_that_replaces_itself_keeps_its_new_vectors(remote: Remote) -> None:
    remote.add(*SUBJECTS)
    remote.client.fails = {"delete"}
    with remote.library._resources.database.writing() as connection:
        connection.execute("UPDATE papers SET parser = 'pdfium-1'")
    with pytest.raises(LibraryError, match="network"):
        remote.library.refresh()
    remote.client.fails = set()
    remote.library.add([])
    remote.whole()
    assert all(f"{subject}.pdf" in remote.found(subject) for subject in SUBJECTS)


def test_a_library_that_was_rebuilt_takes_no_vector_of_the_old_one(remote: Remote) -> None:
    remote.add(*SUBJECTS)
    remote.library.remove("Boats.pdf")  # so that the rest gets other numbers
    remote.library.close()
    (remote.library.folder / "library.duckdb").unlink()
    remote.library.repair()
    remote.whole()
    assert "Seeds.pdf" in remote.found("Seeds")


def test_moving_there_and_back_leaves_nothing_behind(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library")
    library._resources._encoders[MINILM] = Letters(MINILM)
    library.add(write_pdf(tmp_path / "a.pdf", "On Boats and Their Makers", "Boats are made by hand."))
    remote_uri = f"milvus:{tmp_path / 'vectors.db'}"
    library.move_vectors(remote_uri)
    there = Library.open(tmp_path / "library")
    there._resources._encoders[MINILM] = Letters(MINILM)
    assert there.check().problems == ()
    there.move_vectors("duckdb")
    there._resources.backend.close()  # type: ignore[attr-defined]
    back = Library.open(tmp_path / "library")
    assert back.check().problems == ()
    assert back.status().waiting == {MINILM: 0}
