"""Papers that an older parser parsed are parsed again in place: same ids for the same, nothing lost."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption

from quire.errors import PaperNotFound
from quire.library import Library
from quire.store import schema
from tests.library.conftest import EXAMPLES, KEYWORDS, write_pdf
from tests.library.test_summaries import Summariser

TABLES = ("metadata", *(kind.TABLE for kind in schema.VIEW_ROWS[1:]))


def age(library: Library, *names: str) -> None:
    """Make papers look as if an older version had parsed them."""
    with library._resources.database.writing() as connection:
        for name in names:
            connection.execute("UPDATE papers SET parser = 'pdfium-1' WHERE file_name = ?", [name])


def everything(library: Library) -> dict[str, list[Any]]:
    """All rows of the public tables, and which entries there are."""
    with library._resources.database.reading() as connection:
        found = {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY ALL").fetchall() for table in TABLES
        }
        found["entries"] = connection.execute(
            "SELECT pdf_id, page_number, table_name, column_name, primary_key FROM entries ORDER BY ALL"
        ).fetchall()
        found["papers"] = connection.execute(
            "SELECT paper_id, added, parser, state, source_path, copy_sha256 FROM papers ORDER BY ALL"
        ).fetchall()
    return found


@pytest.fixture(scope="module")
def two_papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two of the example papers. Do not change it."""
    folder = tmp_path_factory.mktemp("two_papers") / "library"
    with Library.open(folder, **KEYWORDS) as library:
        library.add([EXAMPLES / "paper-boats.pdf", EXAMPLES / "household-retrieval.pdf"])
    return folder


@pytest.fixture
def boats(two_papers: Path, tmp_path: Path) -> Iterator[Library]:
    """A library of two papers, as if they had been added from `tmp_path / "mine"`."""
    shutil.copytree(EXAMPLES, tmp_path / "mine")
    with Library.open(shutil.copytree(two_papers, tmp_path / "library"), **KEYWORDS) as library:
        with library._resources.database.writing() as connection:
            for table, column in (("papers", "source_path"), ("sources", "place")):
                connection.execute(f"UPDATE {table} SET {column} = ? || file_name", [f"{tmp_path}/mine/"])
        yield library


def test_status_counts_old_papers_and_refresh_reads_only_them(boats: Library) -> None:
    before = everything(boats)
    assert boats.status().old == 0
    assert {file.outcome for file in boats.refresh().files} == {"unchanged"}
    age(boats, "paper-boats.pdf")
    assert boats.status().old == 1
    assert boats.paper("paper-boats.pdf").old
    report = boats.refresh()
    assert [file.path.name for file in report.refreshed] == ["paper-boats.pdf"]
    assert boats.status().old == 0
    assert everything(boats) == before
    assert boats.check().problems == ()


def test_only_named_papers_are_refreshed(boats: Library) -> None:
    age(boats, "paper-boats.pdf", "household-retrieval.pdf")
    with pytest.raises(PaperNotFound):
        boats.refresh(["paper-boats.pdf", "no such paper"])
    assert boats.status().old == 2
    boats.refresh("paper-boats.pdf")
    assert [paper.file_name for paper in boats.papers() if paper.old] == ["household-retrieval.pdf"]


def test_what_says_the_same_keeps_its_id_and_what_does_not_gets_another(boats: Library) -> None:
    before = everything(boats)
    paper = boats.paper("paper-boats.pdf").id
    with boats._resources.database.writing() as connection:
        # As an older parser might have left it: a passage less, so that the numbers of those after it differ,
        # another that said something else, and an id from elsewhere.
        (gone,), (other,) = connection.execute(
            "SELECT chunk_id::VARCHAR FROM chunks WHERE ref_paper_id = ?::UUID"
            " ORDER BY ref_page_id, ordinal LIMIT 2",
            [paper],
        ).fetchall()
        connection.execute("DELETE FROM chunks WHERE chunk_id = ?::UUID", [gone])
        connection.execute("UPDATE chunks SET text_content = 'Else.' WHERE chunk_id = ?::UUID", [other])
        connection.execute(
            "UPDATE sections SET section_id = uuid() WHERE ref_paper_id = ?::UUID AND ordinal = 2",
            [paper],
        )
        known = {
            (title, str(key))
            for key, title in connection.execute("SELECT section_id, section_title FROM sections").fetchall()
        }
    age(boats, "paper-boats.pdf")
    boats.refresh()
    after = everything(boats)
    old, new = ({str(row[0]): row[1] for row in each["chunks"]} for each in (before, after))
    assert sorted(old.values()) == sorted(new.values())
    assert {key for key in old if key not in new} == {gone, other}
    assert all(old[key] == new[key] for key in old if key in new)
    assert {(row[1], str(row[0])) for row in after["sections"]} == known
    assert boats.check().problems == ()


