"""Under which heading something is said."""

from __future__ import annotations

import re

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.taking.passages import join, locate
from quire.agents.offline.taking.sentences import overlap, rarity, sentences

_NUMBER = re.compile(r"^\s*(?:(?:\d+|[IVX]+|[A-Z])(?:\.\d+)*[.):]?\s+|(?:\d+\.)+\s*)(?=\S)")


def fits(reading: Reading) -> float:
    """A heading is wanted for a sentence or a topic."""
    if not reading.has("section", "where") or reading.labels.section or reading.has("count", "page"):
        return 0.0
    if reading.quotes:
        return 0.9 if reading.has("section") else 0.7
    named = {"section", "sections", "heading", "subsection", "chapter"} & set(reading.words)
    return 0.55 if named and reading.topic else 0.0


def plan(reading: Reading) -> Plan:
    """Read the passages, find the sentence, and give the heading above it."""
    seen = yield fetch.passages(reading.papers, "Find the passage that says this; its section is the answer.")
    passages = join(seen.rows)
    quote = max(reading.quotes, key=len, default="")
    if quote:
        place = locate(quote, passages)
        if place:
            return _finding(reading, place.row, place.quote, place.fit)
        return NOTHING
    weights = rarity(str(row.get("text_content") or "") for row in seen.rows)
    scored = [
        (overlap(sentence, reading.topic, weights), sentence, row)
        for row in seen.rows
        for sentence in sentences(str(row.get("text_content") or ""))
    ]
    score, sentence, row = max(scored, key=lambda each: each[0], default=(0.0, "", {}))
    return _finding(reading, row, sentence, score * 0.75) if score >= 0.5 else NOTHING


def _finding(reading: Reading, row: Row, quote: str, sure: float) -> Finding:
    title = str(row.get("section_title") or "")
    if not title:
        return NOTHING
    numbered = re.search(
        r"\b(?:number of the section|section number|with (?:its|the) number)\b", reading.bare
    )
    value = str(row.get("section_number") or title) if numbered else without_number(title, row)
    return Finding(value, min(sure, 0.95), evidence_of(row, quote, "chunks", str(row.get("chunk_id", ""))))


def without_number(title: str, row: Row) -> str:
    """A heading without its printed number."""
    number = str(row.get("section_number") or "")
    if number and title.startswith(number):
        return title[len(number) :].lstrip(" .):\u2014\u2013-") or title
    return _NUMBER.sub("", title, count=1).strip() or title


KIND = Kind("section of a sentence", fits, plan)
