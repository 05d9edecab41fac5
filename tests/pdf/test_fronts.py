"""Titles, abstracts and run-in headings, from labelled rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quire.pdf.front.abstract import find_abstract
from quire.pdf.front.authors import find_authors, names_of
from quire.pdf.front.matter import read_front
from quire.pdf.front.title import find_title, title_text
from quire.pdf.layout.blocks import Block
from quire.pdf.layout.profile import Profile
from quire.pdf.layout.rows import LABELS, PageFlow, PagePiece, Row
from quire.pdf.line_classifier.repair import repaired
from quire.pdf.raw import Word, make_line
from quire.pdf.sections.parts import body_parts
from quire.pdf.sections.tree import NAME, FoundHeading, with_introduction
from quire.types import Box, Paragraph, Section


def labelled(label: str, text: str, base: float, size: float = 10.0, sure: float = 0.9, bold: int = 0) -> Row:
    words, x = [], 50.0
    for k, part in enumerate(text.split()):
        width = 0.5 * size * len(part)
        words.append(Word(part, x, base - size, x + width, base + 2, base, size, k < bold, False, "F"))
        x += width + 3
    scores = tuple(sure if name == label else (1 - sure) / (len(LABELS) - 1) for name in LABELS)
    return replace(Row(make_line(words, size, base), 1, 50, 540, 0), label=label, scores=scores)


def test_a_surer_title_wins_over_larger_type() -> None:
    rows = [
        labelled("title", "Journal of Things", 40, 20, 0.7),
        labelled("title", "Effect of basil on", 80, 16, 0.98),
        labelled("title", "the heart of rats", 98, 16, 0.98),
    ]  # fmt: skip
    assert [row.text for row in find_title(rows)] == ["Effect of basil on", "the heart of rats"]
    rows[0] = labelled("title", "Journal of Things", 40, 20, 0.98)
    assert [row.text for row in find_title(rows)] == ["Journal of Things"]


def test_a_row_less_like_a_title_than_others_is_none_whatever_its_label() -> None:
    def other(text: str, base: float, size: float, title: float) -> Row:
        row = labelled("title", text, base, size, title)
        return replace(row, label="other")

    rows = [
        other("A study of the games", 40, 12, 0.46),
        other("and of the poor", 54, 12, 0.42),
        labelled("title", "by", 120, 12, 0.17),
        labelled("author", "John Smith", 140, 12),
        labelled("text", "It is small.", 300, 10),
    ]
    assert title_text(find_title(rows)) == "A study of the games and of the poor"
    rows[2] = labelled("title", "in two towns", 68, 12, 0.6)
    assert title_text(find_title(rows)).endswith("and of the poor in two towns")


def test_without_a_label_the_larger_row_is_the_title_and_never_a_date() -> None:
    rows = [
        replace(labelled("title", "11. 11. 2011", 20, 24, 0.6), label="other"),
        replace(labelled("title", "On using a manager", 40, 17, 0.46), label="other"),
        replace(labelled("title", "A preface follows", 90, 14, 0.5), label="other"),
        labelled("text", "It is small.", 300, 10),
    ]
    assert title_text(find_title(rows)) == "On using a manager"


def test_the_mark_of_a_footnote_is_no_part_of_a_title() -> None:
    rows = [
        labelled("title", "Formatting in the style A*", 80, 16),
        labelled("title", "with a class \u2217", 98, 16),
    ]
    assert title_text(rows).endswith("class \u2217")
    last = rows[1].line.words
    words = (*last[:-1], last[-1]._replace(script=1, glued=True))
    raised = [rows[0], replace(rows[1], line=make_line(list(words), 16, 98))]
    assert title_text(raised) == "Formatting in the style A* with a class"
    assert title_text([]) == ""


def test_a_line_in_the_margin_is_no_part_of_the_abstract_beside_it() -> None:
    rows = [
        labelled("abstract", "Abstract", 80),
        labelled("abstract", "Basil was given to rats.", 95),
        labelled("abstract", "Competing interests: none.", 107, 8),
        labelled("para", "Rats were given basil.", 200),
    ]
    rows[2] = replace(rows[2], aside=True, column=1)
    assert [each.label for each in repaired(rows)] == ["abstract", "abstract", "note", "para"]


def test_nothing_of_the_body_is_lost_before_a_row_that_looks_like_an_abstract() -> None:
    def on(page: int, row: Row) -> Row:
        return replace(row, page=page)

    doubted = replace(labelled("para", "A set is open if so is what is left.", 160, 10, 0.5), label="other")
    rows = [
        labelled("title", "Sets", 40, 16),
        labelled("abstract", "Sets are looked at.", 80),
        on(2, labelled("heading", "1 Sets", 100, 14)),
        on(2, doubted),
        on(6, labelled("abstract", "A set of sets is a set.", 100)),
        on(6, labelled("heading", "2 Sets of sets", 140, 14)),
    ]
    assert repaired(rows)[3].label == "para"


def test_listings_of_code_stay_in_the_text() -> None:
    def line(text: str, base: float, font: str, page: int = 2) -> Row:
        item = labelled("other", text, base, 8, 0.7)
        words = [word._replace(font=font) for word in item.line.words]
        return replace(item, line=make_line(words, 8, base), page=page)

    body = [labelled("para", "It is called like this.", 60 + 12 * k) for k in range(5)]
    rows = [
        labelled("title", "On a function", 20, 18),
        labelled("heading", "1 Use", 40, 14),
        *body,
        line("def f(x):", 140, "ABCDEF+CMTT8"),
        line("0.1 0.2 0.3", 300, "ABCDEF+CMR8"),
        line("Stones Today", 400, "MonotypeCorsiva"),
        line("end", 40, "ABCDEF+CMTT8", page=3),
    ]
    assert [item.label for item in repaired(rows)[-4:]] == ["para", "other", "other", "other"]


def test_an_abstract_begins_at_its_name_and_keeps_to_one_size() -> None:
    rows = [
        labelled("abstract", "How to cite this article: Box A (2016) Basil. 9: 1-4.", 100),
        labelled("abstract", "Abstract", 115),
        *(
            labelled("abstract", "We looked at the leaves and found them green.", 130 + 12 * k)
            for k in range(5)
        ),
        *(labelled("abstract", "All authors work at the university.", 200 + 9 * k, 7) for k in range(4)),
    ]
    found = [row.text for row in find_abstract(rows)]
    assert found[0] == "Abstract"
    assert len(found) == 6
    assert not any("authors" in text or "cite" in text for text in found)


def test_an_abstract_goes_on_past_what_stands_at_the_foot_of_its_page() -> None:
    def said(count: int, base: float) -> list[Row]:
        text = "We looked at the leaves and found them as green as before"
        return [labelled("abstract", text, base + 12 * k) for k in range(count)]

    kinds = ("other", *["affiliation"] * 8, *["other"] * 6)
    foot = [
        labelled(kind, "1 School of Biology, Dundee DD1, UK", 300 + 9 * k, 7) for k, kind in enumerate(kinds)
    ]
    assert (
        len(find_abstract([labelled("abstract", "Abstract", 90), *said(9, 100), *foot, *said(4, 500)])) == 14
    )
    apart = [labelled("text", "It was so in the years before.", 300 + 12 * k) for k in range(15)]
    assert (
        len(find_abstract([labelled("abstract", "Abstract", 90), *said(9, 100), *apart, *said(4, 500)])) == 10
    )


PROFILE = Profile()


def headings(*rows: Row) -> list[str]:
    return [part.title for part in body_parts(rows, PROFILE) if isinstance(part, FoundHeading)]


def test_names_of_the_back_in_bold_are_headings_without_a_stop() -> None:
    rows = [
        labelled("para", "Funding The trust paid for all of it.", 100, bold=1),
        labelled("heading", "Author contributions", 112, bold=2),
        labelled("para", "Funding acquisition: Ann Box.", 124, bold=2),
        labelled("para", "Table S1: What was found.", 136, bold=2),
    ]
    assert headings(*rows) == ["Funding", "Author contributions"]


def test_numbered_parts_and_abbreviations_in_headings() -> None:
    rows = [
        labelled("heading", "Gas chromatography and mass spectrometry of oils and all leaves", 100, bold=20),
        labelled("heading", "(GC-MS)", 112, bold=1), labelled("para", "They were run.", 130),
        labelled("heading", "1) Hearts", 160, bold=9), labelled("heading", "i) Pressure", 172, bold=9),
    ]  # fmt: skip
    rows[0] = replace(rows[0], right=400)
    found = headings(*rows)
    assert found[0].endswith("all leaves (GC-MS)")
    assert found[-1] == "Pressure"


def section(title: str, text: str = "") -> Section:
    box = Box(0, 0, 1, 1)
    return Section(title, "", 1, None, 1, box, (Paragraph(1, box, text, ()),) if text else (), (1,))


@pytest.mark.parametrize(
    ("second", "language", "expected"), [("", "en", NAME), ("", "de", ""), ("Background", "en", "Background")]
)
def test_the_unnamed_opening_of_a_paper_is_its_introduction(
    second: str, language: str, expected: str
) -> None:
    sections = [section("Abstract", "Short."), section(second, "Basil is green. " * 40), section("Methods")]
    assert with_introduction(sections, language)[1].title == expected


def typed(item: Row, font: str = "CMTT10") -> Row:
    line = item.line
    own = make_line([word._replace(font=font) for word in line.words], line.size, line.baseline)
    return replace(item, line=own)


def test_a_program_within_a_paragraph_stands_by_itself() -> None:
    rows = [
        labelled("para", "It is fitted as follows, by means of", 60),
        typed(labelled("text", "fit(y, x), all in its type", 72)),  # a line of a paragraph that is all names
        labelled("text", "and nothing else is done:", 84),
        *(
            typed(labelled("text", text, 103 + 12 * k))
            for k, text in enumerate(("m <- fit(y, x)", "plot(m)"))
        ),
        labelled("text", "What it draws is a line.", 134),
    ]
    for font in ("CMTT10", "CMITT10", "t1xtt"):
        rows[3:5] = (typed(item, font) for item in rows[3:5])
        parts = body_parts(rows, PROFILE)
        assert [len(part.rows) for part in parts if isinstance(part, Block)] == [3, 2, 1]


def test_output_of_programs_makes_no_headings() -> None:
    body = [labelled("para", "It is called like this.", 60 + 12 * k) for k in range(5)]
    output = typed(labelled("heading", "Signif. codes: 0.001", 200))
    assert [item.label for item in repaired([*body, output])][-1] in ("para", "text")
    larger = typed(labelled("heading", "the call", 200, 14))  # a name as a heading
    assert repaired([*body, larger])[-1].label == "heading"
    typewritten = [typed(item) for item in [*body, labelled("heading", "Methods", 200)]]
    assert repaired(typewritten)[-1].label == "heading"


def test_pieces_of_formulas_are_no_headings() -> None:
    rows = [labelled("para", "It is.", 40), typed(labelled("heading", "Pn", 80), "CMEX10")]
    assert headings(*rows) == []
    assert headings(rows[0], labelled("heading", "Pn", 80)) == ["Pn"]


def test_an_unnamed_abstract_under_a_numbered_heading_is_the_text_of_its_section() -> None:
    rows = [
        labelled("title", "On iterators", 40, 18),
        labelled("heading", "1 Introduction", 80, 14),
        labelled("abstract", "An iterator is a thing.", 100),
        labelled("abstract", "It is used.", 112),
    ]
    assert [item.label for item in repaired(rows)][2:] == ["text", "text"]
    named = [rows[0], labelled("heading", "1 Abstract", 80, 14), *rows[2:]]
    assert [item.label for item in repaired(named)][2:] == ["abstract", "abstract"]


def test_references_end_at_a_row_set_like_their_heading() -> None:
    rows = [
        labelled("heading", "References", 40, 14, bold=1),
        labelled("ref", "A. Zeta. Of changes, 2001.", 60),
        labelled("ref", "B. Eta. Of tests, 2002.", 72),
        replace(labelled("heading", "A Details", 110, 14, bold=2), label="ref"),
        labelled("para", "The values are read from a table.", 130),
    ]
    assert [item.label for item in repaired(rows)] == ["heading", "ref", "ref", "heading", "para"]


def test_a_numbered_heading_is_no_title_and_a_word_may_be_one() -> None:
    rows = [
        replace(labelled("title", "Concordance", 40, 17, 0.55), label="other"),
        replace(labelled("title", "1 The concordance statistic", 120, 14, 0.15), label="heading"),
        *(labelled("text", "It is small.", 150 + 12 * k) for k in range(3)),
    ]
    assert title_text(find_title(rows)) == "Concordance"
    rows[0] = replace(labelled("title", "Research", 40, 17, 0.3), label="other")
    assert title_text(find_title([rows[0], *rows[2:]])) == "Research"  # nothing else may be


def test_where_authors_work_and_dates_are_no_names() -> None:
    def names(*rows: Row) -> tuple[str, ...]:
        title = labelled("title", "On iterators", 40, 18)
        return names_of(find_authors([title, *rows], [title]))

    grid = (
        labelled("author", "Ann Box", 70, 12, bold=2),
        labelled("author", "Novartis Pharma AG", 84, 11),
        labelled("author", "Bo Street", 110, 12, bold=2),
        labelled("author", "Wirtschaftsuniversität Wien", 124, 11),
    )
    assert names(*grid) == ("Ann Box", "Bo Street")
    dated = (labelled("author", "Ann Box", 70), labelled("author", "Typeset: April 25, 2022", 84))
    assert names(*dated) == ("Ann Box",)
    assert names(labelled("heading", "by Ann Brown and Cy North", 70, 12)) == ("Ann Brown", "Cy North")


def test_names_of_a_grid_are_parted_by_gaps_wider_than_the_others() -> None:
    row = labelled("author", "Ann Box Bo Street Cy North", 70)
    words = [word._replace(x0=word.x0 + 5.5 * (k // 2), x1=word.x1 + 5.5 * (k // 2))
             for k, word in enumerate(row.line.words)]  # fmt: skip
    assert names_of([replace(row, line=make_line(words, 10, 70))]) == ("Ann Box", "Bo Street", "Cy North")


def test_a_notice_is_no_title_where_the_file_has_one_that_is_printed() -> None:
    first = "This version of Free Boats is free. You may fold it for others"
    second = "if you name all who folded it first, and so on, and on."
    rows = [labelled("title", first, 40, 12), labelled("title", second, 54, 12)]
    rows += [labelled("author", "The Fold Press", 100), labelled("text", "Free Boats by Ann Box", 200)]
    flow = PageFlow(1, tuple(r for r in rows), tuple(PagePiece(r.text) for r in rows))
    for given, expected in (("Free Boats", ("Ann Box",)), ("Other Boats", ("The Fold Press",))):
        found = read_front(rows, [], [flow], {"Title": given, "Author": "Ann Box"}).metadata
        assert found.title == (given if given == "Free Boats" else f"{first} {second}")
        assert found.authors == expected


def test_text_in_other_type_behind_a_heading_is_no_abstract() -> None:
    def rows(size: float, heading: str) -> list[Row]:
        return [
            labelled("title", "Questions on series", 30, 18),
            *(labelled("abstract", "Series are ordered by time.", 60 + 12 * k, 9) for k in range(3)),
            labelled("heading", heading, 110, 14),
            *(labelled("abstract", "They may stand twice.", 130 + 12 * k, size) for k in range(3)),
        ]

    def ends(*args: object) -> list[str]:
        return [item.label for item in repaired(rows(*args))][-3:]  # type: ignore[arg-type]

    assert ends(10, "What do I do?") == ["text"] * 3
    assert ends(9, "What do I do?") == ["abstract"] * 3  # of one with headings of its own
    assert ends(9, "1. Introduction") == ["text"] * 3
