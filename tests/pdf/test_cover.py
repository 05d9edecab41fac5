"""Sheets in front of an article: what stands on them is not of the article."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest

from quire.pdf import parse
from tests.pdf.paper import Paper, words

TITLE = "How Stones Become Round in Rivers"


def behind(sheets: list[Path], article: Path, out: Path) -> Path:
    with pypdfium2.PdfDocument.new() as whole:
        for path in (*sheets, article):
            whole.import_pages(pypdfium2.PdfDocument(path))
        whole.save(out)
    return out


def sheet(path: Path, *lines: str) -> Path:
    paper = Paper(path)
    paper.line("University of Somewhere Research Repository", size=22, face="b", y=90)
    for number, line in enumerate(lines):
        paper.line(line, size=10, y=200 + 30 * number)
    return paper.save()


@pytest.fixture
def citing(tmp_path: Path) -> Path:
    cited = ("To cite this version: A. Somebody et al. How Stones Become", "Round in Rivers. Journal, 2019.")
    return sheet(tmp_path / "citing.pdf", "This is the version that was accepted.", *cited)


def test_a_sheet_that_cites_the_article_is_none_of_it(tmp_path: Path, one_column: Path, citing: Path) -> None:
    notice = sheet(tmp_path / "notice.pdf", "Personal use of this material is permitted.")
    plain = parse(one_column).metadata
    for number, sheets in enumerate(([citing], [citing, notice])):
        found = parse(behind(sheets, one_column, tmp_path / f"{number}.pdf"))
        assert (found.metadata.title, found.metadata.authors) == (TITLE, plain.authors)
        assert found.metadata.abstract == plain.abstract
        assert [s.title for s in found.sections] == [s.title for s in parse(one_column).sections]
        assert "This is the version that was accepted." in found.pages[0].text


def test_a_title_page_is_none_even_if_a_leaf_behind_it_says_the_title_again(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "thesis.pdf")
    paper.line(TITLE, size=24, face="b", y=200)
    paper.line("Ada B. Lovelace", size=14, y=300)
    paper.page()
    paper.line(TITLE, size=16, y=100)
    paper.line("We accept this thesis.", size=11, y=160)
    for number in range(3):
        paper.page()
        paper.line(f"{number + 1} A Chapter about Stones and Rivers", size=15, face="b", y=90)
        paper.gap(6)
        paper.text(words(150, number))
    found = parse(paper.save())
    assert found.metadata.title == TITLE
    assert found.metadata.authors == ("Ada B. Lovelace",)


def test_a_page_with_a_table_of_contents_is_no_sheet(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "manual.pdf")
    paper.line("Manual of Stones", size=20, face="b", y=90)
    paper.line("3.1 Rounding of stones in water . . . . . . . . 2", y=150)
    paper.line("1 Overview", size=12, face="b", y=180)
    paper.text(words(80, 1))
    paper.page()
    paper.line("3.1 Rounding of stones in water", size=13, face="b", y=90)
    paper.text(words(200, 2))
    found = parse(paper.save())
    assert found.metadata.title == "Manual of Stones"
    assert "Overview" in [section.title for section in found.sections]
