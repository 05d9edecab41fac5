from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.ask.quote_matching import find_quote

PAGE = "the \ufb01rst ef-\nfect  is real, as n = 1.5 (p < 0.05)\u2014say \u201cmost\u201d na\u00efve readers."


@pytest.mark.parametrize(
    "quote",
    [
        "The first effect is real",
        "first\neffect is real",
        "n=1.5 (p<0.05)",
        'say "most" nai\u0308ve readers',
        "effect",
    ],
)
def test_how_it_is_set_is_forgiven(quote: str) -> None:
    place = find_quote(quote, PAGE)
    assert place is not None
    assert 0 <= place[0] < place[1] <= len(PAGE)


@pytest.mark.parametrize(
    "quote",
    [
        "the second effect is real",
        "the first effects are real",
        "n = 15",
        "n = 1.50",
        "p > 0.05",
        "irst effect",
        "",
        "...",
    ],
)
def test_changed_words_numbers_and_signs_are_not(quote: str) -> None:
    assert find_quote(quote, PAGE) is None


def test_the_place_is_that_of_the_quote() -> None:
    start, end = find_quote("real", PAGE) or (0, 0)
    assert PAGE[start:end] == "real"


@given(
    st.text(alphabet="abc XYZ,\n0123", min_size=1, max_size=60),
    st.integers(0, 50),
    st.integers(1, 30),
)
def test_every_run_of_whole_words_is_found(text: str, start: int, length: int) -> None:
    words = text.split()
    quote = " ".join(words[start : start + length])
    if any(char.isalpha() for char in quote):
        assert find_quote(quote, text) is not None
