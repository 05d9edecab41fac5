"""Reading a library of the example papers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from quire.errors import EncoderUnavailable, FilterError, LibraryError, PaperNotFound, QueryError, SqlRefused
from quire.library import Library
from quire.search.encoders import BGE_LARGE, MINILM
from quire.store import schema
from quire.types import Box
from tests.library.conftest import KEYWORDS, write_pdf


def test_every_row_and_vector_is_accounted_for(filled: Library) -> None:
    health = filled.check()
    assert health.problems == ()
    assert health.counts["metadata"] == 4
    status = filled.status()
    assert status.states == {"parsed": 0, "encoded": 4, "failed": 0}
    assert status.rows["chunks"] == health.counts["chunks.text_content"] > 10
    assert not any(status.waiting.values())


def test_search_finds_a_passage_with_its_place_and_marks(filled: Library) -> None:
    hit = filled.search("How long does a boat float until it sinks?", collection="text_bm25_en")[0]
    assert "boat" in hit.paper_title.lower()
    assert hit.page == 1
    assert hit.bbox is not None
    assert hit.section
    assert any(hit.text[a:b].lower().startswith("boat") for a, b in hit.spans)


def test_search_by_meaning_and_fused(filled: Library) -> None:
    dense = filled.search("bread dough", collection="text_sentence_transformers_all_minilm_l6_v2")
    fused = filled.search("sourdough starters", limit=3)
    assert "Sourdough" in dense[0].paper_title
    assert "Sourdough" in fused[0].paper_title
    assert len(fused) == 3


def test_search_within_papers_columns_and_filters(filled: Library) -> None:
    hits = filled.search("light", papers=["window-sill-seedlings.pdf"], limit=50)
    assert {hit.paper_id for hit in hits} == {filled.paper("seedlings").id}
    boats = filled.paper("paper-boats.pdf").id
    assert {hit.paper_id for hit in filled.search("time", filter=f"pdf_id == '{boats}'", limit=50)} == {boats}
    assert filled.search("light", filter="page_number > 1000") == []
    titles = filled.search("boats", table="metadata", column="title", collection="text_bm25_en")
    assert [(hit.table, hit.page, hit.text) for hit in titles] == [
        ("metadata", -1, filled.paper("boats").title)
    ]
    assert all(hit.table == "chunks" for hit in filled.search("boats", table="chunks"))
    with pytest.raises(QueryError):
        filled.search("light", column="no_such_column")
    with pytest.raises(FilterError, match="pdf_id"):
        filled.search("light", filter="ref_paper_id == 'x'")
    with pytest.raises(QueryError):
        filled.search("light", table="chunks", column="ordinal")
    with pytest.raises(PaperNotFound):
        filled.search("light", papers=["nowhere"])


def test_sql_reads_the_views_only(filled: Library) -> None:
    result = filled.sql("SELECT pdf_path, len(authors) FROM metadata ORDER BY pdf_path")
    assert [row[0] for row in result.rows][0] == "household-retrieval.pdf"
    assert filled.schema() == schema.TABLES
    with pytest.raises(SqlRefused):
        filled.sql("DELETE FROM metadata")


def test_every_column_of_the_schema_is_filled(filled: Library) -> None:
    empty_by_nature = {
        *("language", "volume", "arxiv_id", "doi", "download_url", "pub_year", "abstract"),
        *("received", "accepted", "published", "journal", "issue", "first_page", "last_page"),
        *("publisher", "licence", "affiliations", "corresponding_author", "corresponding_email", "funding"),
        *("corrected", "venue", "reference_doi"),
    }  # the papers of the tests print none, or only some
    for table in schema.TABLES:
        if table.name == "equations":
            continue
        for column in table.columns:
            if column.name in empty_by_nature:
                continue
            value = f"coalesce({column.name}::VARCHAR, '')"
            sql = f"SELECT count(*) FROM {table.name} WHERE {value} NOT IN ('', '[]')"
            assert filled.sql(sql).rows[0][0], f"{table.name}.{column.name}"


def test_a_reference_points_to_the_paper_in_the_library(filled: Library) -> None:
    linked = filled.sql("SELECT m.pdf_path FROM reference r JOIN metadata m ON m.paper_id = r.cited_paper_id")
    assert linked.rows


def test_pages(filled: Library) -> None:
    paper = filled.paper("paper-boats.pdf")
    assert "Paper Boats" in filled.page_text(paper.id[:8], 1)
    whole = filled.render("paper-boats", 1, dpi=50, marks=[Box(10, 10, 50, 50)])
    part = filled.render("paper-boats", 1, dpi=50, box=Box(50, 50, 100, 100))
    assert whole.startswith(b"\x89PNG")
    assert len(part) < len(whole)
    for number in (0, 2):
        with pytest.raises(PaperNotFound, match="has no page"):
            filled.render("paper-boats", number)
        with pytest.raises(PaperNotFound, match="has no page"):
            filled.page_text("paper-boats", number)


def test_adding_again_does_nothing(filled: Library) -> None:
    report = filled.add([paper.source_path for paper in filled.papers()])
    assert len(report.unchanged) == 4
    assert report.encoded == 0


def test_a_library_that_is_not_there(empty: Library) -> None:
    for read in (
        empty.papers,
        empty.check,
        empty.status,
        lambda: empty.search("x"),
        lambda: empty.sql("SELECT 1"),
    ):
        with pytest.raises(LibraryError, match="quire add"):
            read()
    assert not empty.folder.exists()


def test_a_new_library_may_stand_in_folders_that_are_not_there_yet(tmp_path: Path) -> None:
    with Library.open(tmp_path / "papers" / "of mine", create=True, **KEYWORDS) as library:
        assert library.papers() == []


@pytest.mark.usefixtures("own_children")
def test_a_closed_library_leaves_no_process_behind(empty: Library, tmp_path: Path) -> None:
    before = children()
    empty.add(write_pdf(tmp_path / "boats.pdf", "On the Boats that Float", "They float."))
    assert empty.render("boats.pdf", 1).startswith(b"\x89PNG")
    assert empty.sql("SELECT 1").rows == ((1,),)
    assert len(children() - before) >= 2  # one draws, one runs SQL
    empty.close()
    assert children() == before


def children() -> set[str]:
    """Ids of the processes that this one started and that still run."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


