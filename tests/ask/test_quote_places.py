"""What follows each other by place on a page, and what only a parser put together."""

from __future__ import annotations

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from quire.ask.evidence import verify
from quire.ask.quote_matching import Places
from quire.library import Library
from quire.pdf.pdfium.places import pieces
from quire.types import Evidence, Piece
from tests.library.conftest import KEYWORDS

LEFT = [
    "We thank the Department of Energy's Office of Energy",
    "Efficiency for funds that made the long work of these",
    "years possible, and our friends for their patience and",
]
RIGHT = [
    "good advice. This work was written in the summer by",
    "the authors. The opinions are those of nobody else and",
    "the sea does not share them in any way that we know.",
]


def draw(path: Path) -> Path:
    """Two columns whose lines are drawn across, a script, a footnote in small type."""
    page = Canvas(str(path), pagesize=(612, 792))
    for number, pair in enumerate(zip(LEFT, RIGHT, strict=True)):
        for x, line in zip((60, 320), pair, strict=True):
            page.setFont("Times-Roman", 10)
            page.drawString(x, 700 - 12 * number, line)
    page.setFont("Times-Roman", 10)
    page.drawString(60, 500, "Boats float on water as 10 kg of lead never will in any sea")
    page.setFont("Times-Roman", 6)
    page.drawString(60 + page.stringWidth("Boats float on water as 10", "Times-Roman", 10), 504, "3")
    page.setFont("Times-Roman", 7)
    page.drawString(60, 480, "The Authors of 2018, all rights reserved.")
    page.save()
    return path


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Places:
    return Places(pieces(draw(tmp_path_factory.mktemp("places") / "two.pdf"), 1))


@pytest.mark.parametrize(
    "quote",
    [
        "the Department of Energy's Office of Energy Efficiency for funds",
        "our friends for their patience and good advice.",  # into the next column
        "written in the summer by the authors. The opinions",
        "Boats float on water as 10 3 kg of lead",
        "The Authors of 2018",
    ],
)
def test_words_that_follow_each_other_are_found(places: Places, quote: str) -> None:
    assert places.follow(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "Department of Energy's Office of Energy the authors.",
        "Department of Energy's Office of Energy good advice.",  # across the gutter
        "We thank the Department of Energy's Office of Energy years possible",  # a line left out
        "Efficiency for funds that made the long work of these Boats float on water",
        "lead never will in any sea The Authors of 2018",  # into a footnote
        "advice. good",
        "the authors. good advice.",
        "",
    ],
)
def test_what_stands_in_two_places_is_not(places: Places, quote: str) -> None:
    assert not places.follow(quote)


def put(page: Canvas, x: float, y: float, text: str, size: float = 10, width: float = 0) -> None:
    """A line; of a width, its words are drawn with equal gaps that fill it."""
    page.setFont("Times-Roman", size)
    if not width:
        page.drawString(x, y, text)
        return
    words = text.split()
    lengths = [page.stringWidth(word, "Times-Roman", size) for word in words]
    for word, length in zip(words, lengths, strict=True):
        page.drawString(x, y, word)
        x += length + (width - sum(lengths)) / (len(words) - 1)