def test_add_refreshes_the_old_papers_it_is_given(boats: Library, tmp_path: Path) -> None:
    age(boats, "paper-boats.pdf", "household-retrieval.pdf")
    file = tmp_path / "mine" / "paper-boats.pdf"
    shutil.copy(file, tmp_path / "twin.pdf")
    report = boats.add([file, tmp_path / "twin.pdf"])
    assert [each.outcome for each in report.files if each.path == file] == ["refreshed"]
    assert report.duplicates[0].path.name == "twin.pdf"
    assert boats.status().old == 1
    assert boats.paper("paper-boats.pdf").source_path == str(file)


def test_what_cannot_be_parsed_again_stays_as_it_is(boats: Library, tmp_path: Path) -> None:
    age(boats, "paper-boats.pdf", "household-retrieval.pdf")
    before = everything(boats)
    with Library.open(boats.folder, parsing__time_limit=0.001, **KEYWORDS) as hasty:
        failed = hasty.refresh().failed
    assert {file.kind for file in failed} == {"DocumentLimit"}
    (boats.folder / "papers" / f"{boats.paper('paper-boats.pdf').id}.pdf").unlink()
    (tmp_path / "mine" / "paper-boats.pdf").unlink()
    (lost,) = boats.refresh("paper-boats.pdf").failed
    assert lost.reason.startswith("Its PDF is gone.")
    assert everything(boats) == before


def test_an_encrypted_paper_needs_no_password_again(empty: Library, tmp_path: Path) -> None:
    lock = StandardEncryption("open", "own")
    file = write_pdf(tmp_path / "secret.pdf", "On Things That Nobody Knows", "Hush.", encrypt=lock)
    empty.add(file, password="open")
    before = everything(empty)
    for refreshing in (True, False):
        age(empty, "secret.pdf")
        report = empty.refresh() if refreshing else empty.add(file)
        assert [each.outcome for each in report.files] == ["refreshed"]
        assert everything(empty) == before
    assert empty.check().problems == ()


def test_summaries_of_a_model_stay(boats: Library) -> None:
    from quire.library.summaries import plan, summarise
    from quire.llm import Model

    model = Model("m", Summariser())
    summarise(boats, plan(boats, model), model)
    before = everything(boats)
    age(boats, "paper-boats.pdf", "household-retrieval.pdf")
    boats.refresh()
    assert everything(boats) == before
    assert plan(boats, model) == []


def test_a_killed_refresh_leaves_whole_papers_and_the_next_goes_on(tmp_path: Path) -> None:
    names = [f"{number}.pdf" for number in range(12)]
    for name in names:
        write_pdf(tmp_path / name, f"A Paper of the Number {name}", "Words.", pages=4)
    library = Library.open(tmp_path / "library", **KEYWORDS)
    library.add([tmp_path / name for name in names])
    before = everything(library)
    script = (
        "import sys; from quire.library import Library, adding; adding._GATHER_PAPERS = 1;"
        "Library.open(sys.argv[1], index__encoders=('text_bm25_en',), parsing__workers=1).refresh("
        "progress=lambda step: print(step.done, flush=True))"
    )
    for stop in ("1", "5"):
        age(library, *names)
        running = subprocess.Popen(
            [sys.executable, "-c", script, str(library.folder)], stdout=subprocess.PIPE, text=True
        )
        assert running.stdout
        for line in running.stdout:
            if line.strip() == stop:
                running.send_signal(signal.SIGKILL)
                break
        running.wait()
        running.stdout.close()
        assert 0 < library.status().old < len(names)
        assert library.check().ok
        assert len(library.refresh().refreshed) > 0
        assert everything(library) == before
        assert library.check().problems == ()
