"""What papers print of themselves: dates, volume and pages, rights, addresses, funding, and where."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.pdf import parse
from quire.pdf.front.contact import read_affiliations
from quire.pdf.front.imprint import find_keywords, read_numbers
from quire.pdf.front.matter import _without_names, keyword_texts
from quire.pdf.front.printed import FrontLines, read_dates, read_rights
from quire.pdf.layout.rows import Row
from quire.pdf.raw import Line, RawPage, Word, make_line
from tests.pdf.paper import Paper, words
from tests.pdf.test_cover import TITLE, behind, sheet
from tests.pdf.test_fronts import labelled


def line(text: str, y: float) -> Line:
    """A printed line whose words stand side by side."""
    x, own = 72.0, []
    for word in text.split():
        own.append(Word(word, x, y - 7.5, x + 5.0 * len(word), y + 2.2, y, 10.0, False, False, "F"))
        x += 5.0 * len(word) + 3
    return make_line(own, 10.0, y)


def printed(*lines: str) -> FrontLines:
    """One page of these lines."""
    own = tuple(line(text, 80 + 14 * number) for number, text in enumerate(lines) if text.split())
    return FrontLines([RawPage(1, 595, 842, lines=own)], 1)


@pytest.mark.parametrize(
    "text",
    [
        "Received: 3 May 2020; Accepted: 17 July 2020; Published: 1 August 2020",
        "Received 3 May, 2020; Accepted 17 July, 2020; Published online August 1, 2020",
        "received: 03/05/2020 accepted: 17/07/2020 available online 2020-08-01",
        "Received on 3rd May 2020, accepted on 17th of July 2020, first published 1st Aug. 2020",
        "Submitted May 3, 2020. Accepted July 17, 2020. Publication date: 01-Aug-2020",
    ],
)
def test_dates_in_many_forms(text: str) -> None:
    found = {place.field: when for place, when in read_dates(printed(text))}
    assert found == {
        "received": date(2020, 5, 3), "accepted": date(2020, 7, 17), "published": date(2020, 8, 1),
    }  # fmt: skip


def test_a_date_is_taken_only_where_it_is_whole_and_of_the_paper() -> None:
    for lines in (
        ("Received: May 2020", "Published: xx xx xxxx", "Accepted: 31 February 2020"),
        ("Received in revised form 3 May 2020",),
    ):
        assert not list(read_dates(printed(*lines)))
    lines = ("Version of Record published:", "18 January 2019", "Published: 2 March 2019")
    ((place, when),) = read_dates(printed(*lines))
    assert (place.field, when, place.page) == ("published", date(2019, 1, 18), 1)
    assert place.bbox.height > 20  # both lines


@given(st.text(max_size=200))
def test_any_line_is_survived(text: str) -> None:
    list(read_dates(printed(f"Received {text}")))
    read_numbers([text])
    list(read_rights(printed(text)))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("J Clin Exp Dent. 2016;8(3):e230-5.", ("8", "3", "e230", "e235")),
        ("Molecules 2016, 21, 186; doi:10.1000/x", ("21", "", "186", "")),
        ("BMJ Open 2013;3:e002345. doi:10.1136/bmjopen-2012-002345", ("3", "", "e002345", "")),
        ("Computers and Geotechnics 62 (2014) 101–112", ("62", "", "101", "112")),
        ("Bioscience Reports (2019) 39 BSR20180943", ("39", "", "BSR20180943", "")),
        ("Journal of Boats Vol.9. No.3. pp: 177-186, Summer 2011", ("9", "3", "177", "186")),
        ("J. Clin. Biochem. Nutr., 46, 52–59, January 2010", ("46", "", "52", "59")),
        ("September 2015 | Volume 6 | Article 892", ("6", "", "892", "")),
        ("Volume 2016, Article ID 6802810, 8 pages", ("2016", "", "6802810", "")),
        ("PLoS ONE | www.example.org 1 March 2012 | Volume 7 | Issue 3 | e33103", ("7", "3", "e33103", "")),
        ("Arch Orthop Surg (2012) 132:1201–1209", ("132", "", "1201", "1209")),
        ("Received 3 May 2020", ("", "", "", "")),
    ],
)
def test_volume_issue_and_pages(text: str, wanted: tuple[str, ...]) -> None:
    assert read_numbers([text])[0] == wanted


@pytest.mark.parametrize(
    ("lines", "publisher", "licence"),
    [
        (("© 2017 by the authors. Licensee MDPI, Basel. This is an open access article distributed under the",
          "terms of the Creative Commons Attribution (CC BY) license (http://creativecommons.org/licenses/",
          "by/4.0/)."),
         "MDPI", "CC BY 4.0"),
        (("© 2021 The Author(s). Published by Elsevier Ltd. Open Access under the CC BY-NC-ND 4.0 license.",),
         "Elsevier Ltd", "CC BY-NC-ND 4.0"),
        (("Published by BMJ.", "Creative Commons Attribution Non Commercial 4.0"), "BMJ", "CC BY-NC 4.0"),
        (("© Mast et al; licensee Keel Central Ltd.", "This is an Open Access"), "Keel Central Ltd", ""),
        (("Sail Publishing Corporation", "Scientifica", "Volume 2016"), "Sail Publishing Corporation", ""),
        (("Number of boats", "Published by", "Participating genes (%)"), "", ""),
        (("We measured boats.",), "", ""),
    ],
)  # fmt: skip
def test_publisher_and_licence(lines: tuple[str, ...], publisher: str, licence: str) -> None:
    wanted = {field: value for field, value in (("publisher", publisher), ("licence", licence)) if value}
    assert {place.field: value for place, value in read_rights(printed(*lines))} == wanted


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A paper with all that is told of one."""
    paper = Paper(tmp_path_factory.mktemp("telling") / "paper.pdf")
    paper.line("Journal of Small Boats 2020, 12(3), 145–161", size=8, y=40)
    paper.line(TITLE, size=20, face="b", y=90)
    paper.line("Ada B. Lovelace, Carl Gauss and New Delhi", size=12, y=120)
    paper.line("1 Department of Rivers, University of Somewhere, New Delhi, India", size=9, y=140)
    paper.line("2 Institute of Stones, Göttingen, Germany", size=9)
    paper.line("Correspondence: Carl Gauss, gauss@example.org", size=9)
    paper.line("Received: 3 May 2020; Accepted: 17 July 2020", size=9)
    paper.line("Abstract", size=12, face="b", y=220)
    paper.text(words(90, 3))
    paper.line(
        "Keywords: stones; rivers; rounding; abrasion; floods; sand; gravel; boulders; silt; mud", size=9
    )
    paper.line("1 Introduction", size=12, face="b", y=420)
    paper.text(words(150, 4))
    paper.page()
    paper.line("2 Results", size=12, face="b", y=80)
    paper.text(words(200, 5))
    paper.line("Funding", size=12, face="b", y=400)
    paper.text("This work was supported by the River Fund, grant number 12/34, and by the Stone Trust.")
    paper.line("References", size=12, face="b", y=480)
    for number in range(1, 7):
        paper.text(f"{number}. Smith JA, Doe R. How thing {number} works. J Thing. 2010;3(2):1{number}0-9.")
    return paper.save()


