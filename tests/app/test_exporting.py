"""Papers as people cite them, and the Word file: against what the manuals of the styles show."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace
from typing import get_args
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from quire.app.exporting import Style, as_markdown, as_text, entry, in_text, literal, ordered
from quire.app.markdown import to_html, to_word
from quire.app.run_view import view_of
from quire.types import Answer, Evidence, Metadata, Question, Trajectory

ONE = Metadata(
    "Paper boats", ("Ludwig van der Berg",), year=2021, journal="Journal of Folds", doi="10.1000/xyz"
)
TWO = Metadata("Why do boats sink?", ("Ada B. Mill", "Jean-Luc Roux"))
MANY = Metadata(
    "Fleet", tuple(f"Ann Name{i}" for i in range(1, 9)), year=2020, venue="Boats", arxiv_id="2001.00001"
)


def test_entries_in_each_style() -> None:
    assert entry(ONE, "apa") == (
        "van der Berg, L. (2021). Paper boats. Journal of Folds. https://doi.org/10.1000/xyz"
    )
    assert entry(TWO, "apa") == "Mill, A. B., & Roux, J.-L. (n.d.). Why do boats sink?"
    assert entry(ONE, "ieee", 3) == (
        "[3] L. van der Berg, “Paper boats,” Journal of Folds, 2021, doi: 10.1000/xyz."
    )
    assert entry(MANY, "ieee", 1).startswith("[1] A. Name1 et al., “Fleet,” Boats, 2020, arXiv: 2001.00001.")
    assert entry(TWO, "vancouver", 2) == "2. Mill AB, Roux JL. Why do boats sink?"
    assert "Name6 A, et al. Fleet. Boats. 2020." in entry(MANY, "vancouver")


def test_what_is_not_sure_says_so_in_a_copy() -> None:
    quote = "Its weak point is the crease."
    evidence = (Evidence("boats", 1, None, quote, verified=True, paper_title="Boats"),)

    def copied(answer: Answer) -> str:
        view = view_of(None, Trajectory("r", Question("q", "Why?"), (), answer))
        assert as_text(view, {}, "apa").strip() in as_markdown([view], {}, "apa")
        return as_text(view, {}, "apa").strip()

    told = Answer("answered", quote, evidence, probability=0.81)
    assert copied(told) == f"Probably (81%): “{quote}” (Boats, p. 1)"
    assert copied(replace(told, value=243.8)) == "Probably (81%): 243.8 (Boats, p. 1)"
    assert copied(replace(told, value=243.8, probability=0.0)) == "243.8 (Boats, p. 1)"
    shown = copied(Answer("abstained", evidence=evidence))
    assert shown == f"No sure answer, but evidence; the first says most: “{quote}” (Boats, p. 1)"


def test_volume_issue_and_pages_stand_where_each_style_has_them() -> None:
    work = replace(ONE, volume="6", issue="2", first_page="12", last_page="18")
    assert "Journal of Folds, 6(2), 12–18. https" in entry(work, "apa")
    assert "Journal of Folds, vol. 6, no. 2, pp. 12–18, 2021, doi" in entry(work, "ieee")
    assert "Journal of Folds. 2021;6(2):12–8. doi:10.1000/xyz" in entry(work, "vancouver")
    assert "vol. 6, p. e12, 2021" in entry(replace(ONE, volume="6", first_page="e12"), "ieee")
    assert "6" not in entry(replace(TWO, volume="6", first_page="12"), "apa")  # a volume of what nobody names


def test_entries_are_those_of_the_styles_own_files() -> None:
    """As citeproc-py 0.11 writes them by apa.csl, ieee.csl (its comma in the quotes) and NLM's."""
    work = Metadata(
        "Six hands", ONE.authors, year=2020, journal="Ponds", volume="1", issue="4", first_page="1",
        last_page="9", doi="10.1/2",
    )  # fmt: skip
    assert (
        entry(work, "apa") == "van der Berg, L. (2020). Six hands. Ponds, 1(4), 1–9. https://doi.org/10.1/2"
    )
    assert entry(replace(work, doi=""), "ieee", 1) == (
        "[1] L. van der Berg, “Six hands,” Ponds, vol. 1, no. 4, pp. 1–9, 2020."
    )
    assert entry(work, "vancouver", 1) == ("1. van der Berg L. Six hands. Ponds. 2020;1(4):1–9. doi:10.1/2")
    asked = replace(TWO, year=2019, journal="Boats", volume="3", first_page="e12")
    assert entry(asked, "apa") == "Mill, A. B., & Roux, J.-L. (2019). Why do boats sink? Boats, 3, e12."
    assert (
        entry(asked, "ieee") == "A. B. Mill and J.-L. Roux, “Why do boats sink?” Boats, vol. 3, p. e12, 2019."
    )
    assert entry(asked, "vancouver") == "Mill AB, Roux JL. Why do boats sink? Boats. 2019;3:e12."


