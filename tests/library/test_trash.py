"""Removed papers are kept for a while and can be put back, whatever moment a process died at."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from quire.errors import LibraryUnsafe, PaperNotFound
from quire.library import Library, intake, removing
from tests.library.conftest import KEYWORDS, write_pdf
from tests.library.test_refreshing import everything


@pytest.fixture
def boats(empty: Library, tmp_path: Path) -> Library:
    """A library of two papers."""
    first = write_pdf(tmp_path / "boats.pdf", "On the Making of Small Paper Boats", "They float.")
    second = write_pdf(tmp_path / "bread.pdf", "On the Baking of Dark Bread at Home", "By hand.")
    assert not empty.add([first, second]).failed
    return empty


def test_a_removed_paper_comes_back_as_it_was(boats: Library, tmp_path: Path) -> None:
    before, rows = boats.papers(), everything(boats)
    (gone,) = boats.remove("boats.pdf")
    (tmp_path / "boats.pdf").unlink()  # the library's own copy is enough
    assert [paper.file_name for paper in boats.papers()] == ["bread.pdf"]
    assert boats.check().problems == ()
    (kept,) = boats.removed()
    assert (kept.id, kept.name, kept.until - kept.removed) == (gone.id, gone.name, timedelta(days=30))
    with pytest.raises(PaperNotFound, match=f"was removed; `quire restore {gone.id[:8]}` puts it back"):
        boats.paper("boats")
    report = boats.restore("boats.pdf")
    assert [(file.outcome, file.path.name) for file in report.files] == [("added", "boats.pdf")]
    assert (boats.papers(), everything(boats)) == (before, rows)
    assert boats.removed() == []
    assert boats.check().problems == ()
    with pytest.raises(PaperNotFound, match="quire restore"):
        boats.restore("boats.pdf")


def test_for_good_keeps_nothing_and_time_lets_go(boats: Library) -> None:
    boats.remove("boats.pdf", keep=False)
    assert boats.removed() == []
    boats.remove("bread.pdf")
    note = next((boats.folder / "trash").glob("*.note"))
    told = json.loads(note.read_text())
    for day, kept in (
        ("2199-01-01T00:00:00", 1),
        ("2001-01-01T00:00:00", 0),
    ):  # a clock set back
        note.write_text(json.dumps({**told, "removed": day}))
        removing.tidy(boats._resources)
        assert len(boats.removed()) == kept
    assert list((boats.folder / "trash").iterdir()) == []


def test_a_place_that_holds_another_paper_by_now_stays_its(boats: Library, tmp_path: Path) -> None:
    boats.remove("boats.pdf")
    write_pdf(tmp_path / "boats.pdf", "On the Sinking of Small Paper Boats", "They do not float.")
    boats.add(tmp_path / "boats.pdf")
    boats.restore("boats.pdf")
    said = " ".join(text for (text,) in boats.sql("SELECT page_content FROM pages").rows)
    assert len(boats.papers()) == 3
    assert all(word in said for word in ("Baking", "Making", "Sinking"))
    assert {file.outcome for file in boats.add(tmp_path / "boats.pdf").files} == {"unchanged"}


def test_a_remove_that_died_before_its_commit_removed_nothing(boats: Library) -> None:
    paper = boats.paper("boats.pdf")
    removing.keep_removed(boats.folder, [paper], {})
    with intake.leaving(boats._resources.papers, []):
        boats.folder.joinpath("papers", f"{paper.id}.pdf").unlink()
    removing.tidy(boats._resources)
    assert boats.removed() == []
    assert boats.check().problems == ()


def test_for_good_is_for_good_after_a_remove_that_died(boats: Library) -> None:
    removing.keep_removed(boats.folder, [boats.paper("boats.pdf")], {})
    boats.remove("boats.pdf", keep=False)
    assert boats.removed() == []


def test_a_remove_that_died_after_its_commit_removed_it(boats: Library) -> None:
    paper = boats.paper("boats.pdf")
    copy = boats.file(paper.id).read_bytes()
    boats.remove(paper.id)
    boats.folder.joinpath("papers", f"{paper.id}.pdf").write_bytes(copy)
    assert boats.repair().ok
    assert [paper.file_name for paper in boats.papers()] == ["bread.pdf"]
    assert len(boats.removed()) == 1


@pytest.mark.parametrize("told", ["[]", "{}", "nonsense", '{"id": "../../x"}', "[" * 9999])
def test_a_note_that_makes_no_sense_costs_no_paper(boats: Library, told: str) -> None:
    boats.remove("boats.pdf")
    note = next((boats.folder / "trash").glob("*.note"))
    note.write_text(told)
    assert [problem.kind for problem in boats.check().problems] == ["note"]
    assert [one.file_name for one in boats.removed()] == ["boats.pdf"]
    removing.tidy(boats._resources)
    assert boats.repair().problems == ()
    assert json.loads(note.read_text())["file_name"] == "boats.pdf"
    assert len(boats.restore("boats.pdf").added) == 1


def test_a_label_that_makes_no_sense_is_told_and_written_anew(boats: Library) -> None:
    label = next((boats.folder / "papers").glob("*.json"))
    whole = label.read_text()
    label.write_text("nonsense")
    assert [problem.kind for problem in boats.check().problems] == ["label"]
    assert boats.repair().problems == ()
    assert json.loads(label.read_text()) == json.loads(whole)


def test_an_id_that_leads_elsewhere_is_no_copy(tmp_path: Path) -> None:
    with pytest.raises(LibraryUnsafe, match="no id"):
        intake.copy_of(tmp_path, "../../precious")


def test_names_of_the_removed(boats: Library) -> None:
    boats.remove(["boats.pdf", "bread.pdf"])
    for note in (boats.folder / "trash").glob("*.note"):
        told = json.loads(note.read_text())
        note.write_text(json.dumps({**told, "title": f"On the Making of {told['file_name']}"}))
    assert removing.find(boats.folder, "making of BREAD").file_name == "bread.pdf"
    with pytest.raises(PaperNotFound, match="2 removed papers"):
        removing.find(boats.folder, "on the")
    with Library.open(boats.folder, **KEYWORDS) as again:
        assert len(again.restore(["boats", "bread"]).added) == 2