def test_a_paper_tells_of_itself(article: Path) -> None:
    said = parse(article).metadata
    assert (said.received, said.accepted, said.published) == (date(2020, 5, 3), date(2020, 7, 17), None)
    assert (said.journal, said.volume, said.issue) == ("Journal of Small Boats", "12", "3")
    assert (said.first_page, said.last_page) == ("145", "161")
    assert said.authors == ("Ada B. Lovelace", "Carl Gauss")  # New Delhi is a place
    assert said.affiliations == (
        "Department of Rivers, University of Somewhere, New Delhi, India",
        "Institute of Stones, Göttingen, Germany",
    )  # fmt: skip
    assert (said.corresponding_author, said.corresponding_email) == ("Carl Gauss", "gauss@example.org")
    assert len(said.keywords) == 10
    assert said.funding.startswith("This work was supported by the River Fund, grant number 12/34")


def test_each_field_has_its_place(article: Path) -> None:
    found = parse(article)
    places = {place.field: place for place in found.metadata.places}
    for field in (
        "title",
        "authors",
        "received",
        "volume",
        "keywords",
        "affiliations",
        "corresponding_email",
    ):
        assert places[field].page == 1
    assert places["funding"].page == 2
    assert abs(places["volume"].bbox.y0 - 34) < 4
    assert "2020" in places["accepted"].text
    page = found.pages[0]
    for place in found.metadata.places:
        assert place.bbox.x0 >= 0
        assert place.bbox.x1 <= page.width
        assert place.bbox.y0 >= 0
        assert place.bbox.y1 <= page.height


