r"""Finding a quote on a page: forgiving how it is set, never what it says.

Hyphens, ligatures, accents written apart, quotation marks, spaces and line breaks may differ; letters and
digits may not.

    find("The first effect is real", "the ﬁrst ef-\nfect  is real, as")   ->  (0, 25)
    find("The second effect is real", "the first effect is real")        ->  None
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple


class Folded(NamedTuple):
    """A text reduced to its letters, digits and signs, and where each of them stood."""

    text: str
    places: Sequence[int]


# Signs that change what a sentence says; all other punctuation is how it is set.
_SIGNS = {"%": "%", "<": "<", ">": ">", "=": "=", "+": "+", "\u00b1": "\u00b1", "$": "$"}


@lru_cache(maxsize=16)
def fold(text: str) -> Folded:
    """The text as compared."""
    kept: list[str] = []
    places = array("I")
    for place, char in enumerate(text):
        for part in unicodedata.normalize("NFKD", char).casefold():
            if part.isalnum() or part in _SIGNS:
                kept.append(part)
                places.append(place)
    return Folded("".join(kept), places)


def find(quote: str, text: str, *, start: int = 0) -> tuple[int, int] | None:
    """The (start, end) of the quote in the text, or None. A quote without letters or digits is never found.

    A decimal point inside a number counts: "1.5" is not found in "15".
    """
    wanted, page = fold(quote), fold(text)
    if not wanted.text:
        return None
    at = page.text.find(wanted.text)
    while at >= 0:
        first, last = page.places[at], page.places[at + len(wanted.text) - 1]
        inside = at > 0 and page.places[at - 1] == first  # the second half of a ligature
        if (
            first >= start
            and not inside
            and _whole(text, first, last)
            and _points(quote) == _points(text[first : last + 1])
        ):
            return first, last + 1
        at = page.text.find(wanted.text, at + 1)
    return None


def _whole(text: str, first: int, last: int) -> bool:
    """Whether the match begins and ends at a border of words or numbers."""
    before = text[first - 1] if first else " "
    after = text[last + 1] if last + 1 < len(text) else " "
    point = before == "." and first > 1 and text[first - 2].isdigit()
    digits = (before.isdigit() or point) and text[first].isdigit()
    letters = before.isalpha() and text[first].isalpha()
    return not (digits or letters) and not (
        (after.isalpha() and text[last].isalpha()) or (after.isdigit() and text[last].isdigit())
    )


def _points(text: str) -> int:
    """How many decimal points stand inside numbers."""
    return sum(
        text[place - 1].isdigit() and text[place + 1].isdigit()
        for place in range(1, len(text) - 1)
        if text[place] == "."
    )
