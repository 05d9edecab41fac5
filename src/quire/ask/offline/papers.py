"""Which paper a rule may look at when the question gives none.

The only one, one whose title it names, or the one paper whose title has all the words by which the question
describes it ("the paper about sourdough", "the nanoparticle study").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from rapidfuzz import fuzz, utils

from quire.ask.offline.plan import NOTHING, Finding, Plan, Row, read
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.question.lexicon import STOP
from quire.ask.offline.question.likeness import stem, words_of

_TITLED = re.compile(
    r"(?i)\b(?:paper|article|study|publication|manuscript)\b[\s,]*+(?:(?:titled|entitled|called)[\s,]*+)?~"
)
_KINDS = frozenset(
    "paper papers article articles study studies publication publications manuscript preprint review reviews "
    "report reports".split()
)
_ABOUT = frozenset("about on of regarding concerning".split())
_NEAR = 10  # words before "paper" within which its description begins with "the"
_NAMED = 88  # likeness of a title, 0 to 100, from which on it is meant
_SHORT = 12  # characters; a shorter title is found in too many questions


def settle(reading: QuestionFeatures) -> Plan:
    """Ends with a finding whose value is the reading with its papers filled in; nothing if none is meant."""
    if reading.papers and not _TITLED.search(reading.bare):
        return Finding(reading)
    if reading.papers:
        thought = "See whether the quoted title is that of the given paper."
        seen = yield read("titles", reading.papers, thought)
        named = _named(reading, list(seen.rows))
        return Finding(reading if named is None else _about(reading, list(reading.papers), named))
    seen = yield read("titles", (), "No paper is given: see which there are.")
    rows = list(seen.rows)
    named = _named(reading, rows) or _described(reading, rows)
    if named is None and len(rows) == 1:
        only = rows[0]
        return Finding(replace(reading, papers=(str(only["paper_id"]),), title=str(only["title"])))
    return NOTHING if named is None else Finding(_about(reading, [str(named["paper_id"])], named))


def _about(reading: QuestionFeatures, papers: Sequence[str], row: Row) -> QuestionFeatures:
    title = str(row["title"])
    # The words that only name the paper say nothing about what is asked of it.
    of_title = set(words_of(title)) - set(reading.words[:1])
    quotes = [
        (quote, place)
        for quote, place in zip(reading.quotes, reading.quote_places, strict=True)
        if not _alike(quote, utils.default_process(title))
    ]
    return replace(
        reading,
        papers=tuple(papers),
        title=title,
        words=tuple(word for word in reading.words if word not in of_title),
        quotes=tuple(quote for quote, _ in quotes),
        quote_places=tuple(place for _, place in quotes),
    )


def _named(reading: QuestionFeatures, rows: list[Row]) -> Row | None:
    """The paper whose title the question names, quoted or not."""
    for row in rows:
        title = utils.default_process(str(row["title"]))
        if any(len(quote) > _SHORT and _alike(quote, title) for quote in reading.quotes):
            return row
    for row in rows:
        title = utils.default_process(str(row["title"]))
        if len(title) > _SHORT and fuzz.partial_ratio(title, utils.default_process(reading.text)) >= _NAMED:
            return row
    return None


def _described(reading: QuestionFeatures, rows: list[Row]) -> Row | None:
    """The one paper whose title has all the content words that describe it in the question."""
    titles = [{stem(word) for word in words_of(str(row["title"]))} for row in rows]
    known = set[str]().union(*titles)
    for description in _descriptions(words_of(reading.bare), known):
        words = [stem(word) for word in description if word not in STOP]
        fitting = [row for row, title in zip(rows, titles, strict=True) if title.issuperset(words)]
        if words and len(fitting) == 1:
            return fitting[0]
    return None


def _descriptions(words: Sequence[str], known: set[str]) -> Iterator[Sequence[str]]:
    """Between "the" and "paper"; behind "paper about", up to the first word that is in no title."""
    for at, word in enumerate(words):
        if word not in _KINDS:
            continue
        before = words[max(0, at - _NEAR) : at]
        if "the" in before:
            yield before[len(before) - before[::-1].index("the") :]
        if at + 1 < len(words) and words[at + 1] in _ABOUT:
            yield list(takewhile(lambda each: each in STOP or stem(each) in known, words[at + 2 :]))


def _alike(quote: str, title: str) -> bool:
    asked = utils.default_process(quote)
    return fuzz.ratio(asked, title) >= _NAMED or title.startswith(asked)
