from __future__ import annotations

import os
from pathlib import Path

import pytest

from quire.library.finding import find


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.pdf", "B.PDF", "notes.md", "sub/c.pdf", "sub/deep/d'é.pdf", ".hidden/e.pdf", "odd.dat"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"%PDF-1.4")
    return tmp_path


def names(found: list[Path]) -> list[str]:
    return [path.name for path in found]


def test_folders_are_searched_through(tree: Path) -> None:
    found = find([tree])
    assert sorted(names(found.files)) == ["B.PDF", "a.pdf", "c.pdf", "d'é.pdf"]
    assert not found.missing


def test_a_loop_of_folders_ends(tree: Path) -> None:
    for name in ("loop", "loop2"):  # two: a search that goes round would never end
        (tree / "sub" / name).symlink_to(tree, target_is_directory=True)
    (tree / "self").symlink_to(tree / "self", target_is_directory=True)
    assert len(find([tree]).files) == 4


def test_one_file_by_two_names_is_one(tree: Path) -> None:
    (tree / "link.pdf").symlink_to(tree / "a.pdf")
    assert names(find([tree / "a.pdf", tree / "a.pdf", tree / "link.pdf"]).files) == ["a.pdf"]


def test_globs_and_files_of_any_ending(tree: Path) -> None:
    assert sorted(names(find([f"{tree}/**/*.pdf"]).files)) == ["a.pdf", "c.pdf", "d'é.pdf"]
    assert names(find([tree / "odd.dat"]).files) == ["odd.dat"]
    (tree / "br[a]cket.pdf").write_bytes(b"%PDF-")
    assert names(find([tree / "br[a]cket.pdf"]).files) == ["br[a]cket.pdf"]


@pytest.mark.parametrize("name", ["list.txt", "@list.lst"])
def test_lists_of_paths(tree: Path, name: str) -> None:
    file = tree / name.removeprefix("@")
    file.write_text(f"# a remark\n\na.pdf\nsub\n{tree}/odd.dat\nmissing.pdf\n")
    found = find([f"@{file}" if name.startswith("@") else file])
    assert names(found.files) == ["a.pdf", "c.pdf", "d'é.pdf", "odd.dat"]
    assert [(path.name, reason) for path, reason in found.missing] == [
        ("missing.pdf", "there is no such file")
    ]


@pytest.mark.parametrize(
    ("first", "listed"), [("gone.pdf", ["a.pdf"]), ("su?", ["c.pdf", "d'é.pdf", "a.pdf"])]
)
def test_a_list_is_known_by_its_first_line(tree: Path, first: str, listed: list[str]) -> None:
    (tree / "list.txt").write_text(f"{first}\na.pdf\n")
    assert names(find([tree / "list.txt"]).files) == listed
    (left,) = find([tree / "*.txt"]).missing  # what a pattern fits is no list
    assert left[0].name == "list.txt"


def test_a_pdf_that_is_named_txt_is_a_pdf(tree: Path) -> None:
    (tree / "paper.txt").write_bytes(b"%PDF-1.7 ...")
    assert names(find([tree / "paper.txt"]).files) == ["paper.txt"]


def test_what_is_not_there_is_told(tree: Path) -> None:
    (tree / "nothing").mkdir()
    named: list[str | Path] = [
        tree / "no.pdf",
        tree / "*.docx",
        "https://example.org/x.pdf",
        tree / "nothing",
        "bad\0name",
    ]
    reasons = [reason for _, reason in find(named).missing]
    assert [reason.split()[0] for reason in reasons] == ["there", "nothing", "this", "there", "there"]


def test_the_library_is_not_searched(tree: Path) -> None:
    assert sorted(names(find([tree], skip=tree / "sub").files)) == ["B.PDF", "a.pdf"]


def test_a_name_that_is_not_utf8(tree: Path) -> None:
    path = os.fsencode(tree) + b"/\xff.pdf"
    Path(os.fsdecode(path)).write_bytes(b"%PDF-")
    assert path in [os.fsencode(file) for file in find([tree]).files]


def test_documents_of_other_kinds_are_counted_and_named(tree: Path) -> None:
    for name in ("paper.docx", "sub/page.html", "figure.png", ".hidden/notes.md"):
        (tree / name).write_text("text")
    found = find([tree])
    assert names(found.left) == ["notes.md", "paper.docx", "page.html"]
    (told,) = found.notes
    assert told.startswith("3 documents are no PDFs and were left out: notes.md, paper.docx, page.html.")
    assert "`pandoc notes.md -o notes.pdf`" in told
    many = tree / "many"
    many.mkdir()
    for number in range(8):
        (many / f"{number}.md").write_text("text")
    found = find([many])
    assert "and 2 more" in found.notes[0]
    assert found.missing == [(many, "there is no PDF in this folder")]


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("a.md", "`pandoc a.md -o a.pdf`"),
        ("a.docx", "`soffice --headless --convert-to pdf a.docx`"),
        ("a.html", "print it to a PDF in a browser"),
        ("a.txt", "`pandoc a.txt -o a.pdf`"),
    ],
)
def test_a_document_of_another_kind_is_told_how_to_become_a_pdf(tree: Path, name: str, how: str) -> None:
    (tree / name).write_text("Only some words that are no path.")
    found = find([tree / name])
    assert not found.files
    assert found.missing[0][1].endswith(how)
    (tree / name).write_bytes(b"%PDF-1.4")  # misnamed
    assert names(find([tree / name]).files) == [name]


def test_entries_of_a_bibliography_without_a_file_are_told(tree: Path) -> None:
    entries = (
        "@article{one, file = {a.pdf}}\n@comment{x}\n@book{two, title={B}}\n  @misc( three, title = {C})\n"
    )
    (tree / "refs.bib").write_text(entries)
    found = find([tree / "refs.bib"])
    assert (names(found.files), found.notes) == (["a.pdf"], ["refs.bib: 2 entries name no PDF: two, three."])
    ris = "TY  - JOUR\nTI  - One\nL1  - a.pdf\nER  - \nTY  - JOUR\nTI  - Two of them\nER  - \n"
    (tree / "refs.ris").write_text(ris)
    found = find([tree / "refs.ris"])
    assert (names(found.files), found.notes) == (["a.pdf"], ["refs.ris: 1 entry names no PDF: Two of them."])
