"""A user's word on metadata: it counts everywhere, outlives reading the file again, and can be taken back."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import PaperNotFound, QueryError, UnknownNameError
from quire.library import Library
from quire.library.corrections import FIELDS, Said, checked
from quire.library.removing import kept_copy
from tests.library.conftest import EXAMPLES, KEYWORDS
from tests.library.test_refreshing import age

BOATS = "paper-boats.pdf"
SAID = {"title": "Zithers of the Upper Valley", "year": "1974", "authors": "Ada Quill; Bo Reed"}


@pytest.fixture(scope="module")
def one_paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of one example paper. Do not change it."""
    folder = tmp_path_factory.mktemp("one_paper") / "library"
    with Library.open(folder, **KEYWORDS) as library:
        library.add([EXAMPLES / BOATS])
    return folder


@pytest.fixture
def boats(one_paper: Path, tmp_path: Path) -> Iterator[Library]:
    """A library of one paper, to be changed."""
    with Library.open(shutil.copytree(one_paper, tmp_path / "library"), **KEYWORDS) as library:
        yield library


def said(library: Library) -> dict[str, Said]:
    """What was corrected of the one paper, and to what."""
    (paper,) = library.papers()
    return {one.field: one.value for one in library.told(paper.id) if one.corrected}


def test_what_a_user_says_is_shown_found_and_exported(boats: Library) -> None:
    before = {one.field: one.value for one in boats.told(BOATS)}
    boats.edit(BOATS, SAID)
    (paper,) = boats.papers()
    assert (paper.title, paper.year, paper.authors) == (SAID["title"], 1974, ("Ada Quill", "Bo Reed"))
    assert boats.paper("Zithers of the upper valley").id == paper.id
    assert boats.search("zithers valley")[0].paper_id == paper.id
    assert "Zithers of the Upper Valley" in boats.cited([paper.id])[paper.id].bibtex
    assert boats.sql("SELECT corrected FROM metadata").rows == ((["title", "pub_year", "authors"],),)
    title = next(one for one in boats.told(BOATS) if one.field == "title")
    assert (title.corrected, title.read) == (True, before["title"])
    assert boats.check().problems == ()


def test_a_correction_is_taken_back(boats: Library) -> None:
    before = boats.sql("SELECT * FROM metadata").rows
    boats.edit(BOATS, SAID)
    boats.edit(BOATS, {"title": "Another Word"})
    boats.edit(BOATS, dict.fromkeys(SAID))
    assert boats.sql("SELECT * FROM metadata").rows == before
    assert not boats.search("zithers")
    assert said(boats) == {}
    assert boats.check().problems == ()


def test_corrections_hold_when_the_paper_is_read_again(boats: Library) -> None:
    boats.edit(BOATS, SAID)
    now = said(boats)
    age(boats, BOATS)
    boats.refresh()
    assert said(boats) == now
    assert "Zithers" in boats.search("zithers valley")[0].quote
    boats.edit(BOATS, {"title": None})
    assert boats.papers()[0].title != SAID["title"]
    assert boats.check().problems == ()


@pytest.mark.parametrize("keep", [True, False])
def test_corrections_hold_when_the_file_is_added_again(boats: Library, keep: bool) -> None:
    boats.edit(BOATS, SAID)
    now = said(boats)
    boats.remove(BOATS, keep=keep)
    boats.add([EXAMPLES / BOATS])
    assert said(boats) == (now if keep else {})


def test_corrections_come_back_from_the_trash_and_when_the_database_is_lost(boats: Library) -> None:
    boats.edit(BOATS, SAID)
    now = said(boats)
    boats.remove(BOATS)
    assert kept_copy(boats.folder, boats.removed()[0].id).exists()
    boats.restore(BOATS)
    assert said(boats) == now
    boats.close()
    for file in boats.folder.glob("library.duckdb*"):
        file.unlink()
    with Library.open(boats.folder, **KEYWORDS) as again:
        again.repair()
        assert said(again) == now
        assert again.check().problems == ()


