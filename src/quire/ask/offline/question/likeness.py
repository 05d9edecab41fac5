"""How alike two short texts are, forgiving how they are set: case, accents, spaces, dashes, footnote marks.

    alike("P value", "p-value")                       ->  1.0
    alike("Stillbirth group (n = 178)", "Stillbirth group (n=178)")  ->  1.0

Everything here is between 0 and 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from quire.search.analyzer import stem_of

_SIGNS = "<>=%+.\u2264\u2265\u00b1"
_MINUS = re.compile(r"(?:^|(?<=[\s(\[<>=\u2264\u2265]))[-\u2212\u2013](?=\d)")


@lru_cache(maxsize=20_000)
def squeeze(text: str) -> str:
    """The text's letters, digits and signs alone, in lower case; a minus before a number stays."""
    marked = _MINUS.sub("\u00ac", text)
    kept = (
        char
        for char in unicodedata.normalize("NFKD", marked).casefold()
        if char.isalnum() or char in _SIGNS or char == "\u00ac"
    )
    return "".join(kept).strip(".")


@lru_cache(maxsize=20_000)
def alike(a: str, b: str) -> float:
    """Likeness of two names."""
    left, right = squeeze(a), squeeze(b)
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    return min(fuzz.ratio(left, right) / 100, 0.99)


def same_word(a: str, b: str) -> bool:
    """Whether two words are the same but for a typing error: one in 5 to 7 letters, two in 8 or more."""
    if a == b:
        return True
    shorter = min(len(a), len(b))
    if shorter < 5:
        return False
    return bool(OSA.distance(a, b, score_cutoff=2) <= (1 if shorter < 8 else 2))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without accents; numbers count as words."""
    plain = re.sub("['\u2019]s\\b", "", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+(?:[.'\u2019][^\W_]+)*", plain)


def covered(name: str, words: Sequence[str]) -> float:
    """The share of the name's words that are among `words`."""
    parts = words_of(name)
    if not parts:
        return 0.0
    return sum(
        any(stem(part) == stem(word) or same_word(part, word) for word in words) for part in parts
    ) / len(parts)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without the endings of its forms; words that a search leaves out stay as they are."""
    return stem_of(word) or word


def singular(word: str) -> str:
    """A word without its plural ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
