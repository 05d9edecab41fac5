"""Whatever is shown of a page stands in the page's own text, in one piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from quire import pdf
from quire.ask.quote_matching import find_quote
from quire.pdf.layout.blocks import Block, box_of
from quire.pdf.layout.rows import PageFlow, PagePiece, Row
from quire.pdf.pagetext import page_texts
from quire.pdf.raw import Edges, Word, make_line
from quire.types import Box, Equation, Paragraph, Section
from tests.pdf.paper import Paper, words

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "papers").glob("*.pdf"))


def row(text: str, y: float, page: int = 1) -> Row:
    words = [
        Word(part, 50 + 40 * at, y - 8, 85 + 40 * at, y + 2, y, 10, bold=False, italic=False, font="")
        for at, part in enumerate(text.split())
    ]
    return Row(make_line(words, 10, y), page, 50, 400, 0)


def section(*blocks: Block) -> Section:
    made = tuple(Paragraph(block.page, box_of(block.rows), block.text, block.lines) for block in blocks)
    return Section("S", "", 1, None, 1, None, made, (1,))


def flow(page: int, *parts: Row | PagePiece) -> PageFlow:
    pieces = tuple(part if isinstance(part, PagePiece) else PagePiece(part.text, part) for part in parts)
    return PageFlow(page, tuple(part for part in parts if isinstance(part, Row)), pieces)


def test_a_figure_between_two_lines_follows_their_section_and_hyphens_go() -> None:
    a, b, c, d = (
        row("The stones were gath-", 100),
        row("ered by the sea.", 300),
        row("More.", 312),
        row("Next", 340),
    )
    e = row("Other words.", 352)
    figure = PagePiece("Figure 1: stones", box=Edges(50, 120, 400, 280))
    made = [section(Block((a, b)), Block((c,))), section(Block((e,)))]
    (text,) = page_texts([flow(1, a, figure, b, c, d, e)], made, [])
    assert text.split("\n") == [
        "The stones were gathered by the sea.",
        "More.",
        "Figure 1: stones",
        "Next",
        "Other words.",
    ]


def test_an_equation_stays_where_it_is_and_a_paragraph_is_parted_by_pages() -> None:
    a, b = row("where it holds that", 100), row("for all n", 140)
    c = row("and so on.", 60, 2)
    box = Edges(100, 110, 200, 130)
    equation = Equation(1, Box.from_edges(*box), "x = 1", "")
    made = [section(Block((a,)), Block((b, c)))]
    one, two = page_texts([flow(1, a, PagePiece("x = 1", box=box), b), flow(2, c)], made, [equation])
    assert one.split("\n") == ["where it holds that", "x = 1", "for all n"]
    assert two == "and so on."


def test_nothing_printed_is_lost_where_a_paragraph_lacks_a_part_of_its_lines() -> None:
    a, b = row("Methods. We throw", 100), row("stones.", 112)
    block = Block((a, b))
    short = Paragraph(1, box_of(block.rows), "We throw stones.", block.lines)
    made = [Section("Methods", "", 1, None, 1, None, (short,), (1,))]
    (text,) = page_texts([flow(1, a, b)], made, [])
    assert text == "Methods. We throw stones."


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_passages_sentences_and_captions_are_found_on_their_page(path: Path) -> None:
    document = pdf.parse(path)
    pages = {page.number: page.text for page in document.pages}
    chunks = pdf.chunk(document, lambda text: len(text.split()), 120)
    shown = [(chunk.page, chunk.text) for chunk in chunks]
    shown += [(each.page, each.text) for chunk in chunks for each in chunk.sentences]
    shown += [(table.page, table.caption) for table in document.tables if table.caption]
    shown += [(image.page, image.caption) for image in document.images if image.caption]
    assert shown
    assert [text for page, text in shown if find_quote(text, pages[page]) is None] == []


def test_a_word_broken_over_two_pages_is_whole_on_the_first(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.line("1 Boats", size=13, face="b")
    paper.gap(6)
    paper.text(words(60, 1))
    paper.line("The boat that sinks is of a direc-", y=760)
    paper.page()
    paper.line("tion that nobody knew. It was made of paper,")
    paper.line("which is what boats are made of. A direction is a line.")
    document = pdf.parse(paper.save())
    assert document.pages[0].text.endswith("The boat that sinks is of a direction")
    assert document.pages[1].text.startswith("that nobody knew. It was made of paper,")
    passages = [each.text for each in pdf.chunk(document, lambda text: len(text.split()), 40)]
    assert passages[-2].endswith("is of a direction")
    assert passages[-1].startswith("that nobody knew.")
