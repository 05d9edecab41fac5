"""What a parsed paper holds, on papers whose every line is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire.errors import UnknownNameError
from quire.pdf import parse
from quire.settings import Parsing


def test_front_matter(one_column: Path) -> None:
    meta = parse(one_column).metadata
    assert meta.title == "How Stones Become Round in Rivers"
    assert meta.authors == ("Ada B. Lovelace", "Jürgen Müller", "Li Wei")
    assert meta.abstract.startswith("We show that stones become round.")
    assert meta.abstract.endswith(".")
    assert meta.keywords == ("stones", "rivers", "abrasion")
    assert (meta.year, meta.volume, meta.language) == (2019, "12", "en")
    assert meta.emails == ("ada@rivers.org",)
    assert meta.venue.startswith("Journal of Small Rivers")


def test_sections_have_numbers_levels_and_parents(one_column: Path) -> None:
    sections = parse(one_column).sections
    assert [(s.number, s.title, s.level, s.parent) for s in sections] == [
        ("", "Abstract", 1, None),
        ("1", "Introduction", 1, None),
        ("1.1", "Related Work", 2, 1),
        ("2", "Methods", 1, None),
        ("", "Sampling", 2, 3),
        ("", "References", 1, None),
    ]


def test_paragraphs_are_joined_and_parted(one_column: Path) -> None:
    introduction = parse(one_column).sections[1]
    assert len(introduction.paragraphs) == 2
    assert "tells of the international work on stones [1]." in introduction.paragraphs[0].text
    assert introduction.paragraphs[1].text.startswith("A second one")


def test_lines_tell_where_text_stands(one_column: Path) -> None:
    for section in parse(one_column).sections:
        for paragraph in section.paragraphs:
            starts = [line.start for line in paragraph.lines]
            assert starts == sorted(starts)
            assert starts[0] == 0
            assert paragraph.lines[0].page == paragraph.page
            assert all(72 <= line.bbox.x0 and line.bbox.x1 < 540 for line in paragraph.lines)


def test_furniture_and_footnotes_are_no_body_text(one_column: Path) -> None:
    document = parse(one_column)
    body = "\n".join(s.text for s in document.sections)
    assert "Journal of Small Rivers" not in body
    assert "threw stones" not in body
    assert "Keywords" not in body
    assert "threw stones" in document.pages[0].text
    assert "Journal of Small Rivers" in document.pages[1].text
    assert [page.label for page in document.pages] == ["1", "2"]


def test_numbered_references(one_column: Path) -> None:
    first, second = parse(one_column).references
    assert (first.label, first.title, first.year) == ("[1]", "Rolling stones in water", 2001)
    assert second.title == "Round things: a survey of what is round and what is not round"
    assert (second.year, second.page) == (1999, 2)


def test_two_columns_are_read_left_then_right(two_columns: Path) -> None:
    document = parse(two_columns)
    text = document.pages[0].text
    assert text.index("Left paragraph 11") < text.index("Right paragraph 0")
    assert [s.title for s in document.sections] == ["Introduction", "Conclusion", "References"]
    begins = [p.text.split(" begins")[0] for p in document.sections[0].paragraphs]
    assert begins == [f"Left paragraph {k}" for k in range(12)] + [f"Right paragraph {k}" for k in range(4)]
    assert document.metadata.authors == ("Grace Hopper",)


def test_references_with_hanging_indents(two_columns: Path) -> None:
    references = parse(two_columns).references
    assert [(r.label, r.title, r.year) for r in references] == [
        ("", "Trees and clouds in the work of painters", year) for year in (2001, 2003, 2010)
    ]


def test_parsing_is_deterministic(one_column: Path) -> None:
    assert parse(one_column) == parse(one_column)


def test_more_pages_than_the_limit_are_told(one_column: Path) -> None:
    document = parse(one_column, settings=Parsing(max_pages=1))
    assert len(document.pages) == 1
    assert "first 1 of 2 pages" in document.notes[0]


def test_an_unknown_parser_lists_the_choices(one_column: Path) -> None:
    with pytest.raises(UnknownNameError, match="pdfium"):
        parse(one_column, settings=Parsing(parser="magic"))


@pytest.mark.parametrize(
    "name", ["household-retrieval", "paper-boats", "sourdough-starters", "window-sill-seedlings"]
)
def test_the_demo_papers(name: str) -> None:
    document = parse(Path(__file__).parents[2] / "examples" / "papers" / f"{name}.pdf")
    assert len(document.metadata.title.split()) >= 3
    assert document.metadata.authors
    assert len(document.metadata.abstract) > 100
    assert len(document.sections) >= 4
    assert all(r.year for r in document.references)
    assert document.references
