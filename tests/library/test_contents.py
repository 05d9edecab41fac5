"""What a paper consists of, for people who leaf through it."""

from __future__ import annotations

from pathlib import Path

from quire.library import Library
from quire.library.contents import Counts
from quire.store import Database
from quire.types import Box
from tests.library.conftest import write_pdf


def test_a_paper_is_told_in_reading_order_each_part_with_its_place(filled: Library) -> None:
    found = filled.contents("paper-boats.pdf")
    assert found.paper.file_name == "paper-boats.pdf"
    assert [page.number for page in found.pages] == list(range(1, found.paper.pages + 1))
    assert all(page.width > 300 and page.height > 400 for page in found.pages)
    assert [heading.title for heading in found.sections][:2] == ["Abstract", "1 Introduction"]
    assert {heading.level for heading in found.sections} >= {1}
    pages = [heading.page for heading in found.sections]
    assert pages == sorted(pages)
    assert [each.label for each in found.tables][:1] == ["Table 1"]
    assert [each.label for each in found.figures][:1] == ["Figure 1"]
    boxes = [(part.page, part.bbox) for part in found.sections]
    boxes += [(part.page, part.bbox) for part in (*found.tables, *found.figures)]
    boxes += [(part.page, part.bbox) for part in found.references]
    assert all(isinstance(box, Box) and 1 <= page <= found.paper.pages for page, box in boxes)
    assert found.abstract
    assert found.language == "en"
    assert found.bibtex.startswith("@")


def test_references_tell_what_they_cite_and_the_work_that_the_library_has(filled: Library) -> None:
    papers = {paper.id: paper for paper in filled.papers()}
    cited = [(paper, entry) for paper in papers for entry in filled.contents(paper).references]
    assert all(entry.text and entry.title for _, entry in cited)
    assert all(entry.year is None or 1800 < entry.year < 2100 for _, entry in cited)
    assert {entry.cited_paper for _, entry in cited} - {""} <= set(papers)
    known = [entry for _, entry in cited if entry.cited_paper]
    assert known
    for entry in known:
        assert papers[entry.cited_paper].title.lower() in entry.text.lower()
    assert any(entry.cited_paper == "" for _, entry in cited)


def test_what_is_counted_is_what_is_told(filled: Library) -> None:
    for paper in filled.papers():
        found = filled.contents(paper.id)
        told = Counts(
            sections=len(found.sections), tables=len(found.tables), figures=len(found.figures),
            equations=filled.counts()[paper.id].equations, references=len(found.references),
        )  # fmt: skip
        assert filled.counts()[paper.id] == told


def test_a_paper_that_lost_its_metadata_can_be_leafed_through(empty: Library, tmp_path: Path) -> None:
    empty.add(write_pdf(tmp_path / "boats.pdf", "On the Boats that Float", "They float.", pages=2))
    with Database(empty.folder / "library.duckdb").writing() as connection:
        connection.execute("DELETE FROM metadata")
    found = empty.contents("boats.pdf")
    assert (found.abstract, found.venue, found.tags, found.references) == ("", "", (), ())
    assert [page.number for page in found.pages] == [1, 2]