def test_a_publishers_notice_is_no_title(article: Path, tmp_path: Path) -> None:
    notice = Paper(tmp_path / "notice.pdf")
    for row in (
        "Since January a publisher has created a resource centre with free",
        "information on rivers. The centre is hosted on the company's public",
        "website. Permission is granted for all of its research to be kept.",
    ):
        notice.line(row, size=16, y=notice.y + 10)
    found = parse(behind([notice.save()], article, tmp_path / "both.pdf")).metadata
    assert found.title == TITLE
    assert found.authors == ("Ada B. Lovelace", "Carl Gauss")


def test_a_sheet_in_front_shifts_no_place(article: Path, tmp_path: Path) -> None:
    front = sheet(tmp_path / "cover.pdf", "To cite this version:", f"{TITLE}. 2020.")
    found = parse(behind([front], article, tmp_path / "both.pdf")).metadata
    assert {place.page for place in found.places if place.field == "received"} == {2}
    pypdfium2.PdfDocument(tmp_path / "both.pdf").close()


def test_addresses_go_on_over_the_page_and_end_before_other_things() -> None:
    first = [
        labelled("affiliation", "School of Boats, Hull, UK", 100, size=8),
        labelled(
            "affiliation", "(A Quill MD); Keel Works, Kiel, Germany (E Hull MD); Oar Works, Rome", 110, size=8
        ),
    ]
    behind = labelled(
        "affiliation", "(C Mast MD); Sail Works, Genoa (F Deck MD); Rope Works, Nice", 100, size=8
    )
    behind = replace(behind, page=2)
    found = [place.text for place in read_affiliations([*first, behind], [], 1)]
    assert [each.partition(",")[0] for each in found] == [
        "School of Boats", "Keel Works", "Oar Works", "Sail Works", "Rope Works",
    ]  # fmt: skip
    listed = [
        labelled("heading", "Author affiliations", 80, size=8),
        labelled("text", "School of Boats, University of Hull, UK", 100, size=8),
        labelled("text", "Twitter Ada Quill @quill", 110, size=8),
        labelled("text", "Contributors A Quill and B Reed built the boats and wrote this.", 120, size=8),
    ]
    assert [place.text for place in read_affiliations(listed, [], 1)] == [
        "School of Boats, University of Hull, UK"
    ]


def test_what_is_said_of_correspondence_is_no_part_of_an_address() -> None:
    text = "School of Boats, Hull, UK. Correspondence and requests should be addressed to A. Q."
    (place,) = read_affiliations([labelled("affiliation", text, 100)], [], 1)
    assert place.text == "School of Boats, Hull, UK"


def test_keywords_under_a_heading_in_larger_type() -> None:
    rows = [
        labelled("heading", "KEYWORDS", 100, size=11),
        labelled("para", "stones, rivers, rounding, sand and", 114, size=9),
        labelled("text", "gravel, mud", 125, size=9),
        labelled("heading", "1 INTRODUCTION", 150, size=11),
        labelled("para", "Stones are found in rivers.", 164, size=9),
    ]
    (found,) = [find_keywords(text) for text, _ in keyword_texts(rows)]
    assert found == ("stones", "rivers", "rounding", "sand and gravel", "mud")


def test_signs_part_addresses_and_mails_in_brackets_are_none() -> None:
    rows = [
        labelled("affiliation", "♠ School of Boats, Hull, UK, ♢ Keel Institute, Kiel, Germany", 100),
        labelled("affiliation", "{a.quill, breed}@boats.example.org", 112),
    ]
    found = [place.text for place in read_affiliations(rows, [], 1)]
    assert found == ["School of Boats, Hull, UK", "Keel Institute, Kiel, Germany"]


