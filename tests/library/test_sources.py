"""Files with the same content are sources of one paper: it answers to all their names, and outlives each."""

from __future__ import annotations

import shutil
from pathlib import Path

from quire.library import Library
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
