from __future__ import annotations

from pathlib import Path

from quire.types import Equation
from tests.documents.paper import Paper, words
from tests.documents.tabled import floats_of, paper_with_text


def equations_of(paper: Paper) -> tuple[Equation, ...]:
    return floats_of(paper.save()).equations


def test_numbered_equation_on_its_own_line(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    y = paper.y + 10
    paper.line("E = m c", x=250, y=y, face="i")
    paper.line("(3)", x=505, y=y)
    paper.gap(12)
    paper.text("where m is the mass. " + words(60, 2))
    (equation,) = equations_of(paper)
    assert (equation.text, equation.number) == ("E = m c", "(3)")
    assert equation.bbox.x0 < 251
    assert equation.bbox.x1 > 510


def test_two_numbers_are_two_equations(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    for k in (1, 2):
        y = paper.y + 6
        paper.line(f"a = b + {k}", x=250, y=y, face="i")
        paper.line(f"({k})", x=505, y=y)
    assert [(e.text, e.number) for e in equations_of(paper)] == [("a = b + 1", "(1)"), ("a = b + 2", "(2)")]


def test_without_a_number(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("x = y + z", x=250, y=paper.y + 8, face="i")
    paper.gap(12)
    paper.text(words(60, 2))
    (equation,) = equations_of(paper)
    assert equation.number == ""


def test_formulas_within_sentences_and_links_are_none(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.text("We take x = 3 and y = 4 so that " + words(40, 2) + " holds with z = 5 for all stones.")
    paper.line("https://rivers.example/?a=b", x=90)
    assert equations_of(paper) == ()