def test_citations_in_the_text() -> None:
    assert in_text(ONE, "apa", 1, "4") == "(van der Berg, 2021, p. 4)"
    assert in_text(TWO, "apa", 1) == "(Mill & Roux, n.d.)"
    assert in_text(MANY, "apa", 1) == "(Name1 et al., 2020)"
    assert in_text(Metadata("A title of five words"), "apa", 1) == "(“A title of five …”, n.d.)"
    assert (in_text(ONE, "ieee", 2, "4"), in_text(ONE, "vancouver", 2)) == ("[2, p. 4]", "(2)")


def test_the_list_is_ordered_by_use_or_by_author() -> None:
    works = {"b": ONE, "a": TWO}
    assert ordered(works, "ieee") == ["b", "a"]
    assert ordered(works, "apa") == ["a", "b"]


@given(st.text(), st.lists(st.text(min_size=1), max_size=4), st.sampled_from(get_args(Style)))
def test_no_title_or_name_breaks_a_citation(title: str, authors: list[str], style: Style) -> None:
    work = Metadata(title, tuple(authors), year=2020)
    assert isinstance(entry(work, style, 1) + in_text(work, style, 1, "2"), str)


@given(st.text())
def test_foreign_words_stay_words(text: str) -> None:
    made = to_html(f"before\n\n{literal(text)}")
    assert all(
        tag not in made for tag in ("<em", "<strong", "<h1", "<ul", "<ol", "<pre", "<code", "<a ", "math")
    )


def test_brackets_of_a_quote_are_no_formula_and_no_link() -> None:
    made = to_html(f"> {literal('[12] and [3], as [x](https://e.example) says')}")
    assert "[12] and [3], as [x](https://e.example) says" in made
    assert "math" not in to_html(literal(r"[a \] b] c \\]")) + to_html(literal("[a]"))


@given(st.text(alphabet=st.sampled_from("[]\\( a1")))
def test_foreign_brackets_are_no_formula(text: str) -> None:
    assert "math" not in to_html(literal(text))


@given(st.text(alphabet=st.sampled_from("#*-_`|>[]()$ \n\x00ab1.\ud7ff\ufffe")))
def test_every_text_becomes_a_word_file_that_can_be_read(text: str) -> None:
    with zipfile.ZipFile(io.BytesIO(to_word(text))) as file:
        for name in file.namelist():
            ElementTree.fromstring(file.read(name))


def test_the_word_file_keeps_to_the_schema_where_strict_readers_do() -> None:
    with zipfile.ZipFile(io.BytesIO(to_word("**`x`**\n\n| a | b |\n|---|---|\n| 1 | 2 |"))) as file:
        body, styles = (file.read(f"word/{name}.xml").decode() for name in ("document", "styles"))
    assert re.search(r"<w:rPr><w:rFonts [^>]*/><w:b/></w:rPr>", body)
    assert "</w:tblPr><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>" in body
    assert min(int(size) for size in re.findall(r'w:sz w:val="(\d+)"', styles)) >= 20  # the text's own


def test_the_word_file_has_what_the_text_has() -> None:
    made = to_word("# Head\n\nA **b**\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |")
    with zipfile.ZipFile(io.BytesIO(made)) as file:
        body = file.read("word/document.xml").decode()
    for part in ('w:val="Heading1"', "<w:b/>", "• ", "<w:tbl>"):
        assert part in body
    assert made == to_word("# Head\n\nA **b**\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |")
