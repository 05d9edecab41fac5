"""Labels that the file's outline, the names of a publisher's boxes and the sentence above decide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.pdf.front.authors import names_of
from quire.pdf.layout.rows import Row
from quire.pdf.line_classifier.repair import bookmarked, imprints
from quire.pdf.raw import OutlineEntry, Word, make_line


def row(text: str, base: float, *, bold: int = 0, right: float = 300, page: int = 1) -> Row:
    """A row of words, the first `bold` of them in bold type."""
    words, x = [], 50.0
    for n, part in enumerate(text.split()):
        width = 5.0 * len(part)
        words.append(Word(part, x, base - 8, x + width, base + 2, base, 10.0, n < bold, False, "Body"))
        x += width + 3
    return Row(make_line(words, 10.0, base), page, 50, right, 0)


def items(*rows: tuple[str, str]) -> list[Row]:
    return [replace(row(text, 100 + 12 * k), label=label) for k, (label, text) in enumerate(rows)]


def outlined(entries: list[str], *rows: tuple[str, str], page: int = 1) -> list[str]:
    outline = [OutlineEntry(title, page) for title in entries]
    return [item.label for item in bookmarked(items(*rows), outline)]


def test_bookmarks_name_headings_over_several_rows() -> None:
    rows = [
        ("text", "as before."), ("text", "2.1 Effects of the extract"), ("para", "on cells"),
        ("text", "They grew."),
    ]  # fmt: skip
    assert outlined(["2.1 Effects of the extract on cells"], *rows) == ["text", "heading", "heading", "text"]
    assert outlined(["Effects of the extract on cells"], *rows) == ["text", "heading", "heading", "text"]


@pytest.mark.parametrize(
    ("entry", "rows", "page"),
    [
        ("Growth of cells", [("text", "Growth of cells")], 2),  # points elsewhere
        ("Discussion", [("text", "see the"), ("text", "discussion")], 1),  # the end of a sentence
        ("Growth", [("text", "Growth of cells")], 1),  # more than the bookmark says
        ("A title", [("title", "A title"), ("text", "A title")], 1),
        ("Methods", [("abstract", "Methods")], 1),  # a part of the abstract
        ("Author details", [("other", "Author details")], 1),
    ],
)
def test_bookmarks_that_the_page_does_not_bear_out_say_nothing(
    entry: str, rows: list[tuple[str, str]], page: int
) -> None:
    assert outlined([entry], *rows, page=page) == [label for label, _ in rows]


@pytest.mark.parametrize("name", ["Author details", "Publisher\u2019s Note"])
def test_boxes_of_the_publisher_are_no_sections(name: str) -> None:
    rows = items(("heading", name), ("para", "A school."), ("text", "A town."), ("heading", "References"))
    imprints(rows)
    assert [item.label for item in rows] == ["other", "other", "other", "heading"]
    licence = replace(row("Open Access This article is licensed to all", 100, bold=2), label="para")
    rows = [licence, *items(("text", "who name it."), ("para", "It is so."))]
    imprints(rows)
    assert [item.label for item in rows] == ["other", "other", "para"]


def test_a_name_broken_at_the_end_of_a_list_goes_on() -> None:
    rows = [
        row("Rosa Lopes, Erica Rabelo, Ana Luzia", 100, right=240),
        row("Ferreira Farias, Alex Bruno", 112),
    ]
    assert names_of(rows) == ("Rosa Lopes", "Erica Rabelo", "Ana Luzia Ferreira Farias", "Alex Bruno")
    apart = [row("Rosa Lopes, Ana Luzia", 100, right=400), row("Alex Bruno, Ryan Silva", 112)]
    assert names_of(apart) == ("Rosa Lopes", "Ana Luzia", "Alex Bruno", "Ryan Silva")


def test_a_country_a_month_or_a_role_is_no_part_of_a_name() -> None:
    rows = [row("Ben Trovato, USA", 100, right=180), row("Lars Thorvald", 112)]
    assert names_of(rows) == ("Ben Trovato", "Lars Thorvald")
    assert names_of([row("3 January", 100), row("Michael Kohlhase", 112)]) == ("Michael Kohlhase",)
    assert names_of([row("Maintainer: Alex Ball", 100)]) == ("Alex Ball",)
    assert names_of([row("By Ann Smith and Von Neumann", 100)]) == ("Ann Smith", "Von Neumann")
    assert names_of([row("TORSTEN ROE AND ANN SMITH", 100)]) == ("TORSTEN ROE", "ANN SMITH")
    assert names_of([row("Thesis Supervisor: Ann Smith", 100)]) == ("Ann Smith",)
