"""What becomes of files: added, unchanged, updated, duplicate, failed, removed, retried."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from quire.errors import LibraryLocked, PaperNotFound, SettingsError
from quire.library import Library
from quire.library.adding import Adding
from quire.library.finding import FoundFiles
from quire.library.papers import unread_scans
from quire.library.report import Progress, StageMeter
from quire.store import Database, WriterLock
from tests.library.conftest import KEYWORDS, write_pdf


def outcomes(report: object) -> dict[str, str]:
    return {file.path.name: file.outcome for file in report.files}  # type: ignore[attr-defined]


def test_a_file_that_becomes_the_copy_of_another_leaves_nothing_behind(
    empty: Library, tmp_path: Path
) -> None:
    """The paper that stays comes first in the library, the one that goes after it."""
    other = write_pdf(tmp_path / "a.pdf", "On Boats That Float", "They float.")
    file = write_pdf(tmp_path / "b.pdf", "On Boats That Sink", "They sink.")
    empty.add(other)
    empty.add(file)
    shutil.copy(other, file)
    empty.add(file)
    assert len(empty.papers()) == 1
    assert empty.paper("b.pdf").id == empty.paper("a.pdf").id


@pytest.mark.parametrize(
    "name", ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]
)
def test_a_second_copy_under_another_name_is_given_up_in_repair(
    empty: Library, tmp_path: Path, name: str
) -> None:
    empty.add(write_pdf(tmp_path / "a.pdf", "On Boats That Float", "They float."))
    (paper,) = empty.papers()
    papers = empty.folder / "papers"
    shutil.copy(papers / f"{paper.id}.pdf", papers / f"{name}.pdf")
    empty.repair()
    assert [file.name for file in papers.glob("*.pdf")] == [f"{paper.id}.pdf"]
    assert [one.id for one in empty.papers()] == [paper.id]


def test_a_file_of_more_than_four_gigabytes_is_refused_unread(empty: Library, tmp_path: Path) -> None:
    with (tmp_path / "huge.pdf").open("wb") as file:
        file.truncate((4 << 30) + 1)  # takes no room on the disk
    assert "more than 4" in empty.add(tmp_path / "huge.pdf").failed[0].reason


def test_the_life_of_a_file(empty: Library, tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.mkdir()
    first = write_pdf(box / "first.pdf", "On Boats That Float", "They float.")
    seen: list[Progress] = []
    report = empty.add(box, progress=seen.append)
    assert outcomes(report) == {"first.pdf": "added"}
    assert [(step.stage, step.done, step.total) for step in seen] == [("parse", 1, 1)]

    shutil.copy(first, box / "second name.pdf")
    report = empty.add([box])
    assert outcomes(report) == {"first.pdf": "unchanged", "second name.pdf": "duplicate"}
    assert report.duplicates[0].reason == "It has the same content as first.pdf."

    old = empty.paper("first.pdf").id
    write_pdf(first, "On Boats That Sink", "They sink.")
    report = empty.add(first)
    assert outcomes(report) == {"first.pdf": "updated"}
    assert empty.paper("second name.pdf").id == old  # what the second file still holds is not lost
    assert "sink" in empty.page_text("first.pdf", 1)

    (box / "second name.pdf").unlink()
    write_pdf(first, "On Boats That Swim", "They swim.")
    empty.add(first)
    write_pdf(box / "second name.pdf", "On Boats That Stay", "They stay.")
    empty.add(box / "second name.pdf")
    assert sorted(paper.file_name for paper in empty.papers()) == ["first.pdf", "second name.pdf"]
    assert empty.search("float") == []
    copies = [file.stem for file in (empty.folder / "papers").glob("*.pdf")]
    assert sorted(copies) == sorted(paper.id for paper in empty.papers())
    assert empty.check().problems == ()

    removed = empty.remove(["first.pdf", "second name.pdf"])
    assert [paper.file_name for paper in removed] == ["first.pdf", "second name.pdf"]
    assert empty.papers() == []
    with Database(empty.folder / "library.duckdb").reading() as connection:
        assert connection.execute("SELECT count(*) FROM sources").fetchall() == [(0,)]
    assert first.exists()
    assert list((empty.folder / "papers").glob("*.pdf")) == []
    assert empty.check().problems == ()
    with pytest.raises(PaperNotFound):
        empty.remove(["first.pdf"])


def test_bad_files_fail_with_a_reason_and_good_ones_go_in(empty: Library, tmp_path: Path) -> None:
    good = write_pdf(tmp_path / 'it\'s \N{SNOWMAN} "good".dat', "A Good Paper of This Kind", "Good.")
    (tmp_path / "empty.pdf").touch()
    (tmp_path / "words.pdf").write_text("These are words.")
    (tmp_path / "cut.pdf").write_bytes(good.read_bytes()[:300])
    os.mkfifo(tmp_path / "pipe.pdf")
    secret = write_pdf(
        tmp_path / "secret.pdf", "A Secret", "Hush.", encrypt=StandardEncryption("open", "own")
    )
    report = empty.add([good, tmp_path, tmp_path / "gone.pdf"])
    failures = {file.path.name: file for file in report.failed}
    assert set(failures) == {"empty.pdf", "words.pdf", "cut.pdf", "pipe.pdf", "secret.pdf", "gone.pdf"}
    assert outcomes(report)[good.name] == "added"
    assert failures["secret.pdf"].kind == "PasswordRequired"
    assert "--password" in failures["secret.pdf"].reason
    assert failures["empty.pdf"].reason == "The file is empty."
    assert failures["gone.pdf"].reason == "There is no such file."
    assert all(file.reason and "Error" not in file.reason for file in report.failed)
    states = {paper.file_name: paper.state for paper in empty.papers()}
    assert states["words.pdf"] == states["secret.pdf"] == "failed"
    assert "gone.pdf" not in states
    words = empty.any_paper("words.pdf")
    assert (words.state, words.file_name) == ("failed", "words.pdf")
    assert empty.any_paper(words.id) == empty.any_paper(words.source_path) == words
    assert empty.any_paper(good.name).state == "encoded"
    assert empty.check().problems == ()

    write_pdf(tmp_path / "words.pdf", "Now a Paper at Last", "Mended.")
    (tmp_path / "cut.pdf").unlink()
    retried = empty.retry(password="open")
    assert {file.path.name for file in retried.files} == set(failures) - {"gone.pdf"}
    assert [f.path.name for f in retried.failed if "no longer there" in f.reason] == ["cut.pdf"]
    assert outcomes(retried)["words.pdf"] == "added"
    assert outcomes(retried)["secret.pdf"] == "added"
    assert empty.paper("words.pdf").state == "encoded"
    assert len([paper for paper in empty.papers() if paper.file_name == "words.pdf"]) == 1
    # Its copy is kept readable; the user's file stays as it was.
    assert empty.render("secret.pdf", 1, dpi=40).startswith(b"\x89PNG")
    assert b"Encrypt" in secret.read_bytes()
    assert empty.check().problems == ()


def test_a_file_that_takes_too_long_fails_alone(tmp_path: Path) -> None:
    file = write_pdf(tmp_path / "slow.pdf", "A Paper", pages=3)
    with Library.open(tmp_path / "library", parsing__time_limit=0.001, **KEYWORDS) as hasty:
        (failed,) = hasty.add(file).failed
    assert failed.kind == "DocumentLimit"
    assert "parsing.time_limit" in failed.reason


def test_a_second_writer_hears_who_is_writing(empty: Library, tmp_path: Path) -> None:
    empty.add(write_pdf(tmp_path / "a.pdf", "A Paper"))
    script = "import sys; from quire.library import Library; Library.open(sys.argv[1]).add(sys.argv[2])"
    with WriterLock(empty.folder):
        done = subprocess.run(
            [sys.executable, "-c", script, str(empty.folder), str(tmp_path / "a.pdf")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert len(empty.papers()) == 1  # readers are not held up
        with pytest.raises(LibraryLocked):
            empty.remove("a.pdf")
    assert f"process {os.getpid()}" in done.stderr
    assert "LibraryLocked" in done.stderr


class Choosy(Adding):
    """Cannot store papers on sinking, as if a PDF held what no column takes."""

    def _write(self, ready: list[Any], *rest: Any) -> Any:
        if any("Sink" in paper.parsed.metadata.title for paper in ready):
            raise ValueError("a page number of 12 digits")
        return super()._write(ready, *rest)


@pytest.mark.parametrize("names", [("Float", "Sink", "Swim"), ("Sink",)])
def test_what_cannot_be_stored_takes_no_other_paper_with_it(
    empty: Library, tmp_path: Path, names: tuple[str, ...]
) -> None:
    files = [write_pdf(tmp_path / f"{name}.pdf", f"On Boats That {name} in Water", name) for name in names]
    empty._resources.database.create()
    with empty._resources.index.writing() as writer:
        adding = Choosy(empty._resources, StageMeter("parse", len(files), None), writer)
        adding.run(FoundFiles(list(files), []))
    told = {file.path.stem: (file.outcome, file.reason) for file in adding.reports}
    assert told.pop("Sink") == ("failed", "It cannot be stored: a page number of 12 digits")
    assert set(told.values()) <= {("added", "")}
    assert {p.file_name: p.state == "failed" for p in empty.papers()} == {
        f"{n}.pdf": n == "Sink" for n in names
    }
    assert len(list((empty.folder / "papers").glob("*.pdf"))) == len(names) - 1
    assert empty.check().ok


def test_many_files_that_fail_are_all_told(empty: Library, tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.pdf").write_text(f"No PDF is this, number {number}.")
    report = empty.add(tmp_path)
    assert len(report.failed) == len(empty.papers()) == 20
    assert {paper.error for paper in empty.papers()} == {file.reason for file in report.failed}


def test_scans_that_were_not_read_are_told(empty: Library, tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "scan.pdf"), invariant=1)
    canvas.drawImage(ImageReader(Image.new("L", (60, 80), 200)), 0, 0, 595, 842)
    canvas.save()
    boats = write_pdf(tmp_path / "boats.pdf", "On the Boats that Float", "They float.")
    empty.add([tmp_path / "scan.pdf", boats])
    scan, other = empty.paper("scan.pdf"), empty.paper("boats.pdf")
    assert (scan.scanned, other.scanned) == (True, False)
    with Database(empty.folder / "library.duckdb").reading() as connection:
        told = unread_scans(connection, ())
        assert told.startswith("Not read, because scanned: pages of scan.pdf. ")
        assert "pip install" in told
        assert unread_scans(connection, (scan.id, other.id)) == told
        assert unread_scans(connection, (other.id,)) == ""
    empty.add(write_pdf(tmp_path / "bread.pdf", "On Bread", "It rises."))
    with Database(empty.folder / "library.duckdb").reading() as connection:
        assert unread_scans(connection, ()) == ""  # one scan of three papers
        assert unread_scans(connection, (scan.id,)) == told


def test_of_nothing_no_library_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "library"
    with Library.open(folder, **KEYWORDS) as library:
        assert [file.outcome for file in library.add(tmp_path / "missing.pdf").files] == ["failed"]
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it was not installed
    pdf = write_pdf(tmp_path / "kites.pdf", "Kites")
    with Library.open(folder, parsing__workers="ray", **KEYWORDS) as library:
        with pytest.raises(SettingsError, match="Ray is not installed"):
            library.add(pdf)
    assert not folder.exists()
