"""A query word that is nowhere in the library, and its nearest neighbours there.

    mended = mend(connection, "spermatzoa motility", known=set())
    mended.query, mended.notes     # "spermatozoa motility", ("`spermatzoa` is nowhere in the library; ...",)

English words that merely do not occur ("subsections") are left alone, as the search by meaning knows them; so
are those that name what a library holds ("captions"). Its words are read only when a query needs it.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from typing import NamedTuple

import duckdb
from rapidfuzz.distance import OSA

from quire.index.analyzer import term_number
from quire.index.encoders.tokenizers import count_tokens
from quire.store.schema import TABLES

_WORD = re.compile(r"[^\W\d_]{5,40}")
_ENGLISH = 3  # tokens of a word that the encoder knows whole: its own, and two that frame it
_FEW = 2  # neighbours that are searched for
_STEM = 4  # letters at least of a word without ending and beginning
_ENDINGS = ("s", "es", "ed", "er", "est", "ing", "ly")
_STARTS = ("sub", "non", "pre", "re", "un")


class Mended(NamedTuple):
    """A query as it is searched, and what was changed in it, in words."""

    query: str
    notes: tuple[str, ...] = ()


def mend(connection: duckdb.DuckDBPyConnection, query: str, known: Set[int]) -> Mended:
    """The query with each unknown word replaced by its nearest neighbours, if it has any.

    `known` are words, as numbers, that are known to be somewhere: only others are looked for.
    """
    notes = []
    for word in _unknown(connection, query, known):
        near = _neighbours(connection, word)
        if near:
            query = re.sub(rf"\b{re.escape(word)}\b", " ".join(near), query)
            shown = " or ".join(f"`{each}`" for each in near)
            notes.append(f"`{word}` is nowhere in the library; searched for {shown} instead.")
    return Mended(query, tuple(notes))


def _unknown(connection: duckdb.DuckDBPyConnection, query: str, known: Set[int]) -> list[str]:
    found = {word: term_number(word) for word in _WORD.findall(query)}
    numbers = {
        word: number
        for word, number in found.items()
        if number >= 0 and number not in known | _own() and not _english(word.lower())
    }
    if not numbers:
        return []
    rows = connection.execute(
        """SELECT DISTINCT term FROM (FROM postings UNION ALL FROM postings_recent)
           WHERE term IN (SELECT unnest(?::INTEGER[]))""",
        [list(numbers.values())],
    ).fetchall()
    elsewhere = {term for (term,) in rows}
    return [word for word, number in numbers.items() if number not in elsewhere]


@cache
def _own() -> frozenset[int]:
    """The words of the tables' names and columns, as numbers."""
    names = [name for table in TABLES for name in (table.name, *(column.name for column in table.columns))]
    return frozenset(term_number(word) for name in names for word in name.split("_"))


def _english(word: str) -> bool:
    """Whether the encoder knows the word whole, or its stem."""
    stems = {word} if word.endswith("ss") else {word.removesuffix(end) for end in ("", *_ENDINGS)}
    stems |= {f"{stem}e" for stem in stems - {word}} | {f"{stem[:-1]}y" for stem in stems if stem[-1:] == "i"}
    stems |= {stem.removeprefix(start) for start in _STARTS for stem in stems}
    return any(len(stem) >= _STEM and count_tokens(stem) <= _ENGLISH for stem in stems)


def _neighbours(connection: duckdb.DuckDBPyConnection, word: str) -> list[str]:
    """The library's words that a typing error or two would turn into this one, the commonest first."""
    errors = 1 if len(word) < 8 else 2
    lowered = word.lower()
    # Splitting is 25 times as fast as `regexp_extract_all` of the words.
    rows = connection.execute(
        """SELECT word, count(*) FROM (
               SELECT unnest(string_split_regex(lower(page_content), '[^\\pL]+')) AS word FROM pages)
           WHERE length(word) BETWEEN ? AND ? GROUP BY word""",
        [len(word) - errors, len(word) + errors],
    ).fetchall()
    near = []
    for other, count in rows:
        distance = OSA.distance(lowered, other, score_cutoff=errors)
        if distance <= errors:
            near.append((distance, -count, other))
    near.sort()
    return [other for distance, _, other in near[:_FEW] if distance == near[0][0]]
