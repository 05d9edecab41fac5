from __future__ import annotations

import json
from pathlib import Path

import pytest

from quire.store import Database
from tests.app.cli.conftest import Command
from tests.app.conftest import PAPERS, copied


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "quire.toml").write_text('[index]\nencoders = ["text_bm25_en"]\n')
    return folder


def test_adding_twice_does_nothing_the_second_time(quire: Command, fresh: Path) -> None:
    first = quire("add", PAPERS / "paper-boats.pdf", "--library", fresh, "--json")
    second = quire("add", PAPERS / "paper-boats.pdf", "--library", fresh, "--json")
    assert (first.code, second.code) == (0, 0)
    assert json.loads(first.out)["added"] == 1
    assert json.loads(second.out) | {"added": 0, "unchanged": 1} == json.loads(second.out)


def test_a_failure_is_told_and_ends_in_exit_code_one(quire: Command, fresh: Path, tmp_path: Path) -> None:
    bad = tmp_path / "not a 'paper'.pdf"
    bad.write_text("hello")
    ran = quire("add", bad, PAPERS / "paper-boats.pdf", "--library", fresh)
    assert ran.code == 1
    assert "failed" in ran.out
    assert "not a 'paper'.pdf" in ran.out
    assert "1 added" in ran.out


def test_status_check_and_remove(quire: Command, filled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    copied(filled, folder)
    status = json.loads(quire("status", "--library", folder, "--json").out)
    assert len(status["papers"]) == 4
    assert status["rows"]["metadata"] == 4
    assert quire("check", "--library", folder).code == 0
    removed = quire("remove", "paper-boats.pdf", "--library", folder, "--json")
    assert json.loads(removed.out)["removed"][0]["file_name"] == "paper-boats.pdf"
    assert json.loads(quire("status", "--library", folder, "--json").out)["rows"]["metadata"] == 3
    assert (PAPERS / "paper-boats.pdf").exists()


def test_old_papers_are_told_and_refreshed(quire: Command, filled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    copied(filled, folder)
    assert "older version" not in quire("status", "--library", folder).out
    with Database(folder / "library.duckdb").writing() as connection:
        connection.execute("UPDATE papers SET parser = 'pdfium-1' WHERE file_name = 'paper-boats.pdf'")
    told = quire("status", "--library", folder).out
    assert "1 papers were parsed by an older version of quire; `quire refresh` parses them again." in told
    ran = quire("refresh", "--library", folder)
    assert (ran.code, "1 refreshed, 3 unchanged" in ran.out) == (0, True)
    assert json.loads(quire("status", "--library", folder, "--json").out)["old"] == 0


def test_repair_makes_good_what_check_finds(quire: Command, filled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    copied(filled, folder)
    copies = sorted((folder / "papers").glob("*.pdf"))
    copies[0].unlink()
    assert quire("check", "--library", folder).code == 1
    assert quire("repair", "--library", folder).code == 0
    assert copies[0].exists()


def test_a_library_that_is_not_there_says_how_to_make_one(quire: Command, tmp_path: Path) -> None:
    ran = quire("status", "--library", tmp_path / "none")
    assert ran.code == 1
    assert "quire add" in ran.err


def test_a_part_of_a_title_is_asked_about_before_anything_goes(
    quire: Command, filled: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    copied(filled, folder)
    refused = quire("remove", "paper boat", "--library", folder)
    assert refused.code == 1
    assert "`paper boat` means" in refused.err
    assert "paper-boats.pdf" in refused.err
    assert "--yes" in refused.err
    assert quire("restore", "--library", folder).out.strip() == "Nothing was removed."
    assert quire("remove", "paper boat", "--yes", "--library", folder).code == 0
    assert "paper-boats.pdf" in quire("restore", "--library", folder).out
    assert quire("restore", "paper-boats.pdf", "--library", folder).code == 0
    assert json.loads(quire("status", "--library", folder, "--json").out)["rows"]["metadata"] == 4
