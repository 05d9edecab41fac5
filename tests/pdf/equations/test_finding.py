from __future__ import annotations

from pathlib import Path

from quire.types import Equation
from tests.pdf.paper import Paper, words
from tests.pdf.tabled import floats_of, paper_with_text, rule


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


def test_the_latex_of_a_display_is_read_from_its_places(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    y = paper.y + 10
    paper.line("y =", x=240, y=y, face="i")
    paper.line("a", x=266, y=y - 7, face="i")
    paper.line("b", x=266, y=y + 7.5, face="i")
    rule(paper, 264, 273, y - 2.6)
    paper.line("+ x", x=277, y=y, face="i")
    paper.line("2", x=294, y=y - 4, size=7)
    paper.line("(1)", x=505, y=y)
    paper.y = y + 20
    paper.text("where b is the mass. " + words(60, 2))
    (equation,) = equations_of(paper)
    assert equation.latex.replace(" ", "") == r"y=\frac{a}{b}+x^{2}"
    assert equation.number == "(1)"


def test_running_text_above_and_below_stays_out_of_a_display(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    paper.line("and this ends with n = 3 of them.", x=72)
    paper.gap(8)
    paper.line("x = y + z", x=250, face="i")
    paper.gap(8)
    paper.line("where z = 5 holds for all (k < 2).", x=72)
    paper.text(words(60, 2))
    (equation,) = equations_of(paper)
    assert equation.latex.replace(" ", "") == "x=y+z"


def test_each_number_takes_the_row_beside_it(tmp_path: Path) -> None:
    paper = paper_with_text(tmp_path / "a.pdf")
    for k in (1, 2):
        y = paper.y + 6
        paper.line(f"a = b + {k}", x=250, y=y, face="i")
        paper.line(f"({k})", x=505, y=y)
    paper.gap(10)
    paper.text(words(60, 2))
    found = [(e.latex.replace(" ", ""), e.number) for e in equations_of(paper)]
    assert found == [("a=b+1", "(1)"), ("a=b+2", "(2)")]


def test_a_line_of_a_program_is_no_equation(tmp_path: Path) -> None:
    for face, count in (("c", 0), ("i", 1)):
        paper = paper_with_text(tmp_path / f"{face}.pdf")
        paper.line("z = x + y * 2", x=250, y=paper.y + 8, face=face)
        paper.gap(12)
        paper.text(words(60, 2))
        assert len(equations_of(paper)) == count
