"""Words of a query that are nowhere in the library, and what is searched for instead."""

from __future__ import annotations

from collections import Counter

import pytest

from quire.library.searching import mend
from quire.search.words import WordIndex
from tests.search.library import Small, chunk

PAGE = (
    "Spermatozoa swim. Moltility varies. Yodelers yodelers yodelero yodelera yodelerx yodelerx yodelerx"
    " zebru zebro zebro zebrs zebrs zebrs zebraxx boats cloudiesx presoakes grobnik grobnak"
)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> WordIndex:
    """Papers of these words: the first has all, the second those that stand twice, and so on."""
    small, counts = Small(tmp_path_factory.mktemp("words")), Counter(PAGE.lower().replace(".", "").split())
    for paper in range(3):
        small.put([chunk(paper, 0, " ".join(word for word, n in counts.items() if n > paper))])
    small.connection.close()
    return small.index.words


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
        ("qzebraxx", "zebraxx"),
        ("qqzebraxx", "qqzebraxx"),  # two errors and another beginning are another word
        ("grobnik grobnak", "grobnik grobnak"),  # somewhere in the library
        ("captions of subsections", "captions of subsections"),  # names of tables, English words,
        ("quickest tastiest whitening", "quickest tastiest whitening"),
        ("cloudiest presoaked", "cloudiest presoaked"),  # spelt otherwise before an ending; a beginning
        ("coats", "coats"),  # also where the library has a word that looks like them
    ],
)
def test_the_nearest_and_commonest_words_are_searched_for(
    words: WordIndex, asked: str, searched: str
) -> None:
    mended = mend(words, asked)
    assert mended.query == searched
    assert any("instead" in note for note in mended.notes) == (asked != searched)


def test_what_is_searched_for_instead_is_told(words: WordIndex) -> None:
    assert mend(words, "yodelerq swim") == (
        "yodelerx yodelers swim",
        ("`yodelerq` is nowhere in the library; searched for `yodelerx` or `yodelers` instead.",),
    )


def test_of_a_query_of_unknown_words_some_are_mended(words: WordIndex) -> None:
    asked = " ".join(f"yodeler{first}{second}" for first in "qwrtz" for second in "qwrtz")
    assert 1 <= len(mend(words, asked).notes) <= 5