@pytest.mark.usefixtures("own_children")
def test_what_is_asked_first_can_be_made_ready_before(empty: Library, tmp_path: Path) -> None:
    empty.add(write_pdf(tmp_path / "boats.pdf", "On the Boats that Float", "They float."))
    before = children()
    empty.warm()
    assert len(children() - before) >= 2


def test_the_copy_of_a_paper_is_given_while_it_is_there(empty: Library, tmp_path: Path) -> None:
    boats = write_pdf(tmp_path / "boats.pdf", "On the Boats that Float", "They float.")
    empty.add(boats)
    copy = empty.file("boats.pdf")
    assert copy.read_bytes() == boats.read_bytes()
    copy.unlink()
    with pytest.raises(PaperNotFound, match="is gone") as told:
        empty.file("boats.pdf")
    assert told.value.hint == "Add the file again."


def test_key_words_by_paper(filled: Library) -> None:
    tags = filled.tags()
    assert set(tags) == {paper.id for paper in filled.papers()}
    assert all(isinstance(tag, str) for each in tags.values() for tag in each)
    assert any(tags.values())


def test_an_encoder_that_cannot_be_had_is_told_every_time(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"index__models": tmp_path, "index__encoders": (MINILM, BGE_LARGE)}
    with Library.open(tmp_path / "library", create=True, **settings) as library:
        resources = library._resources
        there, missing = resources.available()
        assert (set(there), len(missing)) == ({MINILM}, 1)
        for _ in range(2):
            with pytest.raises(EncoderUnavailable, match="bge-large-en"):
                resources.encoder(BGE_LARGE)
        assert resources.encoder(MINILM) is there[MINILM]