@pytest.fixture(scope="module")
def typeset(tmp_path_factory: pytest.TempPathFactory) -> Places:
    """What typesetters do: stretched lines, text round a heading and a picture, a panel, a page's number."""
    path = tmp_path_factory.mktemp("places") / "typeset.pdf"
    page = Canvas(str(path), pagesize=(612, 792))
    put(page, 60, 740, "Rivers that carry sand to the sea build a delta where")  # stretched
    put(page, 60, 728, "they slow down gently, notwithstanding", width=214)
    put(page, 60, 716, "the tides of spring that wash a part of it away again.")
    put(page, 60, 680, "Grain sizes of sand.")  # a heading in the line
    put(page, 160, 680, "The sieves were shaken for ten minutes")
    put(page, 60, 668, "before they were weighed on the scales of the harbour.")
    put(page, 130, 620, "She studied rivers and became")  # beside a picture
    put(page, 130, 608, "a keeper of the long archive")
    put(page, 60, 596, "of maps in the capital of the land, for many years.")
    put(page, 60, 400, "No boat was lost in that year and all of the captains")  # the last lines
    put(page, 60, 388, "who had been asked to write down the depth did so in")
    put(page, 270, 370, "1658")
    put(page, 320, 740, "their own hand. A heading of another paper is large.")
    put(page, 320, 728, "The next line is no part of anything that was looked at.")
    put(page, 320, 640, "which the ministry paid for in the end, as it had said", size=9.5)  # a panel
    put(page, 320, 628, "it would. Nobody else was asked to pay for any of it.", size=9.5)
    put(page, 60, 300, "One margin is narrow here and this")  # columns, a narrow gutter
    put(page, 60, 288, "line goes on with a word below and")
    x = 60 + page.stringWidth("line goes on with a word below and", "Times-Roman", 10) + 14
    put(page, x, 300, "another text of the same type stands")
    put(page, x, 288, "there that has nothing to do with it.")
    page.save()
    return Places(pieces(path, 1))


@pytest.mark.parametrize(
    "quote",
    [
        "a delta where they slow down gently, notwithstanding the tides of spring",
        "The sieves were shaken for ten minutes before they were weighed",
        "became a keeper of the long archive of maps in the capital",
        "asked to write down the depth did so in their own hand.",  # a page's number under the last line
    ],
)
def test_how_a_text_is_set_does_not_matter(typeset: Places, quote: str) -> None:
    assert typeset.follow(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "a delta where they slow down the tides of spring",  # the end of a stretched line left out
        "asked to write down the depth did so in which the ministry paid for",  # into a panel
        "line goes on with a word below and there that has nothing to do",  # a gutter like a stretched gap
        "a keeper of the long archive who had been asked",
    ],
)
def test_nor_does_it_join_what_is_apart(typeset: Places, quote: str) -> None:
    assert not typeset.follow(quote)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Rivers that carry sand", "Grain sizes of sand."),  # below
        ("No boat was lost in that year", "Nobody else was asked to pay"),  # in the column to the right
    ],
)
def test_paragraphs_stand_in_order(typeset: Places, first: str, then: str) -> None:
    assert typeset.follow_in_order([first, then])
    assert not typeset.follow_in_order([then, first])
    assert not typeset.follow_in_order([first, "of which no word stands there", then])


def test_a_sentence_that_a_parser_made_of_two_places_is_not_verified(tmp_path: Path) -> None:
    with Library.open(tmp_path / "library", **KEYWORDS) as library:
        library.add(draw(tmp_path / "two.pdf"))
        paper = library.papers()[0].id
        made = "Department of Energy's Office of Energy the authors."
        with library._resources.database.writing() as connection:  # what a wrong parse would have written
            connection.execute("UPDATE pages SET page_content = page_content || chr(10) || ?", [made])
        for quote, true in (
            (made, False),
            ("The Authors of 2018", True),
            ("in the summer by the authors", True),
        ):
            assert verify(Evidence(paper, 1, None, quote, verified=not true), library).verified == true
        assert library._resources.pieces.cache_info().currsize == 1  # type: ignore[attr-defined]


def test_a_row_of_values_far_apart_is_one_line_and_leaves_none_out() -> None:
    texts = ("crypto-sha1", "5", "10", "2.0", "5.95x")
    row = [Piece(text, 80.0 * n, 80.0 * n + 20, 100.0, 9.0, 0) for n, text in enumerate(texts)]
    assert Places(row).is_row("crypto-sha1 5 10 2.0 5.95x")
    assert not Places(row).is_row("crypto-sha1 5 10 5.95x")
    assert not Places(row).is_row("5 10 2.0")
    gutter = [
        Piece(text, 250.0 * n, 250.0 * n + 200, 100.0, 9.0, 0)
        for n, text in enumerate(("we had 5 of them and", "4 of ours"))
    ]
    assert not Places(gutter).is_row("we had 5 of them and 4 of ours")
