"""`page` and `open`: where something stands, as a picture."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from tests.app.cli.conftest import Command
from tests.app.conftest import copied

DOI = "What is the DOI of the paper?"
FLOAT = "How long does the keel boat float on heavy paper?"


@pytest.fixture(scope="module")
def folder(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(filled, tmp_path_factory.mktemp("pictures") / "library")


@pytest.fixture
def run_id(quire: Command, folder: Path) -> str:
    run = json.loads(quire("ask", FLOAT, "--library", folder, "--json").out)
    return str(run["run_id"])


def size(picture: Path) -> tuple[int, int]:
    with Image.open(picture) as opened:
        return opened.size


def test_an_answer_says_the_page_and_the_command_that_shows_it(quire: Command, folder: Path) -> None:
    told = quire("ask", FLOAT, "--library", folder).out
    assert "page 1, verified" in told
    shown = next(line for line in told.splitlines() if line.strip().startswith("quire open "))
    assert shown.split()[-1] in told.splitlines()[-1]  # the run's id


def test_the_evidence_of_a_run_is_shown_without_typing_a_box(
    quire: Command, folder: Path, run_id: str, tmp_path: Path
) -> None:
    marked, plain = tmp_path / "marked.png", tmp_path / "plain.png"
    assert quire("page", run_id, "-o", marked, "--library", folder).code == 0
    assert quire("page", "paper-boats.pdf", 1, "-o", plain, "--library", folder).code == 0
    assert marked.read_bytes() != plain.read_bytes()
    quire("ask", FLOAT, "--library", folder)
    assert quire("page", "last", "-o", plain, "--library", folder).code == 0
    assert marked.read_bytes() == plain.read_bytes()
    second = quire("page", run_id, 2, "--crop", "-o", tmp_path / "second.png", "--library", folder)
    assert second.code == 0
    assert size(tmp_path / "second.png") != size(plain)
    missing = quire("page", run_id, 9, "-o", plain, "--library", folder)
    assert "has 3 pieces of evidence" in missing.err


def test_open_hands_the_picture_to_the_viewer(
    quire: Command, folder: Path, run_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def viewer(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", viewer)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    told = quire("open", run_id, "--library", folder)
    assert told.code == 0
    (file,) = tmp_path.glob("quire-*/evidence-1.png")
    assert opened == [file.as_uri()]
    assert file.read_bytes().startswith(b"\x89PNG")


def test_evidence_that_is_on_no_page_is_told(quire: Command, folder: Path) -> None:
    run = json.loads(quire("ask", "How many papers are there?", "--library", folder, "--json").out)
    ran = quire("open", run["run_id"], "--library", folder)
    assert ran.code == 1
    assert "RunError" in ran.err


def test_a_picture_is_what_its_name_says(quire: Command, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.JPG"
    assert quire("page", "paper-boats.pdf", 1, "-o", target, "--library", folder).code == 0
    assert Image.open(io.BytesIO(target.read_bytes())).format == "JPEG"
    refused = quire("page", "paper-boats.pdf", 1, "-o", tmp_path / "page.gif", "--library", folder)
    assert refused.code == 2
    assert not (tmp_path / "page.gif").exists()


def test_a_folder_that_is_missing_and_a_full_disk_are_told(
    quire: Command, folder: Path, tmp_path: Path
) -> None:
    ran = quire("page", "paper-boats.pdf", 1, "-o", tmp_path / "none" / "page.png", "--library", folder)
    assert ran.code == 1
    assert "There is no folder" in ran.err
    full = tmp_path / "full.png"
    full.symlink_to("/dev/full")
    ran = quire("page", "paper-boats.pdf", 1, "-o", full, "--library", folder)
    assert ran.code == 1
    assert "No space left" in ran.err
