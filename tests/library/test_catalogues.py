"""PDFs that Zotero, BibTeX and RIS name."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

import pytest

from quire.library import finding
from quire.library.finding import find

PDF = b"%PDF-1.7 ..."


def put(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(PDF)
    return file


BIB = r"""
@article{a, title = {A {B} C}, file = {Full text:files/12/One two.pdf:application/pdf;Snapshot:files/13/x.html:text/html}}
@misc{b, file = "files/14/three.pdf", profile = {not.pdf}}
@misc{c,
  file = {:C\:/four\;4.pdf:PDF}, note = {see {other.pdf}} }
@misc{d, file = {:ROOTED/five.pdf:pdf}}
@misc{f, file = "files/six \"6\".pdf"}
@misc{e, file = {https://example.org/six.pdf}}
"""  # noqa: E501


def test_file_fields_of_bibtex(tmp_path: Path) -> None:
    one, three = put(tmp_path / "files/12/One two.pdf"), put(tmp_path / "files/14/three.pdf")
    five = put(tmp_path / "far" / "five.pdf")
    refs = tmp_path / "refs.bib"
    refs.write_text(BIB.replace("ROOTED", str(five.parent).removeprefix("/")))
    named = [pdf for _, pdfs in finding.entries_of_bibliography(refs) for pdf in pdfs]
    assert named[:2] == [one, three]
    assert named[2].name == "four;4.pdf"
    assert named[3:] == [five, tmp_path / 'files/six "6".pdf']  # Mendeley leaves the first slash out
    found = find([refs])
    assert found.files == [one, three, five]
    assert [reason for _, reason in found.missing] == ["refs.bib names it, but there is no such file"] * 2


def test_file_fields_of_ris(tmp_path: Path) -> None:
    one = put(tmp_path / "a b.pdf")
    refs = tmp_path / "refs.ris"
    refs.write_text(f"TY  - JOUR\r\nL1  - {one.as_uri()}\r\nL1  - https://x.org/a.pdf\r\nER  - \r\n")
    assert find([refs]).files == [one]


def test_a_bibliography_without_pdfs_says_so(tmp_path: Path) -> None:
    refs = tmp_path / "refs.bib"
    refs.write_text("@misc{a, title = {" + "{" * 50_000)
    assert find([refs]).missing == [(refs, "no entry of it names a PDF")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A Zotero library: stored, linked, binned, hostile and missing attachments."""
    home = tmp_path / "Zotero"
    put(home / "storage" / "AAAA1111" / "stored.pdf")
    put(home / "storage" / "BBBB2222" / "binned.pdf")
    put(tmp_path / "linked.pdf")
    put(tmp_path / "outside.pdf")
    database = sqlite3.connect(home / "zotero.sqlite")
    database.executescript(f"""
        CREATE TABLE items (itemID INTEGER PRIMARY KEY, key TEXT);
        CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
        CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT, linkMode INT,
                                      contentType TEXT, path TEXT);
        INSERT INTO items VALUES (1, 'AAAA1111'), (2, 'BBBB2222'), (3, 'CCCC3333'), (4, 'DDDD4444'),
                                 (5, 'EEEE5555'), (6, 'FFFF6666'), (7, 'GGGG7777'), (8, 'HHHH8888');
        INSERT INTO deletedItems VALUES (2);
        INSERT INTO itemAttachments VALUES
          (1, NULL, 0, 'application/pdf', 'storage:stored.pdf'),
          (2, NULL, 0, 'application/pdf', 'storage:binned.pdf'),
          (3, NULL, 2, 'application/pdf', '{tmp_path}/linked.pdf'),
          (4, NULL, 0, 'application/pdf', 'storage:../../../outside.pdf'),
          (5, NULL, 0, 'text/html', 'storage:page.html'), (6, 2, 0, 'application/pdf', 'storage:child.pdf'),
          (7, NULL, 0, 'application/pdf', 'storage:gone.pdf'), (8, NULL, 0, 'application/pdf', 'storage:');
    """)
    database.commit()
    database.close()
    return home


def contents(folder: Path) -> dict[Path, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_zotero_gives_its_pdfs_and_is_never_changed(folder: Path, tmp_path: Path) -> None:
    before = {
        file: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.rglob("*") if file.is_file()
    }
    running = sqlite3.connect(folder / "zotero.sqlite")
    running.execute("BEGIN EXCLUSIVE")  # as Zotero holds it
    found = find([folder])
    running.close()
    assert found.files == [folder / "storage" / "AAAA1111" / "stored.pdf", tmp_path / "linked.pdf"]
    assert [path.name for path, _ in found.missing] == ["gone.pdf"]
    assert find([folder / "zotero.sqlite"]).files == found.files
    after = {
        file: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.rglob("*") if file.is_file()
    }
    assert after == before


def test_what_is_no_database_of_zotero_is_told(tmp_path: Path) -> None:
    (tmp_path / "zotero.sqlite").write_text("no database")
    with pytest.raises(ValueError, match="no database of Zotero"):
        finding.pdfs_of_zotero(tmp_path)
    assert "no database of Zotero" in find([tmp_path]).missing[0][1]


def test_a_bibliography_without_entries_names_none(tmp_path: Path) -> None:
    (tmp_path / "empty.bib").write_text("% nothing yet\n")
    assert [told for _, told in find([tmp_path / "empty.bib"]).missing] == ["no entry of it names a PDF"]


def test_a_bibliography_may_be_broken_or_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "odd.bib"
    file.write_text("@article{a, file = {never closed.pdf\n" + "x" * 11_000)
    assert finding.entries_of_bibliography(file) == [("a", [])]
    monkeypatch.setattr(finding, "_LARGEST", 1000)
    with pytest.raises(ValueError, match="too large to be a bibliography"):
        finding.entries_of_bibliography(file)
