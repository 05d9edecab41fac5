"""Files with the same content are sources of one paper: it answers to all their names, and outlives each."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from quire.library import Library, adding
from tests.library.conftest import write_pdf


def boats(folder: Path) -> tuple[Path, Path]:
    first = write_pdf(folder / "first.pdf", "On Boats That Float", "They float.")
    return first, Path(shutil.copy(first, folder / "second.pdf"))


def test_a_paper_answers_to_all_its_files_and_outlives_each(empty: Library, tmp_path: Path) -> None:
    first, second = boats(tmp_path)
    empty.add([first, second])
    old = empty.paper("first.pdf").id
    assert [empty.paper(name).id for name in ("second", "second.pdf", str(second))] == [old] * 3

    third = second.rename(tmp_path / "third.pdf")
    assert empty.add(third).duplicates
    assert empty.paper("third.pdf").id == empty.paper("second.pdf").id == old

    write_pdf(first, "On Boats That Sink", "They sink.")
    report = empty.add([first, third])
    assert not report.failed
    assert len(empty.papers()) == 2
    assert "They sink" in empty.page_text("first.pdf", 1)
    assert empty.paper("third.pdf").id == old  # what the other file still holds is not lost
    assert empty.paper(old).file_name in ("second.pdf", "third.pdf")  # what it is told of as now
    assert empty.check().problems == ()

    write_pdf(third, "On Boats That Swim", "They swim.")
    assert empty.add(third).updated  # its last file: now it goes
    assert old not in [paper.id for paper in empty.papers()]
    assert len(empty.papers()) == 2


def test_the_other_file_may_come_in_the_same_run(empty: Library, tmp_path: Path) -> None:
    first, second = boats(tmp_path)
    empty.add(first)  # the second was never added
    write_pdf(first, "On Boats That Sink", "They sink.")
    empty.add([first, second])
    assert len(empty.papers()) == 2
    assert "They float" in empty.page_text("second.pdf", 1)


@pytest.mark.parametrize("gathered", [1, 16])
@pytest.mark.parametrize("known", [False, True])
def test_an_old_paper_whose_file_was_moved_for_another_keeps_its_copy(
    empty: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: bool, gathered: int
) -> None:
    monkeypatch.setattr(adding, "_GATHER_PAPERS", gathered)
    first, second = boats(tmp_path)
    empty.add([first, second] if known else first)
    old = empty.paper("first.pdf").id
    with empty._resources.database.writing() as connection:
        connection.execute("UPDATE papers SET parser = 'pdfium-1'")
    write_pdf(first, "On Boats That Sink", "They sink.")
    assert not empty.add([first, second]).failed
    places = {paper.source_path: paper.id for paper in empty.papers()}
    assert places == {str(first): empty.paper("first.pdf").id, str(second): old}
    assert empty.check().problems == ()
    assert {file.outcome for file in empty.add([first, second]).files} == {"unchanged"}


def test_a_copy_without_rows_takes_no_place_of_another_paper(empty: Library, tmp_path: Path) -> None:
    first, _ = boats(tmp_path)
    empty.add(first)
    old = empty.paper("first.pdf").id
    kept = shutil.copytree(empty.folder / "papers", tmp_path / "kept")
    empty.remove(old, keep=False)
    write_pdf(first, "On Boats That Sink", "They sink.")
    empty.add(first)
    for ending in (".pdf", ".json"):  # as a killed process may leave it
        shutil.copy(kept / f"{old}{ending}", empty.folder / "papers")
    assert empty.repair().ok
    assert "They float" in empty.page_text(old, 1)
    (sinking,) = (paper for paper in empty.papers() if paper.id != old)
    assert sinking.source_path == str(first)
    assert {file.outcome for file in empty.add(first).files} == {"unchanged"}
    assert len(empty.papers()) == 2
