"""Columns, headings and notes as papers outside the samples set them."""

from __future__ import annotations

from pathlib import Path

from quire.pdf import parse
from tests.pdf.paper import Paper, words


def opening(path: Path, title: str = "A Study of Stones in Rivers") -> Paper:
    paper = Paper(path)
    paper.line(title, x=150, size=16, face="b")
    paper.gap(10)
    paper.line("Maria Roe and Peter Doe", x=210, size=11)
    paper.gap(16)
    return paper


def headings(path: Path) -> list[tuple[str, str]]:
    return [(s.number, s.title) for s in parse(path).sections]


def two_columns(paper: Paper, top: float, shift: float = 0.0) -> tuple[str, str]:
    """Fills both columns; the lines of the right one stand `shift` lower."""
    left, right = words(160, 3), words(160, 8)
    for text, x, y in ((left, 50.0, top), (right, 305.0, top + shift)):
        paper.y = y
        paper.text(text, x=x, width=235)
    return left, right


def test_columns_whose_lines_stand_between_those_of_the_other(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    left, right = two_columns(paper, paper.y, shift=6)
    text = " ".join(p.text for s in parse(paper.save()).sections for p in s.paragraphs)
    assert left in text
    assert right in text


def test_a_second_row_of_authors_does_not_begin_the_columns(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "p.pdf")
    paper.line("A Study of Stones in Rivers", x=180, size=16, face="b")
    rows = (
        (("Ada Blue", 130), ("Ben Gray", 295), ("Cleo Green", 460)),
        (("Dan White", 210), ("Eve Black", 380)),
    )
    y = 110.0
    for row in rows:
        for name, middle in row:
            for text, size, down in (
                (name, 11, 0), ("University of Stones", 9, 12), (f"{name[:3].lower()}@stones.edu", 9, 23),
            ):  # fmt: skip
                width = paper.canvas.stringWidth(text, "Times-Roman", size)
                paper.line(text, x=middle - width / 2, y=y + down, size=size)
        y += 44
    paper.line("ABSTRACT", x=50, y=y + 14, size=11, face="b")
    paper.y = y + 30
    paper.text(words(60, 1), x=50, width=235)
    paper.gap(8)
    paper.line("1 INTRODUCTION", x=50, size=11, face="b")
    paper.text(words(150, 3), x=50, width=235)
    paper.y = y + 14
    paper.text(words(200, 8), x=305, width=235)
    found = parse(paper.save())
    assert found.metadata.authors == ("Ada Blue", "Ben Gray", "Cleo Green", "Dan White", "Eve Black")
    assert [s.title for s in found.sections] == ["Abstract", "INTRODUCTION"]


def test_three_columns_with_a_figure_in_the_middle_one(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    top = paper.y
    texts = [words(230, k) for k in (1, 5, 9)]
    for k, text in enumerate(texts):
        paper.y = top
        x = 42.0 + k * 175
        if k == 1:
            for j in range(4):
                paper.canvas.line(x + 10, 842 - top - 30 * j, x + 140, 842 - top - 20 - 25 * j)
            paper.line("Figure 1. Stones over the years of a", x=x, y=top + 120, size=8)
            paper.line("river in the north.", x=x, size=8)
            paper.gap(14)
        paper.text(text, x=x, width=160)
    found = parse(paper.save())
    body = " ".join(p.text for s in found.sections for p in s.paragraphs)
    assert all(text in body for text in texts)
    (figure,) = found.images
    assert 200 < figure.bbox.x0
    assert figure.bbox.x1 < 385


def test_headings_in_bold_with_a_stop_and_in_italics_with_a_letter(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    paper.line("I. METHODS", x=250, size=10)
    paper.gap(4)
    paper.text(words(60, 2))
    paper.gap(6)
    paper.line("A. The Study Area", face="i")
    paper.text(words(60, 3))
    paper.gap(6)
    paper.line("B. The Sampling", face="i")
    paper.text(words(60, 4))
    paper.gap(6)
    paper.line("Stones vs. Sand.", face="b")
    paper.text(words(60, 5))
    paper.runs(("b", "Is sand stone? "), ("n", "We asked this of the water and of the garden, and it is."))
    paper.text(words(60, 6))
    wanted = [("A", "The Study Area"), ("B", "The Sampling"), ("", "Stones vs. Sand"), ("", "Is sand stone?")]
    assert headings(paper.save())[-4:] == wanted


def test_lines_of_program_text_are_no_headings(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    paper.line("1 Methods", size=13, face="b")
    paper.text(words(60, 2))
    paper.gap(10)
    paper.canvas.setFont("Courier-Bold", 10)
    paper.canvas.drawString(72, 842 - paper.y, "COUNT_STONES (RIVER, YEAR)")
    paper.gap(22)
    paper.text(words(60, 3))
    assert [title for _, title in headings(paper.save())][-1] == "Methods"


def test_footnotes_under_references_are_no_references(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    paper.line("Introduction", size=12, face="b")
    paper.text(words(420, 4))
    paper.gap(8)
    paper.line("References", size=12, face="b")
    for name in ("Abel", "Bohr", "Curie", "Doe", "Evans", "Fry"):
        paper.line(f"{name}, A. (2001). The stones of {name.lower()}land and their", size=9)
        paper.line("colours. River Letters 3, 4–9.", x=82, size=9)
    paper.gap(8)
    paper.canvas.line(72, 842 - paper.y + 6, 170, 842 - paper.y + 6)
    paper.line("3 This is told in the second book of stones.", size=8)
    found = parse(paper.save())
    assert len(found.references) == 6
    assert not any("told" in r.text for r in found.references)


def test_an_abstract_without_a_name_above_a_doi(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    abstract = words(70, 2)
    paper.text(abstract, x=110, width=370, size=9)
    paper.gap(6)
    paper.line("DOI: 10.1103/Stones.93.112001", x=110, size=8)
    paper.gap(16)
    paper.line("I. INTRODUCTION", x=240, size=10, face="b")
    paper.text(words(200, 3))
    assert parse(paper.save()).metadata.abstract == abstract


def test_addresses_of_the_publisher_are_not_the_authors(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    paper.line("roe@stones.edu")
    paper.text(words(80, 2))
    paper.line("Request permissions from permissions@press.org.", size=8, y=780)
    assert parse(paper.save()).metadata.emails == ("roe@stones.edu",)


def test_running_text_is_no_title(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "p.pdf")
    paper.text(words(40, 1))
    paper.gap(10)
    paper.text(words(80, 2))
    found = parse(paper.save())
    assert found.metadata.title == ""
    assert words(40, 1) in found.sections[0].text


def test_a_heading_in_capitals_at_the_head_of_a_page_does_not_join_the_text_above(tmp_path: Path) -> None:
    paper = opening(tmp_path / "p.pdf")
    paper.line("INTRODUCTION", x=240)
    for k in range(3):
        paper.text(words(150, k), indent=14)
    paper.y = 700
    paper.text("A last sentence fills the row of the page from the left up to the right side of it here.")
    paper.page()
    paper.line("BIBLIOGRAPHY", x=240)
    paper.gap(6)
    for name in ("Abel", "Bohr", "Curie"):
        paper.line(f"{name}, A. 2001. The stones of {name.lower()}land and their", size=9)
        paper.line("colours. River Letters 3, 4–9.", x=90, size=9)
    assert len(parse(paper.save()).references) == 3
