"""PDFs as files of other forms: each in its place, none twice, and no bad one stops the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import quire
from quire.errors import DocumentError, LibraryError, NotAPdf, PasswordRequired, UnknownNameError
from quire.library.converting import convert
from quire.settings import Parsing
from tests.library.conftest import EXAMPLES, write_pdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two papers of one name, and one that is none."""
    top = tmp_path / "papers"
    (top / "more").mkdir(parents=True)
    write_pdf(top / "boats.pdf", "On Boats", "Boats float on water.")
    write_pdf(top / "more" / "boats.pdf", "On Ships", "Ships are large boats.")
    (top / "bad.pdf").write_bytes(b"no pdf")
    return top


def test_a_folder_is_written_and_a_bad_file_told(folder: Path, tmp_path: Path) -> None:
    report = convert([folder], "md", tmp_path / "out", Parsing())
    assert {file.path.name for file in report.of("failed")} == {"bad.pdf"}
    assert "On Boats" in (tmp_path / "out" / "boats.md").read_text()
    assert "On Ships" in (tmp_path / "out" / "more" / "boats.md").read_text()
    assert len(report.of("written")) == 2


def test_what_is_there_is_left_alone_until_its_pdf_changes(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    convert([folder], "html", out, Parsing())
    (out / "boats.html").write_text("mine")
    assert {file.outcome for file in convert([folder], "html", out, Parsing()).files} == {"there", "failed"}
    assert (out / "boats.html").read_text() == "mine"
    later = (out / "boats.html").stat().st_mtime + 9
    os.utime(folder / "boats.pdf", (later, later))
    convert([folder], "html", out, Parsing())
    assert "On Boats" in (out / "boats.html").read_text()


def test_files_of_one_name_do_not_overwrite_each_other(folder: Path, tmp_path: Path) -> None:
    named = [folder / "boats.pdf", folder / "more" / "boats.pdf"]
    report = convert(named, "md", tmp_path / "out", Parsing())
    assert sorted(file.target.name for file in report.files if file.target) == ["boats-2.md", "boats.md"]


def test_figures_are_cut_out(tmp_path: Path) -> None:
    convert([EXAMPLES / "paper-boats.pdf"], "md", tmp_path, Parsing())
    text = (tmp_path / "paper-boats.md").read_text()
    assert "![Figure 1](paper-boats_figures/figure-1.png)" in text
    assert (tmp_path / "paper-boats_figures" / "figure-1.png").read_bytes()[:4] == b"\x89PNG"


def test_from_python(tmp_path: Path) -> None:
    document = quire.parse(EXAMPLES / "paper-boats.pdf", pictures=tmp_path / "figures")
    assert document.metadata.title.startswith("Paper Boats")
    assert Path(document.images[0].picture).is_file()
    assert "](" not in quire.parse(EXAMPLES / "paper-boats.pdf").to_markdown()


def test_errors_are_told(tmp_path: Path) -> None:
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    with pytest.raises(NotAPdf):
        quire.parse(tmp_path / "bad.pdf")
    with pytest.raises(DocumentError, match="no file"):
        quire.parse(tmp_path / "none.pdf")
    locked = write_pdf(tmp_path / "locked.pdf", "Secret", encrypt="word")
    with pytest.raises(PasswordRequired):
        quire.parse(locked)
    assert "Secret" in quire.parse(locked, password="word").to_markdown()
    with pytest.raises(UnknownNameError):
        convert([locked], "docx", tmp_path / "out", Parsing())
    (tmp_path / "out").write_text("a file")
    with pytest.raises(LibraryError, match="Cannot write"):
        convert([EXAMPLES / "paper-boats.pdf"], "md", tmp_path / "out", Parsing())
