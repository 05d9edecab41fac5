"""Documents as Markdown, HTML, JSON and JATS: in reading order, whole, and nothing in them is run."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quire import pdf
from quire.errors import UnknownNameError
from quire.pdf.writers.markdown import started, written
from quire.pdf.writers.order import ordered
from quire.types import (
    Box,
    Document,
    Equation,
    Image,
    InlineSpan,
    Metadata,
    Page,
    Paragraph,
    Place,
    Reference,
    Section,
    Table,
    TableCell,
    TextLine,
)

EXAMPLES = Path(__file__).parents[2] / "examples" / "papers"
HOSTILE = st.text(
    st.one_of(st.sampled_from("<>&\"'`*_[]()!#|\\$~-+=.:1\n\t\0 ax/"), st.characters()), max_size=40
)
BOX = Box(72, 100, 200, 12)


def cell(row: int, column: int, text: str, **more: Any) -> TableCell:
    given = {"row_end": row, "column_end": column, "head": False} | more
    return TableCell(1, BOX, row, column, given["row_end"], given["column_end"], text, given["head"])


def lined(text: str, y: float, x: float = 72, page: int = 1) -> Paragraph:
    """A paragraph whose sentences stand on a line each."""
    lines, at = [], 0
    for number, part in enumerate(text.split(". ")):
        lines.append(TextLine(page, Box(x, y + 12 * number, 200, 10), at))
        at += len(part) + 2
    return Paragraph(page, Box(x, y, 200, 12 * len(lines)), text, tuple(lines))


def document(*paragraphs: Paragraph, **more: Any) -> Document:
    section = Section("Boats", "1", 1, None, 1, Box(72, 80, 60, 12), paragraphs, (1,))
    pages = (Page(1, 612, 792, "1", ""), Page(2, 612, 792, "2", ""))
    return Document(Metadata(title="On Boats", authors=("Ada Example",)), pages, (section,), **more)


def everywhere(text: str) -> Document:
    """One text in every place that a PDF can put it."""
    spans = (cell(0, 0, text, column_end=1, head=True), cell(1, 0, text), cell(1, 1, text))
    plain = (cell(0, 0, text, head=True), cell(1, 0, text))
    half = len(text) // 2
    drawn = (InlineSpan(0, half, "math", text), InlineSpan(half, len(text), "sup", text))
    paragraph = Paragraph(1, BOX, text, spans=drawn)
    kinds = tuple(replace(paragraph, kind=kind) for kind in ("text", "item", "code"))
    section = Section(text, text, 1, None, 1, BOX, kinds, (1,))
    return Document(
        Metadata(title=text, authors=(text,), abstract=text, keywords=(text,), venue=text, doi=text,
                 language=text),
        (Page(1, 612, 792, text, text),),
        (section,),
        tables=(Table(1, BOX, text, text, "<b>never used</b>", spans),
                Table(1, BOX, text, text, "<b>never used</b>", plain)),
        images=(Image(1, BOX, text, text, text),),
        equations=(Equation(1, BOX, text, text, text), Equation(1, BOX, text, text)),
        references=(Reference(1, BOX, text, text, text, None),),
        rest=(paragraph,),
        footnotes=(paragraph,),
    )  # fmt: skip


def test_example_papers_as_markdown() -> None:
    told = pdf.parse(EXAMPLES / "paper-boats.pdf").to_markdown()
    places = [
        told.index(part)
        for part in (
            "# Paper Boats: How Hull Folds Change Soaking Time\n\nMaria Example, Jonas Sample",
            "## Abstract\n",
            "### 2.2 Soaking model",
            "the soaking time is\n\n$$\nT = aw^{2}/(1 + bn) \\tag{1}\n$$\n\nwhere a and b",
            "## 3 Results",
            "Table 1: Mean soaking time",
            "| Hull | Folds | 80 g | 120 g | 160 g |\n| --- | --- | --- | --- | --- |\n| Hat boat | 4 |",
            "Figure 1: Soaking time against",
            "## References\n\n- [1] J. Sample",
        )
    ]
    assert places == sorted(places)


def test_an_equation_parts_its_paragraph_where_it_is_printed() -> None:
    text = "First we sum. Then we stop"
    one = document(lined(text, 100), equations=(Equation(1, Box(90, 105, 100, 12), "a=b", "(2)", "a = b"),))
    kinds = [(item.kind, item.text) for item in ordered(one)][2:]
    assert kinds == [("text", "First we sum."), ("equation", "a = b"), ("text", "Then we stop")]
    assert "$$\na = b \\tag{2}\n$$" in one.to_markdown()


def test_the_short_last_line_above_an_equation_stays_above() -> None:
    text = "First we sum over all boats and so have the form where n counts"
    starts, boxes = (0, 45, 55), (Box(72, 100, 300, 10), Box(72, 112, 50, 10), Box(72, 140, 300, 10))
    lines = tuple(TextLine(1, box, start) for start, box in zip(starts, boxes, strict=True))
    paragraph = Paragraph(1, Box(72, 100, 300, 50), text, lines=lines)
    one = document(paragraph, equations=(Equation(1, Box(200, 124, 100, 12), "a=b", "", "a = b"),))
    assert [item.text for item in ordered(one)][2:] == [text[:54], "a = b", text[55:]]


def test_floats_stand_in_their_own_column() -> None:
    left, right = lined("Left. Side", 100), lined("Right. Side", 100, x=320)
    figure = Image(1, Box(72, 200, 200, 90), "Figure 1", "Figure 1: below the left column")
    one = document(left, right, images=(figure,))
    assert [item.text for item in ordered(one)][2:] == ["Left. Side", figure.caption, "Right. Side"]
    above = replace(figure, bbox=Box(320, 60, 200, 30))
    assert [item.text for item in ordered(document(left, right, images=(above,)))][2:] == [
        "Left. Side",
        figure.caption,
        "Right. Side",
    ]


def test_a_page_without_text_keeps_its_place() -> None:
    one = document(lined("A. B", 100), images=(Image(2, BOX, "", "alone on page 2"),))
    assert ordered(one)[-1].text == "alone on page 2"
    assert ordered(replace(one, sections=()))[0].kind == "title"


def test_tables_with_spans_are_html_and_others_pipes() -> None:
    plain = Table(1, BOX, "Table 1", "Table 1: a", "", (cell(0, 0, "a|b"), cell(1, 1, "c")))
    told = document(tables=(plain,)).to_markdown()
    assert "|  |  |\n| --- | --- |\n| a\\|b |  |\n|  | c |" in told
    wide = replace(
        plain, cells=(cell(0, 0, "a<b", column_end=1, head=True), cell(1, 0, "c"), cell(1, 1, "d"))
    )
    assert '<thead><tr><th colspan="2">a&lt;b</th></tr></thead>' in document(tables=(wide,)).to_markdown()


def test_lists_code_figures_and_footnotes() -> None:
    lines = (TextLine(1, Box(72, 100, 40, 10), 0), TextLine(1, Box(92, 112, 40, 10), 9))
    code = Paragraph(1, BOX, "for x: ! sum += x", lines, kind="code")
    items = [Paragraph(1, BOX, text, kind="item") for text in ("• one", "2. two", "(i) three")]
    figure = Image(1, BOX, "Figure 1", "Figure 1: a boat", "a b/figure-1.png")
    note = Paragraph(1, BOX, "1 See below")
    told = document(code, *items, images=(figure,), footnotes=(note,)).to_markdown()
    assert "```\nfor x: !\n    sum += x\n```" in told
    assert "- one\n2. two\n- (i) three" in told
    assert "![Figure 1](a%20b/figure-1.png)\n\nFigure 1: a boat" in told
    assert told.endswith("## Footnotes\n\n- 1 See below\n")


def test_bullets_within_a_paragraph_are_items() -> None:
    text = "We saw: • boats float • folds soak"
    lines = tuple(TextLine(1, Box(72, 100 + 12 * n, 90, 10), start) for n, start in enumerate((0, 8, 22)))
    spans = (InlineSpan(24, 29, "sup", "folds"),)
    told = document(Paragraph(1, BOX, text, lines, spans=spans))
    assert "We saw:\n\n- boats float\n- <sup>folds</sup> soak" in told.to_markdown()
    boxes = [item.bbox for item in ordered(told) if item.kind == "item"]
    assert boxes == [Box(72, 112, 90, 10), Box(72, 124, 90, 10)]


def test_formulas_and_scripts_within_a_line() -> None:
    text = "Of [x] and x_i < 3 in H2O."
    spans = (InlineSpan(11, 18, "math", r"x_{i} \lt 3$"), InlineSpan(23, 24, "sub", "2"))
    line = TextLine(1, BOX, 0)
    one = document(Paragraph(1, BOX, text, (line,), spans=spans))
    assert r"Of [x] and $x_{i} \lt 3$ in H<sub>2</sub>O." in one.to_markdown()
    assert r"Of [x] and \(x_{i} \lt 3$\) in H<sub>2</sub>O." in one.to("html")
    assert r"<inline-formula><tex-math>x_{i} \lt 3$</tex-math></inline-formula>" in one.to_jats()
    (told,) = (element for element in json.loads(one.to_json())["elements"] if "spans" in element)
    assert told["spans"][1] == {"start": 23, "end": 24, "kind": "sub", "shown": "2"}


def test_json_tells_page_box_and_confidence_of_every_element() -> None:
    told = json.loads(pdf.parse(EXAMPLES / "paper-boats.pdf").to_json())
    elements = told["elements"]
    assert [element["order"] for element in elements] == list(range(len(elements)))
    assert {"title", "heading", "text", "table", "figure", "equation", "reference"} <= {
        element["kind"] for element in elements
    }
    scored = [element for element in elements if element["kind"] in ("heading", "text", "reference")]
    scored += [element for element in elements if element["kind"] == "title"]
    assert all(0 <= element["confidence"] <= 1 for element in scored)
    assert sum(element["confidence"] for element in scored) > 0.8 * len(scored)
    assert all(len(element["bbox"]) == 4 for element in elements if element["kind"] != "title")
    (table,) = (element for element in elements if element["kind"] == "table")
    assert table["cells"][0]["text"] == "Hull"
    lines = pdf.parse(EXAMPLES / "paper-boats.pdf").to("jsonl").splitlines()
    assert [json.loads(line)["kind"] for line in lines][:2] == ["document", "title"]


def test_affiliations_are_elements_behind_the_title() -> None:
    places = (
        Place(1, Box(72, 40, 100, 12), "title", "On Boats", confidence=0.9),
        Place(1, BOX, "affiliations", "Institute of Boats, Hull", confidence=0.8),
    )
    one = document(lined("A. B", 100))
    one = replace(one, metadata=replace(one.metadata, places=places))
    told = json.loads(one.to_json())["elements"]
    assert [(each["order"], each["kind"], each["confidence"]) for each in told[:3]] == [
        (0, "title", 0.9),
        (1, "affiliation", 0.8),
        (2, "heading", None),
    ]
    assert "Institute" not in one.to_markdown()


def test_the_heading_of_the_references_stands_in_the_back_of_jats() -> None:
    one = document(lined("A. B", 100), references=(Reference(1, BOX, "[1] A boat", "[1]", "", None),))
    listed = Section("References", "", 1, None, 1, BOX, (), (1,))
    tree = ET.fromstring(replace(one, sections=(*one.sections, listed)).to_jats())
    assert [title.text for title in tree.iterfind("body//sec/title")] == ["1 Boats"]
    assert tree.findtext("back/ref-list/title") == "References"
    more = replace(listed, paragraphs=(lined("Further. Reading", 300),))
    kept = ET.fromstring(replace(one, sections=(*one.sections, more)).to_jats())
    assert [title.text for title in kept.iterfind("body//sec/title")] == ["1 Boats", "References"]
    assert kept.find("back/ref-list/title") is None


def test_jats_has_the_tree_of_sections() -> None:
    tree = ET.fromstring(pdf.parse(EXAMPLES / "paper-boats.pdf").to_jats())
    said = replace(pdf.parse(EXAMPLES / "paper-boats.pdf").metadata, received=date(2024, 3, 1), issue="2")
    more = ET.fromstring(Document(said, ()).to_jats())
    assert (more.findtext(".//history/date/month"), more.findtext(".//issue")) == ("3", "2")
    assert json.loads(Document(said, ()).to_json())["metadata"]["received"] == "2024-03-01"
    assert tree.findtext(".//article-title") == "Paper Boats: How Hull Folds Change Soaking Time"
    assert [name.text for name in tree.iterfind(".//contrib//surname")] == ["Example", "Sample", "Specimen"]
    assert [title.text for title in tree.iterfind("body/sec/title")][1] == "2 Method"
    assert [title.text for title in tree.iterfind("body/sec/sec/title")][0] == "2.1 Folding"
    assert len(tree.findall(".//table-wrap//tr")) == 4
    assert len(tree.findall(".//ref")) == 3
    assert tree.find("body//sec/title[.='Abstract']") is None


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.seen |= {name for name, _ in attrs}


OURS = set(
    "html lang head meta charset title style body article h1 h2 p ul ol li pre code figure figcaption table "
    "thead tbody tr th td img src alt footer data-page data-box colspan rowspan sup".split()
)


@given(HOSTILE)
def test_html_has_no_tag_or_attribute_but_ours(text: str) -> None:
    tags = _Tags()
    tags.feed(everywhere(text).to_html())
    assert tags.seen <= OURS


@given(HOSTILE)
def test_jats_is_well_formed_whatever_the_pdf_says(text: str) -> None:
    assert ET.fromstring(everywhere(text).to_jats().encode("utf-8", "replace")).tag == "article"
    assert json.loads(everywhere(text).to_json())["elements"]


@given(HOSTILE)
def test_markdown_says_what_the_pdf_says_and_nothing_more(text: str) -> None:
    for line in (started(text), f"word {written(text)}"):
        html = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render(line)
        tags = _Tags()
        tags.feed(html)
        assert tags.seen <= {"p"}, html


@given(HOSTILE)
def test_markdown_of_a_document_has_no_links_or_html_but_tables(text: str) -> None:
    one = everywhere(text)
    told = re.sub(r"^\$\$\n(.*)\n\$\$$", r"\1", one.to_markdown(), flags=re.MULTILINE)
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(told)
    tags = _Tags()
    tags.feed(html)
    assert tags.seen <= OURS | {"h3", "hr", "em", "strong", "class"}  # formulas may look like emphasis


def test_an_unknown_form_is_told() -> None:
    with pytest.raises(UnknownNameError, match="html"):
        document().to("docx")
