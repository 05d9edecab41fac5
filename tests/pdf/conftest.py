from __future__ import annotations

from pathlib import Path

import pytest

from tests.pdf.paper import Paper, words


@pytest.fixture(scope="session")
def one_column(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two pages, numbered sections, references, footnote, running head, page numbers."""
    paper = Paper(tmp_path_factory.mktemp("papers") / "one.pdf")
    paper.line("Journal of Small Rivers, Volume 12, 2019", size=8, y=30)
    paper.line("How Stones Become Round in Rivers", size=18, face="b", x=120, y=90)
    paper.line("Ada B. Lovelace, Jürgen Müller and Li Wei", size=12, x=150, y=120)
    paper.line("Department of Stones, University of Rivers", size=10, face="i", x=170)
    paper.line("ada@rivers.org", size=10, x=230)
    paper.gap()
    paper.line("Abstract", size=12, face="b", x=270)
    paper.text("We show that stones become round. " + words(60, 1))
    paper.gap()
    paper.line("Keywords: stones; rivers; abrasion")
    paper.gap(14)
    paper.line("1. Introduction", size=13, face="b")
    paper.gap(6)
    paper.text("The first paragraph tells of the inter-")
    paper.text("national work on stones [1]. " + words(80, 2))
    paper.text("A second one begins with an indent. " + words(60, 3), indent=14)
    paper.gap(10)
    paper.line("1.1. Related Work", size=11, face="b")
    paper.gap(4)
    paper.text(words(70, 4))
    paper.line("* Both authors threw stones.", size=7, y=770)
    paper.line("1", size=9, x=300, y=810)
    paper.page()
    paper.line("Journal of Small Rivers, Volume 12, 2019", size=8, y=30)
    paper.line("2. Methods", size=13, face="b", y=80)
    paper.gap(6)
    paper.text(words(50, 5))
    paper.runs(("b", "Sampling. "), ("n", "We took stones from the river in May 2018, and weighed"))
    paper.text("them on a scale. " + words(40, 6))
    paper.gap(10)
    paper.line("References", size=13, face="b")
    paper.gap(4)
    paper.line(
        "[1] A. Smith and B. Jones, “Rolling stones in water,” Journal of Stones, vol. 3, pp. 1-9, 2001."
    )
    paper.line("[2] C. Brown, “Round things: a survey of what is round and what is")
    paper.line("not round,” Geometry Today, vol. 1, 1999.", x=86)
    paper.line("2", size=9, x=300, y=810)
    return paper.save()


@pytest.fixture(scope="session")
def two_columns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A title over two columns; unnumbered headings; an author-year list with hanging indents."""
    paper = Paper(tmp_path_factory.mktemp("papers") / "two.pdf")
    paper.line("Clouds over Two Columns of Text", size=17, face="b", x=160, y=80)
    paper.line("Grace Hopper", size=12, x=260, y=105)
    paper.gap(20)
    top = paper.y
    paper.line("Introduction", size=12, face="b", x=60)
    paper.gap(4)
    for k in range(12):
        paper.text(f"Left paragraph {k} begins here. " + words(24, k), x=60, width=225, indent=10)
    paper.y = top
    for k in range(4):
        paper.text(f"Right paragraph {k} begins here. " + words(24, k + 20), x=310, width=225, indent=10)
    paper.gap(8)
    paper.line("Conclusion", size=12, face="b", x=310)
    paper.gap(4)
    paper.text("All clouds pass. " + words(30, 40), x=310, width=225)
    paper.gap(8)
    paper.line("References", size=12, face="b", x=310)
    paper.gap(4)
    for name, year in (("Alder", 2001), ("Birch", 2003), ("Cedar", 2010)):
        paper.line(f"{name}, J. ({year}). Trees and clouds in the work", x=310)
        paper.line("of painters. Art Letters, 4(2), 1-9.", x=322)
    return paper.save()
