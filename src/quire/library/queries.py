"""A query before it is searched: words that are nowhere in the library, and a language that no paper is in.

    mended = mend(view.words, "spermatzoa motility")
    mended.query, mended.notes     # "spermatozoa motility", ("`spermatzoa` is nowhere in the library; ...",)
    remark(foreign("Wie viele Patienten nahmen an der Studie teil?"), {"en"})

English words that merely do not occur ("subsections") are left alone, as the search by meaning knows them; so
are those that name what a library holds ("captions").
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache
from typing import NamedTuple

from quire.search.analyzer import stem_of
from quire.search.encoders.tokenizers import count_tokens
from quire.search.words import WordIndex
from quire.store.schema import TABLES

_NAMES = {
    "ar": "Arabic", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fr": "French",
    "he": "Hebrew", "hi": "Hindi", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "pt": "Portuguese", "ru": "Russian", "th": "Thai", "zh": "Chinese",
}  # fmt: skip
# Words that open questions: too rare in papers for `find_language` to count them.
_ASKING = {
    "de": "wie wieviel wieviele viele was welche welcher welches welchen warum weshalb wer wo wann wurde "
    "wurden haben hat waren ist sind gibt",
    "es": "cuántos cuántas cuánto cuánta qué cuál cuáles por quién dónde cuándo cómo fueron fue hubo son",
    "fr": "combien quel quelle quels quelles pourquoi comment qui quand où quoi ont été était étaient sont",
    "it": "quanti quante quanto quanta quale quali perché chi dove quando come sono stati stato furono",
    "nl": "hoeveel welke wat waarom wie waar wanneer hoe werden werd hebben heeft zijn",
    "pt": "quantos quantas quanto qual quais porquê quem onde quando como foram foi são",
}
_LISTS = {code: frozenset(words.split()) for code, words in _ASKING.items()}
_ENGLISH = frozenset(
    "what which who whose why how when where was were is are did does do the of in many much a an to".split()
)


def language_of(question: str) -> str:
    """The language of a question, "" if it cannot be told."""
    words = re.findall(r"[^\W\d_]+", question.lower())
    if sum(word in _ENGLISH for word in words) >= 2:
        return "en"
    counts = {code: sum(word in known for word in words) for code, known in _LISTS.items()}
    best = max(sorted(counts), key=lambda code: counts[code])
    if counts[best] >= 2:
        return best
    from quire.pdf.front.imprint import find_language  # few questions need the room that reads PDFs

    return find_language(question)


def foreign(question: str) -> str:
    """The language of a question that is not in English, "" for English or where it cannot be told."""
    asked = language_of(question)
    return "" if asked == "en" else asked


def remark(asked: str, papers: Set[str]) -> str:
    """What to tell who asks in a language that none of the papers is in; "" if there is nothing to tell."""
    if asked in papers or not papers:
        return ""
    written = ", ".join(sorted(_NAMES.get(code, code) for code in papers))
    return (
        f"The question seems to be in {_NAMES.get(asked, asked)}, the papers are in {written}: ask in the "
        "language of the papers. The search by meaning reads English only."
    )


_WORD = re.compile(r"[^\W\d_]{5,40}")
_WHOLE = 3  # tokens of a word that the encoder knows whole: its own, and two that frame it
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
    return any(len(stem) >= _STEM and count_tokens(stem) <= _WHOLE for stem in stems)
