"""Venue, volume and year as publishers print them."""

from __future__ import annotations

import pytest

from quire.pdf.front.imprint import created, find_doi, read_imprint


@pytest.mark.parametrize(
    ("line", "venue", "volume", "year"),
    [
        ("Chen et al. BMC Public Health 2015, 15:112", "BMC Public Health", "15", 2015),
        ("Chen et al. BMC Public Health (2015) 15:112", "BMC Public Health", "15", 2015),
        ("Plants 2021, 10, 1234. https://example.org", "Plants", "10", 2021),
        ("Computers and Geotechnics 62 (2014) 101–112", "Computers and Geotechnics", "62", 2014),
        ("L. Roe et al. / Fuel Research 62 (2014) 101–112", "Fuel Research", "62", 2014),
        ("Arch Orthop Surg (2012) 132:1201–1209", "Arch Orthop Surg", "132", 2012),
        ("BMJ Open 2013;3:e002345. doi:10.1136/bmjopen-2012-002345", "BMJ Open", "3", 2013),
        ("Nucleic Acids Research, 2012, Vol. 40, No. 3 1234–1250", "Nucleic Acids Research", "40", 2012),
        ("PLOS ONE | DOI:10.1371/journal.pone.0123456   May 12, 2015", "PLOS ONE", "", 2015),
        ("Frontiers in Psychology | www.frontiersin.org", "Frontiers in Psychology", "", None),
        ("Notes from the Window, 2022", "Notes from the Window", "", 2022),
        ("Research Article", "", "", None),
        ("This work was funded by the National Science Foundation", "", "", None),
        ("arXiv:2603.01234v1 [cs.IR]", "", "", 2026),
        ("In Proceedings of the 3rd Workshop on Boats, pages 1–9, 2020.",
         "Proceedings of the 3rd Workshop on Boats", "", 2020),
    ],
)  # fmt: skip
def test_one_line(line: str, venue: str, volume: str, year: int | None) -> None:
    got = read_imprint([line])
    assert (got.venue, got.volume, got.year) == (venue, volume, year)


def test_name_of_a_journal_above_its_volume() -> None:
    got = read_imprint(["A Publishing House", "Stem Cells Today", "Volume 2016, Article ID 62, 4 pages"])
    assert (got.venue, got.year) == ("Stem Cells Today", 2016)


def test_a_file_date_counts_only_beside_cited_work_of_its_time() -> None:
    assert created("D:20190304000000", None) is None
    assert created("D:20190304000000", 2018) == 2019
    assert created("D:20190304000000", 2019) == 2019
    assert created("D:20190304000000", 2017) is None  # made anew, years after the paper
    assert created("D:20000101000000", 2018) is None
    assert created("", 2018) is None


def test_a_doi_cut_by_a_line_break_is_found_whole_elsewhere() -> None:
    assert find_doi("doi 10.1371/journal.pone\nsee doi:10.1371/journal.pone.0115884.") == (
        "10.1371/journal.pone.0115884"
    )


def test_a_citation_of_a_later_year_is_of_the_issue() -> None:
    cited = "Journal of Small Boats, 2017, 7(1), 97-101"
    assert read_imprint([cited, "© 2016 The Authors. This is an open access article."]).year == 2017
    assert read_imprint([cited, "© 2018 The Authors."]).year == 2018


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("Received: 2019-03-12; accepted: 2019-05-14", 2019),
        ("Received 12/03/2019", 2019),
        ("IBM SPSS Statistics for Windows, Version 22, March 2013", None),
        ("All was computed with R version 3.6.1 (July 2019).", None),
    ],
)
def test_years_of_a_paper_and_of_programs(line: str, year: int | None) -> None:
    assert read_imprint([line]).year == year