def test_a_damaged_label_says_nothing(boats: Library) -> None:
    (paper,) = boats.papers()
    label = boats.folder / "papers" / f"{paper.id}.json"
    told = json.loads(label.read_text())
    label.write_text(json.dumps(told | {"corrections": {"paper_id": "x", "title": 3}}))
    boats.close()
    for file in boats.folder.glob("library.duckdb*"):
        file.unlink()
    with Library.open(boats.folder, **KEYWORDS) as again:
        again.repair()
        assert said(again) == {}
        assert again.papers()[0].title == paper.title


def test_nothing_and_all_of_a_kind(boats: Library) -> None:
    boats.edit(
        BOATS, {"year": "", "venue": "", "authors": [], "received": "2020-02-29", "keywords": ["a", " b "]}
    )
    row = "SELECT pub_year, conference_full, authors, received, keywords FROM metadata"
    assert boats.sql(row).rows == ((None, "uncategorized", [], "2020-02-29", ["a", "b"]),)


@pytest.mark.parametrize("field", ["journal", "venue"])
def test_where_a_paper_appeared_is_one_thing_by_two_names(boats: Library, field: str) -> None:
    row = "SELECT journal, conference_full FROM metadata"
    read = boats.sql(row).rows
    boats.edit(BOATS, {"journal": "Letters on Ponds", "venue": "Letters on Ponds"})
    boats.edit(BOATS, {field: "Annals of Ponds"})
    assert boats.sql(row).rows == (("Annals of Ponds", "Annals of Ponds"),)
    (cited,) = boats.cited([boats.papers()[0].id]).values()
    assert "journal = {Annals of Ponds}" in cited.bibtex
    boats.edit(BOATS, {field: None})
    assert boats.sql(row).rows == read
    boats.edit(BOATS, {"journal": "Annals of Ponds", "venue": "Proceedings of the Pond"})
    boats.edit(BOATS, {"journal": None})  # told apart, they are taken back apart
    assert boats.sql(row).rows == ((None, "Proceedings of the Pond"),)


def test_who_cites_a_paper_follows_its_title(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        library.add([EXAMPLES / BOATS, EXAMPLES / "household-retrieval.pdf"])
        cited = (
            "SELECT count(*) FROM reference WHERE cited_paper_id ="
            " (SELECT paper_id FROM metadata WHERE pdf_path = ?)"
        )
        with library._resources.database.reading() as connection:
            ((title,),) = connection.execute(
                "SELECT reference_title FROM reference r JOIN metadata m ON m.paper_id = r.ref_paper_id"
                " WHERE m.pdf_path = ? AND cited_paper_id IS NULL AND length(reference_title) > 20 LIMIT 1",
                [BOATS],
            ).fetchall()

            def count() -> int:
                with library._resources.database.reading() as reading:
                    return int(reading.execute(cited, ["household-retrieval.pdf"]).fetchall()[0][0])

        before = count()
        library.edit("household-retrieval.pdf", {"title": title})
        assert count() == 1
        library.edit("household-retrieval.pdf", {"title": None})
        assert count() == before


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"bibtex": "@misc{}"}, UnknownNameError),
        ({"tilte": "On Boats"}, UnknownNameError),
        ({"year": "last"}, QueryError),
        ({"year": True}, QueryError),
        ({"received": "2021-02-30"}, QueryError),
        ({"title": ["a"]}, QueryError),
        ({"title": "a" * 30_000}, QueryError),
        ({"authors": [3]}, QueryError),
    ],
)
def test_what_does_not_fit_is_refused(
    boats: Library, changes: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        boats.edit(BOATS, changes)
    assert said(boats) == {}


def test_a_paper_that_is_not_there(boats: Library) -> None:
    with pytest.raises(PaperNotFound):
        boats.edit("nowhere.pdf", {"title": "x"})


@given(st.sampled_from(sorted(FIELDS)), st.one_of(st.text(), st.integers(), st.lists(st.text())))
def test_whatever_is_taken_is_plain(field: str, value: object) -> None:
    try:
        found = checked({field: value})[field]
    except QueryError:
        return
    texts = found if isinstance(found, list) else [found]
    assert all(str(text).isprintable() or " " in str(text) or not str(text).isascii() for text in texts)
    assert checked({field: found}) == {field: found}
