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
    assert names(find([tree / "*.txt"]).files) == ["list.txt"]  # what a pattern fits is no list


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
