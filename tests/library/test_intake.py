"""Copies of papers: taken away with the rows, and back if that fails."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from quire.errors import LibraryError
from quire.library import Library, ids
from quire.library.intake import Source, copy_of, leaving, take
from quire.library.removing import tidy_files
from tests.library.conftest import write_pdf


def test_copies_go_with_what_is_done_and_come_back_if_it_fails(tmp_path: Path) -> None:
    first, second, gone = (ids.paper_id(name) for name in "abc")
    copy = copy_of(tmp_path, first)
    for file in (copy, copy.with_suffix(".json"), copy_of(tmp_path, second)):
        file.write_text(file.name)

    def fail() -> None:
        with leaving(tmp_path, [first, gone]):
            assert not copy.exists()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert copy.read_text() == f"{first}.pdf"
    with leaving(tmp_path, [first]):
        assert not copy.with_suffix(".json").exists()
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == [f"{second}.pdf"]


def test_a_copy_is_told_with_its_size_and_digest(tmp_path: Path) -> None:
    content = b"stone " * 500_000  # of several blocks
    (tmp_path / "stones.pdf").write_bytes(content)
    taken = take(Source.of(tmp_path / "stones.pdf"), tmp_path / "incoming")
    assert taken.size == len(content)
    assert taken.sha256 == hashlib.sha256(content).hexdigest()
    assert taken.copy.read_bytes() == content


def test_what_a_killed_removal_left_goes_and_what_still_has_rows_comes_back(tmp_path: Path) -> None:
    (tmp_path / ".leaving").mkdir()
    for name in ("known.pdf", "gone.pdf"):
        (tmp_path / ".leaving" / name).write_text(name)
    (tmp_path / ".incoming").mkdir()
    (tmp_path / ".incoming" / "half.pdf").write_text("")
    tidy_files(tmp_path, {"known"})
    assert [str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.pdf")] == ["known.pdf"]


def test_a_removed_paper_leaves_no_file_behind(empty: Library, tmp_path: Path) -> None:
    own = write_pdf(tmp_path / "boats.pdf", "On Boats", "They float.")
    empty.add(own)
    paper = empty.paper("boats.pdf").id
    assert list(empty.folder.rglob(f"*{paper}*"))
    empty.remove("boats.pdf", keep=False)
    assert not list(empty.folder.rglob(f"*{paper}*"))
    assert own.exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LibraryError, match="cannot be used"):
        Library.open(tmp_path / "file" / "library").add(write_pdf(tmp_path / "a.pdf", "On Boats"))
