"""Filters by year, author and key word; BibTeX; a watched folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from quire.app.cli.collect import look
from quire.build import Library
from tests.app.cli.conftest import Command
from tests.app.conftest import PAPERS, copied
from tests.library.conftest import KEYWORDS

WORDS = "introduction method results conclusion"


@pytest.mark.parametrize(
    ("options", "years"),
    [
        (("--year", "2024"), {2024}),
        (("--year", "2023-2024"), {2023, 2024}),
        (("--year", "-2022"), {2022}),
        (("--year", "2026-"), {2026}),
        (("--author", "Jonas Sample"), {2022, 2024}),
        (("--author", "sample", "--author", "Example"), {2024}),
        (("--year", "2022-", "--paper", "sourdough-starters.pdf"), {2023}),
    ],
)
def test_searches_are_restricted(
    quire: Command, filled: Path, options: tuple[str, ...], years: set[int]
) -> None:
    with Library.open(filled) as library:
        of = {paper.id: paper.year for paper in library.papers()}
    ran = quire(
        "search",
        WORDS,
        "--limit",
        50,
        *options,
        "--library",
        filled,
        "--json",
    )
    found = {of[hit["paper_id"]] for hit in json.loads(ran.out)}
    assert found
    assert found <= years


def test_questions_are_restricted(quire: Command, filled: Path) -> None:
    question = "In which year was the paper published?"
    run = json.loads(quire("ask", question, "--year", "-2022", "--library", filled, "--json").out)
    assert run["answer"]["value"] == 2022


def test_key_words_restrict(quire: Command, filled: Path) -> None:
    with Library.open(filled) as library:
        tags = {paper: words for paper, words in library.tags().items() if words}
        paper, words = next(iter(tags.items()))
        alike = {other for other, each in tags.items() if words[0] in each}
    ran = quire(
        "search",
        WORDS,
        "--tag",
        words[0].upper(),
        "--limit",
        50,
        "--library",
        filled,
        "--json",
    )
    assert {hit["paper_id"] for hit in json.loads(ran.out)} <= alike


def test_filters_that_fit_nothing_are_told(quire: Command, filled: Path) -> None:
    assert "No paper fits" in quire("search", "boat", "--year", "1999", "--library", filled).err
    assert "is no year" in quire("search", "boat", "--year", "soon", "--library", filled).err


def test_bibtex_has_what_was_read(quire: Command, filled: Path, tmp_path: Path) -> None:
    folder = copied(filled, tmp_path / "library")
    ran = quire("export", "bibliography", "paper-boats.pdf", "--library", folder)
    assert "title = {Paper Boats: How Hull Folds Change Soaking Time}" in ran.out
    assert "paper-boats.pdf}" in ran.out
    assert "annote" not in ran.out
    assert quire("export", "bibliography", "--library", folder).out.count("\n@") == 3
    question = "How long does the keel boat float on heavy paper?"
    run = json.loads(quire("ask", question, "--library", folder, "--json").out)
    wrote = quire(
        "export", "bibliography", "--run", run["run_id"], "-o", tmp_path / "refs.bib", "--library", folder
    )
    read = {piece["paper_id"] for piece in run["answer"]["evidence"]}
    assert f"Wrote {len(read)} entr" in wrote.err
    entries = (tmp_path / "refs.bib").read_text()
    assert entries.count("\n@") + entries.startswith("@") == len(read) < 3
    assert "annote = {p. 1: " in entries


def test_metadata_are_corrected_and_taken_back(quire: Command, filled: Path, tmp_path: Path) -> None:
    folder = copied(filled, tmp_path / "library")
    ran = quire("edit", "paper-boats.pdf", "title=On [red]Zithers", "year=1974", "--library", folder)
    assert "title: On [red]Zithers (yours; read: Paper Boats: How Hull Folds Change Soaking Time)" in ran.out
    assert (
        "title = {On [red]Zithers}"
        in quire("export", "bibliography", "paper-boats.pdf", "--library", folder).out
    )
    assert "is no FIELD=VALUE" in quire("edit", "paper-boats.pdf", "title", "--library", folder).err
    assert "cannot be corrected" in quire("edit", "paper-boats.pdf", "colour=red", "--library", folder).err
    back = quire("edit", "paper-boats.pdf", "--take-back", "all", "--library", folder, "--json")
    assert not [one for one in json.loads(back.out) if one["corrected"]]


def test_what_comes_into_a_watched_folder_is_added_when_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "watched"
    folder.mkdir()
    with Library.open(tmp_path / "library", create=True, **KEYWORDS) as library:
        done: dict[Path, tuple[int, int]] = {}
        before = look(library, [folder], {}, done)
        file = Path(shutil.copy(PAPERS / "paper-boats.pdf", folder))
        whole = file.read_bytes()
        file.write_bytes(whole[:1000])
        before = look(library, [folder], before, done)
        file.write_bytes(whole)  # it was still being written
        before = look(library, [folder], before, done)
        assert library.papers() == []
        before = look(library, [folder], before, done)
        assert [paper.file_name for paper in library.papers()] == ["paper-boats.pdf"]
        assert look(library, [folder], before, done) == before
        file.unlink()
        look(library, [folder], before, done)
        assert len(library.papers()) == 1
