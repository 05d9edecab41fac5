"""Words of a query that are nowhere in the library, and what is searched for instead."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from quire.index.analyzer import term_number
from quire.library.spelling import mend

PAGE = (
    "Spermatozoa swim. Moltility varies. Yodelers yodelers yodelero yodelera yodelerx yodelerx yodelerx"
    " zebru zebro zebro zebrs zebrs zebrs zebraxx boats cloudiesx presoakes"
)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        made.execute("CREATE TABLE pages (page_content VARCHAR)")
        made.execute("CREATE TABLE postings (term INTEGER)")
        made.execute("CREATE TABLE postings_recent (term INTEGER)")
        made.execute("INSERT INTO pages VALUES (?), (NULL)", [PAGE])
        made.execute("INSERT INTO postings VALUES (?)", [term_number("grobnik")])
        made.execute("INSERT INTO postings_recent VALUES (?)", [term_number("grobnak")])
        yield made


@pytest.mark.parametrize(
    ("asked", "searched"),
    [
        ("Spermatzoa, spermatzoal", "spermatozoa, spermatozoa"),  # one error; two in a long word; whole words
        ("yodelerq", "yodelerx yodelers"),  # the two commonest of four as near, the commoner first
        ("zebrq", "zebrs zebro"),
        ("yodelrx", "yodelerx"),  # a letter that was left out
        ("yodelerss", "yodelers"),  # one error comes before two
        ("zebqq", "zebqq"),  # two errors in a short word are another word
        ("zbrqs zebr", "zbrqs zebr"),  # as are three, and four letters are too few
        ("qqzebraxx", "zebraxx"),
        ("grobnik grobnak", "grobnik grobnak"),  # somewhere in the library: among old or new papers
        ("captions of subsections", "captions of subsections"),  # names of tables, English words,
        ("quickest tastiest whitening", "quickest tastiest whitening"),
        ("cloudiest presoaked", "cloudiest presoaked"),  # spelt otherwise before an ending; a beginning
        ("coats", "coats"),  # also where the library has a word that looks like them
    ],
)
def test_the_nearest_and_commonest_words_are_searched_for(
    connection: duckdb.DuckDBPyConnection, asked: str, searched: str
) -> None:
    mended = mend(connection, asked, set())
    assert mended.query == searched
    assert bool(mended.notes) == (asked != searched)


def test_what_is_known_is_left_and_the_rest_is_told(connection: duckdb.DuckDBPyConnection) -> None:
    mended = mend(connection, "yodelerq zebrq", {term_number("zebrq")})
    assert mended == (
        "yodelerx yodelers zebrq",
        ("`yodelerq` is nowhere in the library; searched for `yodelerx` or `yodelers` instead.",),
    )