def test_addresses_side_by_side_are_read_column_by_column() -> None:
    rows = [
        labelled("affiliation", "Boats Inc. Keel Ltd. Oar Works", 100),
        labelled("affiliation", "Hull Town Kiel City Rome", 112),
    ]
    apart = []
    for item in rows:
        words = [
            word._replace(x0=50 + 150 * (k // 2), x1=70 + 150 * (k // 2))
            for k, word in enumerate(item.line.words)
        ]
        words = [
            word._replace(x0=word.x0 + 22 * (k % 2), x1=word.x1 + 22 * (k % 2))
            for k, word in enumerate(words)
        ]
        apart.append(replace(item, line=make_line(words, 10, item.line.baseline)))
    found = [place.text for place in read_affiliations(apart, [], 1)]
    assert found == ["Boats Inc. Hull Town", "Keel Ltd. Kiel City", "Oar Works Rome"]


def placed(base: float, *pieces: tuple[float, str]) -> Row:
    """A row of addresses whose pieces begin at these places."""
    words = [
        word._replace(x0=word.x0 - 50 + x, x1=word.x1 - 50 + x)
        for x, text in pieces
        for word in labelled("affiliation", text, base).line.words
    ]
    item = labelled("affiliation", "x", base)
    return replace(item, line=make_line(words, 10, base))


def test_columns_of_unequal_height_are_read_each_by_itself() -> None:
    rows = [
        placed(100, (50, "Hull Boat School"), (200, "Kiel Keel Works"), (350, "Rome Oar Company")),
        placed(112, (205, "of Old Kiel"), (355, "of New Rome")),
        placed(124, (355, "on the Tiber")),
        placed(136, (50, "Sail Institute of the Whole Long Coast, Lower Nantes, Brittany, France")),
    ]
    found = [place.text for place in read_affiliations(rows, [], 1)]
    assert found[:2] == ["Hull Boat School", "Kiel Keel Works of Old Kiel"]
    assert found[2].startswith("Rome Oar Company of New Rome on the Tiber")


def test_one_long_word_is_an_address_and_so_is_one_that_ends_another() -> None:
    rows = [
        placed(100, (50, "1 Schiffbauversuchsanstalt")),
        placed(112, (50, "2 Keel Works, University of Kiel")),
        placed(124, (50, "3 University of Kiel")),
        placed(136, (50, "4 Nordseewerke")),
    ]
    assert [place.text for place in read_affiliations(rows, [], 1)] == [
        "Schiffbauversuchsanstalt",
        "Keel Works, University of Kiel",
        "University of Kiel",
    ]
    behind = placed(100, (50, "4 University of Kiel"))  # said again on the next page
    behind = replace(behind, page=2)
    rows = [rows[0], rows[1], placed(124, (50, "3 Rope Works, Hull,")), behind]
    assert [place.text for place in read_affiliations(rows, [], 1)] == [
        "Schiffbauversuchsanstalt",
        "Keel Works, University of Kiel",
        "Rope Works, Hull",
    ]


def test_a_mark_that_stands_apart_is_no_column() -> None:
    rows = [
        placed(100, (50, "1"), (90, "Department of Boats, Hull, UK")),
        placed(112, (50, "2"), (90, "Institute of Keels, Kiel, Germany")),
    ]
    found = [place.text for place in read_affiliations(rows, [], 1)]
    assert found == ["Department of Boats, Hull, UK", "Institute of Keels, Kiel, Germany"]


def test_digits_that_are_no_numbers_are_text() -> None:
    (place,) = read_affiliations([labelled("affiliation", "❸ School of Boats, Hull, UK", 100)], [], 1)
    assert place.text == "❸ School of Boats, Hull, UK"


def test_addresses_that_name_who_works_there_cost_no_author(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "paper.pdf")
    paper.line(TITLE, size=17, face="b", y=90)
    paper.line("Ada Lovelace and Carl Gauss", size=12, face="b", y=120)
    paper.line("Ada Lovelace, Department of Rivers, University of Somewhere, Hull, UK", size=9, y=140)
    paper.line("Carl Gauss, Institute of Stones, University of Göttingen, Göttingen, Germany", size=9, y=175)
    paper.line("Abstract", size=12, face="b", y=220)
    paper.text(words(90, 3))
    paper.line("1 Introduction", size=12, face="b", y=420)
    paper.text(words(150, 4))
    said = parse(paper.save()).metadata
    assert said.authors == ("Ada Lovelace", "Carl Gauss")
    assert said.affiliations == (
        "Department of Rivers, University of Somewhere, Hull, UK",
        "Institute of Stones, University of Göttingen, Göttingen, Germany",
    )


def test_names_that_an_address_begins_with_are_whole() -> None:
    assert _without_names("Li and Wei Ng, Lille Hospital", ("Li", "Wei Ng")) == "Lille Hospital"
    assert _without_names("Lille Hospital, Lille, France", ("Li",)) == "Lille Hospital, Lille, France"
