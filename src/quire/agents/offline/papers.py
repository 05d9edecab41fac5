"""Which papers a question is about, when it does not say: by a title that it names, else by a search."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import replace

from rapidfuzz import fuzz, utils

from quire.agents.offline import fetch
from quire.agents.offline.plan import Act, Finding, Plan, Row, search
from quire.agents.offline.question.likeness import words_of
from quire.agents.offline.question.reading import Reading
from quire.types import Observation

_TITLED = re.compile(
    r"(?i)\b(?:paper|article|study|publication|manuscript)\b[\s,]*(?:titled|entitled|called)?[\s,]*~"
)
_NAMED = 88  # likeness of a title, 0 to 100, from which on it is meant
_SHORT = 12  # characters; a shorter title is found in too many questions
_CLEAR = 0.6  # share of the hits, weighted by rank, from which on one paper is meant
_FEW = 3  # papers that a search may leave


def settle(reading: Reading) -> Plan:
    """Ends with a finding whose value is the reading with its papers filled in."""
    if reading.papers:
        return Finding(reading if not _TITLED.search(reading.bare) else (yield from _without_title(reading)))
    seen = yield fetch.titles("No paper is given: see which there are.")
    rows = list(seen.rows)
    if len(rows) == 1:
        return Finding(_about(reading, [str(rows[0]["paper_id"])], str(rows[0]["title"])))
    named = _named(reading, rows)
    if named is not None:
        return Finding(_about(reading, [str(named["paper_id"])], str(named["title"])))
    query = " ".join([*reading.quotes, *reading.topic]) or reading.text
    hits = yield search("No title is named: find the papers that speak of this.", query, 10)
    votes: dict[str, float] = {}
    for rank, row in enumerate(hits.rows, 1):
        if row.get("pdf_id"):
            votes[str(row["pdf_id"])] = votes.get(str(row["pdf_id"]), 0.0) + 1 / rank
    best = sorted(votes, key=lambda paper: -votes[paper])
    clear = bool(best) and votes[best[0]] >= _CLEAR * sum(votes.values())
    return Finding(_about(reading, best[: 1 if clear else _FEW], ""))


def _without_title(reading: Reading) -> Generator[Act, Observation, Reading]:
    """The reading without a quote that is only the title of the given paper."""
    seen = yield fetch.metadata(reading.papers, "See whether the quoted title is that of the given paper.")
    named = _named(reading, list(seen.rows))
    return reading if named is None else _about(reading, list(reading.papers), str(named["title"]))


def _about(reading: Reading, papers: list[str], title: str) -> Reading:
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
        words=tuple(word for word in reading.words if word not in of_title),
        quotes=tuple(quote for quote, _ in quotes),
        quote_places=tuple(place for _, place in quotes),
    )


def _named(reading: Reading, rows: list[Row]) -> Row | None:
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


def _alike(quote: str, title: str) -> bool:
    asked = utils.default_process(quote)
    return fuzz.ratio(asked, title) >= _NAMED or title.startswith(asked)
