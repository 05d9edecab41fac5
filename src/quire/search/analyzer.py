"""Words of a text, as BM25 counts them: lower case, without accents, English stems, no stop words.

Hyphenated words count as their parts ("self-attention" is found by "attention"), numbers keep their decimal
point and lose thousands separators ("10,000" is "10000"), full-width and superscript forms count as plain
ones (NFKC), ideographs count one by one. A word is stored as a 31-bit number (CRC-32), so a collection
needs no vocabulary: two words of one library share a number about once in 10 000 query words.

    >>> [word.stem for word in words("The attention-based models reached 1,024 tokens")]
    ['attent', 'base', 'model', 'reach', '1024', 'token']
"""

from __future__ import annotations

import re
import threading
import unicodedata
import zlib
from collections.abc import Iterator, Set
from functools import lru_cache
from typing import NamedTuple

import Stemmer

from quire.text import FUNCTION_WORDS

_IDEOGRAPH = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WORD = re.compile(
    rf"\d+(?:[.,]\d+)+|[{_IDEOGRAPH}]|[^\W_{_IDEOGRAPH}]+(?:['\u2019][^\W\d_{_IDEOGRAPH}][^\W\d_]*)?"
)

# Function words and question words: the latter are rare in papers, so idf would make them the heaviest.
STOP_WORDS = FUNCTION_WORDS | frozenset(
    """either else ever every herself himself just let like much myself neither ourselves per please shall
    themselves whose yes yet yours yourself yourselves
    arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt lets shouldnt thats theres wasnt werent whats
    wont wouldnt""".split()
)

_local = threading.local()


class Term(NamedTuple):
    """A word that counts: its stem and where it stands."""

    stem: str
    start: int
    end: int


def words(text: str) -> Iterator[Term]:
    """The words of a text that count, in order, with their (start, end) offsets."""
    for match in _WORD.finditer(text):
        if stem := stem_of(match[0]):
            yield Term(stem, match.start(), match.end())


def places_of(text: str, stems: Set[str]) -> Iterator[tuple[int, int]]:
    """The (start, end) offsets of the words of a text that have one of these stems, in order."""
    return (match.span() for match in _WORD.finditer(text) if stem_of(match[0]) in stems)


def term_numbers(text: str) -> list[int]:
    """The words of a text as 31-bit numbers, in order, repeated as they repeat."""
    return [number_of(stem) for raw in _WORD.findall(text) if (stem := stem_of(raw))]


def number_of(stem: str) -> int:
    """The number of a stem."""
    return zlib.crc32(stem.encode()) >> 1


@lru_cache(maxsize=200_000)
def stem_of(raw: str) -> str:
    """The stem of a word as it stands in a text; "" for a stop word."""
    word = raw.lower()
    if not raw.isascii():
        folded = unicodedata.normalize("NFKD", raw).casefold()
        word = "".join(c for c in folded if not unicodedata.combining(c)).replace("\u2019", "'")
    word = word.removesuffix("'s").replace("'", "")
    if word[:1].isdigit():
        return word.replace(",", "")
    if word in STOP_WORDS:
        return ""
    stem: str = stemmer().stemWord(word)
    return stem


def stemmer() -> Stemmer.Stemmer:
    """This thread's English stemmer: one keeps a buffer. Its own cache is off, ours holds numbers."""
    if not hasattr(_local, "stemmer"):
        _local.stemmer = Stemmer.Stemmer("english", 0)
    found: Stemmer.Stemmer = _local.stemmer
    return found
