"""A query word that is nowhere in the library, and its nearest neighbours there.

    mended = mend(view.words, "spermatzoa motility")
    mended.query, mended.notes     # "spermatozoa motility", ("`spermatzoa` is nowhere in the library; ...",)

English words that merely do not occur ("subsections") are left alone, as the search by meaning knows them; so
are those that name what a library holds ("captions").
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from quire.search.analyzer import stem_of
from quire.search.encoders.tokenizers import count_tokens
from quire.search.words import WordIndex
from quire.store.schema import TABLES

_WORD = re.compile(r"[^\W\d_]{5,40}")
_ENGLISH = 3  # tokens of a word that the encoder knows whole: its own, and two that frame it
_MOST = 5  # words of a query that are mended
_FEW = 2  # neighbours that are searched for
_STEM = 4  # letters at least of a word without ending and beginning
_ENDINGS = ("s", "es", "ed", "er", "est", "ing", "ly")
_STARTS = ("sub", "non", "pre", "re", "un")


class Mended(NamedTuple):
    """A query as it is searched, and what was changed in it, in words."""

    query: str
    notes: tuple[str, ...] = ()


def mend(words: WordIndex, query: str) -> Mended:
    """The query with each unknown word replaced by its nearest neighbours, if it has any."""
    notes = []
    for word in _unknown(words, query)[:_MOST]:
        near = words.alike(word.lower(), 1 if len(word) < 8 else 2)[:_FEW]
        if near:
            query = re.sub(rf"\b{re.escape(word)}\b", " ".join(near), query)
            shown = " or ".join(f"`{each}`" for each in near)
            notes.append(f"`{word}` is nowhere in the library; searched for {shown} instead.")
    return Mended(query, tuple(notes))


def _unknown(words: WordIndex, query: str) -> list[str]:
    stems = {word: stem_of(word) for word in dict.fromkeys(_WORD.findall(query))}
    return [
        word
        for word, stem in stems.items()
        if stem and stem not in _own() and not words.said(stem) and not _english(word.lower())
    ]


@cache
def _own() -> frozenset[str]:
    """The words of the tables' names and columns."""
    names = [name for table in TABLES for name in (table.name, *(column.name for column in table.columns))]
    return frozenset(stem_of(word) for name in names for word in name.split("_"))


def _english(word: str) -> bool:
    """Whether the encoder knows the word whole, or its stem."""
    stems = {word} if word.endswith("ss") else {word.removesuffix(end) for end in ("", *_ENDINGS)}
    stems |= {f"{stem}e" for stem in stems - {word}} | {f"{stem[:-1]}y" for stem in stems if stem[-1:] == "i"}
    stems |= {stem.removeprefix(start) for start in _STARTS for stem in stems}
    return any(len(stem) >= _STEM and count_tokens(stem) <= _ENGLISH for stem in stems)
