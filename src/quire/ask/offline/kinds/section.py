"""Headings: that under which something is said, that of a section by number or place, that beside another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.plan import NOTHING, Finding, Plan, Row, evidence_of, read
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.question.likeness import alike
from quire.ask.offline.taking.passages import join, locate
from quire.ask.offline.taking.sentences import overlap, rarity
from quire.text import sentence_texts

_NUMBER = re.compile(r"^\s*(?:(?:\d+|[IVX]+|[A-Z])(?:\.\d+)*[.):]?\s+|(?:\d+\.)+\s*)(?=\S)")
_ASKED_NUMBER = re.compile(r"\b(?:number of the section|section number|with (?:its|the) number)\b")
_BESIDE = {
    1: re.compile(r"\b(?:after|follows|following|next)\b", re.IGNORECASE),
    -1: re.compile(r"\b(?:before|precedes|preceding|previous)\b", re.IGNORECASE),
}


def fits(reading: QuestionFeatures) -> float:
    """A heading is wanted for a sentence or a topic."""
    if not reading.has("section", "where") or reading.labels.section or reading.has("count", "page"):
        return 0.0
    if reading.quotes:
        return 0.9 if reading.has("section") else 0.7
    named = {"section", "sections", "heading", "subsection", "chapter"} & set(reading.words)
    return 0.55 if named and reading.topic else 0.0


def plan(reading: QuestionFeatures) -> Plan:
    """Read the passages, find the sentence, and give the heading above it."""
    thought = "Find the passage that says this; its section is the answer."
    seen = yield read("passages", reading.papers, thought)
    if quote := max(reading.quotes, key=len, default=""):
        place = locate(quote, join(seen.rows))
        return _over(reading, place.row, place.quote, place.fit) if place else NOTHING
    weights = rarity(str(row.get("text_content") or "") for row in seen.rows)
    scored = [
        (overlap(sentence, reading.topic, weights), sentence, row)
        for row in seen.rows
        for sentence in sentence_texts(str(row.get("text_content") or ""))
    ]
    score, sentence, row = max(scored, key=lambda each: each[0], default=(0.0, "", {}))
    return _over(reading, row, sentence, score * 0.75) if score >= 0.5 else NOTHING


def _over(reading: QuestionFeatures, row: Row, quote: str, sure: float) -> Finding:
    title = str(row.get("section_title") or "")
    if not title:
        return NOTHING
    number = str(row.get("section_number") or title) if _ASKED_NUMBER.search(reading.bare) else ""
    value = number or without_number(title, row)
    return Finding(value, min(sure, 0.95), evidence_of(row, quote, "chunks", str(row.get("chunk_id", ""))))


def without_number(title: str, row: Row) -> str:
    """A heading without its printed number."""
    number = str(row.get("section_number") or "")
    if number and title.startswith(number):
        return title[len(number) :].lstrip(" .):\u2014\u2013-") or title
    return _NUMBER.sub("", title, count=1).strip() or title


def fits_heading(reading: QuestionFeatures) -> float:
    """A section is pointed at by number or order and its heading is wanted."""
    if not reading.has("section") or reading.has("count", "page"):
        return 0.0
    if reading.labels.section and not reading.quotes:
        return 0.85
    if reading.quotes and _relation(reading):
        return 0.92
    return 0.8 if reading.labels.ordinal and not reading.quotes else 0.0


def _relation(reading: QuestionFeatures) -> int:
    return next((step for step, pattern in _BESIDE.items() if pattern.search(reading.bare)), 0)


def plan_heading(reading: QuestionFeatures) -> Plan:
    """Read the headings and count to the one that is meant."""
    seen = yield read("sections", reading.papers, "Read the headings in their order.")
    row, sure = _choose(reading, list(seen.rows))
    if row is None:
        return NOTHING
    title = str(row.get("section_title") or "")
    evidence = evidence_of(row, title, "sections", str(row.get("section_id", "")))
    return Finding(without_number(title, row), sure, evidence)


def _choose(reading: QuestionFeatures, rows: Sequence[Row]) -> tuple[Row | None, float]:
    if wanted := reading.labels.section:
        numbered = [row for row in rows if str(row.get("section_number") or "").strip(" .").lower() == wanted]
        return (numbered[0], 0.9) if numbered else (None, 0.0)
    if reading.quotes and rows:
        fits = [alike(without_number(str(row.get("section_title")), row), reading.quotes[0]) for row in rows]
        at = max(range(len(rows)), key=lambda number: fits[number])
        beside = at + _relation(reading)
        return (rows[beside], 0.85 * fits[at]) if 0 <= beside < len(rows) and fits[at] > 0.8 else (None, 0.0)
    top = [row for row in rows if int(row.get("section_level") or 1) == 1]
    place = reading.labels.ordinal
    if place == -1:
        return (top[-1], 0.7) if top else (None, 0.0)
    return (top[place - 1], 0.75) if 0 < place <= len(top) else (None, 0.0)


HEADING = QuestionKind("heading", fits_heading, plan_heading)
KIND = QuestionKind("section of a sentence", fits, plan)
