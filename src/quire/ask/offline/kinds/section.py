"""Headings: over a sentence, by number or place, beside another; and what a paper is about, in short."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from quire.ask.offline.lexicon import STOP, alike, words_of
from quire.ask.offline.passages import join, locate
from quire.ask.offline.plan import NOTHING, Finding, Plan, QuestionKind, Row, evidence_of, read
from quire.ask.offline.question import QuestionFeatures

_NUMBER = re.compile(r"^\s*(?:(?:\d+|[IVX]+|[A-Z])(?:\.\d+)*[.):]?\s+|(?:\d+\.)+\s*)(?=\S)")
_ASKED_NUMBER = re.compile(r"\b(?:number of the section|section number|with (?:its|the) number)\b")
_BESIDE = {
    1: re.compile(r"\b(?:after|follows|following|next)\b", re.IGNORECASE),
    -1: re.compile(r"\b(?:before|precedes|preceding|previous)\b", re.IGNORECASE),
}


def fits(reading: QuestionFeatures) -> float:
    """A heading is wanted for a sentence that is quoted."""
    if not reading.has("section", "where") or reading.labels.section or reading.has("count", "page"):
        return 0.0
    return (0.9 if reading.has("section") else 0.7) if reading.quotes else 0.0


def plan(reading: QuestionFeatures) -> Plan:
    """Read the passages, find the sentence, and give the heading above it."""
    thought = "Find the passage that says this; its section is the answer."
    seen = yield read("passages", reading.papers, thought)
    place = locate(max(reading.quotes, key=len), join(seen.rows))
    return _over(reading, place.row, place.quote, place.fit) if place else NOTHING


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
    """A section is pointed at by its number or the heading beside it, and its heading is wanted."""
    if not reading.has("section") or reading.has("count", "page"):
        return 0.0
    if reading.labels.section and not reading.quotes:
        return 0.85
    return 0.92 if reading.quotes and _relation(reading) else 0.0


def _relation(reading: QuestionFeatures) -> int:
    return next((step for step, pattern in _BESIDE.items() if pattern.search(reading.bare)), 0)


def plan_heading(reading: QuestionFeatures) -> Plan:
    """Read the headings and choose the one that is meant."""
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
    if not rows:
        return None, 0.0
    fits = [alike(without_number(str(row.get("section_title")), row), reading.quotes[0]) for row in rows]
    at = max(range(len(rows)), key=lambda number: fits[number])
    beside = at + _relation(reading)
    return (rows[beside], 0.85 * fits[at]) if 0 <= beside < len(rows) and fits[at] > 0.8 else (None, 0.0)


HEADING = QuestionKind("heading", fits_heading, plan_heading)
KIND = QuestionKind("section of a sentence", fits, plan)


_ASKED = re.compile(
    r"(?i)\bsummar(?:y|i[sz]\w*|ies)\b|\bgist\b|\btl;?dr\b|\bin a nutshell\b|\boverview of (?:it|this|the)\b"
    r"|\bwhat(?:'s| is| are| was) [^?]{0,200}\b(?:all )?about\W*$"
    r"|\b(?:main|key|central) (?:ideas?|points?|findings?|results?|messages?|contributions?)\b"
    r"|\btake-?home (?:message|point)\b"
)
_FIRST, _LAST = 2, 1  # sentences of the abstract and of the conclusion


def fits_summary(reading: QuestionFeatures) -> float:
    """A paper is to be told in short."""
    match = _ASKED.search(reading.bare)
    pointed = reading.labels.table or reading.labels.figure or reading.has("count")
    if match is None or pointed or reading.form.kind not in ("any", "str"):
        return 0.0
    # "Who wrote the summaries?" asks about some, not for one.
    others = [word for word in reading.topic if word not in words_of(match[0])]
    return 0.9 if len(others) <= 1 else 0.0


def plan_summary(reading: QuestionFeatures) -> Plan:
    """Read the sentences of abstract and conclusion, and quote those that share most words with the rest."""
    thought = "Abstract and conclusion tell a paper in short: read their sentences."
    seen = yield read("ends", reading.papers, thought)
    ends = [row for row in seen.rows if "conclu" in str(row["section_title"]).lower()]
    begins = [row for row in seen.rows if row not in ends]
    chosen = [*_telling(begins, _FIRST if ends else _FIRST + _LAST), *_telling(ends, _LAST)]
    if not chosen:
        return NOTHING
    match = _ASKED.search(reading.bare)
    evidence = tuple(
        each for row in chosen for each in evidence_of(row, _text(row), "sentences", str(row["sentence_id"]))
    )
    return Finding(" ".join(map(_text, chosen)), 0.7, evidence, why=match[0] if match else "")


def _telling(rows: Sequence[Row], most: int) -> list[Row]:
    """The sentences whose words the others use most, in their order."""
    said = [[word for word in words_of(_text(row)) if word not in STOP] for row in rows]
    counts = Counter(word for words in said for word in set(words))
    worth = [sum(counts[word] - 1 for word in set(words)) / (len(words) + 5) ** 0.5 for words in said]
    best = sorted(range(len(rows)), key=lambda n: (-worth[n], n))[:most]
    return [rows[n] for n in sorted(best)]


def _text(row: Row) -> str:
    return str(row["sentence_content"])


SUMMARY = QuestionKind("summary", fits_summary, plan_summary)
