"""Papers by year, author and tag."""

from __future__ import annotations

import pytest

from quire.errors import PaperNotFound, QueryError
from quire.library import Library
from quire.library.papers import Selection, select


def test_years_are_one_a_span_or_open_to_either_side(filled: Library) -> None:
    years = {paper.id: paper.year for paper in filled.papers()}
    year = next(one for one in years.values() if one)
    for text, first, last in (
        (f"{year}", year, year),
        (f"{year}-", year, 9999),
        (f"-{year}", 0, year),
        (f"{year}-{year + 1}", year, year + 1),
    ):
        fitting = {id for id, one in years.items() if one and first <= one <= last}
        assert set(select(filled, Selection(year=text))) == fitting, text
    for text in ("-", "20", "soon"):
        with pytest.raises(QueryError, match="is no year"):
            select(filled, Selection(year=text))
    with pytest.raises(PaperNotFound):
        select(filled, Selection(year=f"{min(one for one in years.values() if one) - 1}"))


def test_whole_words_name_an_author_and_any_choice_restricts(filled: Library) -> None:
    paper = next(one for one in filled.papers() if one.authors)
    surname = paper.authors[0].split()[-1]
    assert paper.id in select(filled, Selection(authors=(surname.upper(),)))
    with pytest.raises(PaperNotFound):
        select(filled, Selection(authors=(surname[:-1],)))
    assert [bool(one) for one in (Selection(), Selection(year="2020"), Selection(tags=("a",)))] == [
        False,
        True,
        True,
    ]
    assert select(filled, Selection(), [paper.id]) == (paper.id,)
