"""Files with the same content are sources of one paper: it answers to all their names, and outlives each."""

from __future__ import annotations

import shutil
from pathlib import Path

from quire.library import Library
from tests.library.conftest import write_pdf


def boats(folder: Path) -> tuple[Path, Path]:
    first = write_pdf(folder / "first.pdf", "On Boats That Float", "They float.")
    return first, Path(shutil.copy(first, folder / "second.pdf"))


def test_a_paper_answers_to_the_names_of_all_its_files(empty: Library, tmp_path: Path) -> None:
    first, second = boats(tmp_path)
    empty.add([first, second])
    paper = empty.paper("first.pdf")
    assert [empty.paper(name).id for name in ("second", "second.pdf", str(second))] == [paper.id] * 3
    second.rename(tmp_path / "third.pdf")
    assert empty.add(tmp_path / "third.pdf").duplicates
    assert empty.paper("third.pdf").id == empty.paper("second.pdf").id == paper.id
    assert empty.add(tmp_path / "third.pdf").files[0].outcome == "duplicate"


def test_replacing_one_file_does_not_lose_the_other(empty: Library, tmp_path: Path) -> None:
    first, second = boats(tmp_path)
    empty.add([first, second])
    old = empty.paper("second.pdf").id
    write_pdf(first, "On Boats That Sink", "They sink.")
    report = empty.add([first, second])
    assert len(empty.papers()) == 2
    assert not report.failed
    assert empty.paper("second.pdf").id == old
    assert "They sink" in empty.page_text("first.pdf", 1)
    assert empty.paper(old).file_name == "second.pdf"  # what it is told of as now
    assert empty.check().problems == ()


def test_the_other_file_may_come_in_the_same_run(empty: Library, tmp_path: Path) -> None:
    first, second = boats(tmp_path)
    empty.add(first)  # the second was never added
    write_pdf(first, "On Boats That Sink", "They sink.")
    empty.add([first, second])
    assert len(empty.papers()) == 2
    assert "They float" in empty.page_text("second.pdf", 1)


def test_a_paper_whose_last_file_changed_goes(empty: Library, tmp_path: Path) -> None:
    first, second = boats(tmp_path)
    empty.add([first, second])
    second.unlink()
    write_pdf(first, "On Boats That Sink", "They sink.")
    assert empty.add(first).updated
    assert [paper.file_name for paper in empty.papers()] == ["first.pdf"]
    empty.remove("first.pdf")
    assert empty.add(first).added
