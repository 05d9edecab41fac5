"""Headings: over a sentence, by number, beside another; and what a paper is about, in short."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from quire.ask.observations import SeenRow
from quire.ask.offline.lexicon import STOP, alike, words_of
from quire.ask.offline.passages import locate
from quire.ask.offline.plan import (
    NOTHING,
    Finding,
    QuestionKind,
    Seen,
    evidence_of,
    fitting,
    found,
    said_in,
)
from quire.ask.offline.question import QuestionFeatures

_NUMBER = re.compile(r"^\s*(?:(?:\d+|[IVX]+|[A-Z])(?:\.\d+)*[.):]?\s+|(?:\d+\.)+\s*)(?=\S)")
_ASKED_NUMBER = re.compile(r"\b(?:number of the section|section number|with (?:its|the) number)\b")
_BESIDE = {
    1: re.compile(r"\b(?:after|follows|following|next)\b", re.IGNORECASE),
    -1: re.compile(r"\b(?:before|precedes|preceding|previous)\b", re.IGNORECASE),
}


fits = fitting((0.9, "section quote -#section|count|page"), (0.7, "where quote -#section|count|page"))


def take(reading: QuestionFeatures, seen: Seen) -> Finding:
    """The heading over the passage that says the sentence."""
    place = locate(max(reading.quotes, key=len), seen["passages"])
    if place is None or not place.row.get("section_title"):
        return NOTHING
    number = place.row.get("section_number") or place.row["section_title"]
    value = str(number) if _ASKED_NUMBER.search(reading.bare) else without_number(place.row)
    return found(value, min(place.fit, 0.95), place.row, place.quote)


def without_number(row: SeenRow) -> str:
    """A heading without its printed number."""
    title, number = str(row.get("section_title") or ""), str(row.get("section_number") or "")
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


def take_heading(reading: QuestionFeatures, seen: Seen) -> Finding:
    """The heading with the number, or the one beside what is quoted."""
    rows = seen["sections"]
    if wanted := reading.labels.section:
        numbers = [str(row.get("section_number") or "").strip(" .").lower() for row in rows]
        row = rows[numbers.index(wanted)] if wanted in numbers else None
        return found(without_number(row), 0.9, row, str(row["section_title"])) if row else NOTHING
    fits = [alike(without_number(row), reading.quotes[0]) for row in rows]
    fit = max(fits, default=0.0)
    beside = fits.index(fit) + _relation(reading) if fit > 0.8 else -1
    if not 0 <= beside < len(rows):
        return NOTHING
    return found(without_number(rows[beside]), 0.85 * fit, rows[beside], str(rows[beside]["section_title"]))


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


def take_summary(reading: QuestionFeatures, seen: Seen) -> Finding:
    """The sentences of abstract and conclusion that share most words with the rest of them."""
    ends = [row for row in seen["ends"] if "conclu" in str(row["section_title"]).lower()]
    begins = [row for row in seen["ends"] if row not in ends]
    chosen = [*_telling(begins, _FIRST if ends else _FIRST + _LAST), *_telling(ends, _LAST)]
    if not chosen:
        return NOTHING
    match = _ASKED.search(reading.bare)
    evidence = tuple(each for row in chosen for each in evidence_of(row, said_in(row)))
    return Finding(" ".join(map(said_in, chosen)), 0.7, evidence, why=match[0] if match else "")


def _telling(rows: Sequence[SeenRow], most: int) -> list[SeenRow]:
    """The sentences whose words the others use most, in their order."""
    said = [[word for word in words_of(said_in(row)) if word not in STOP] for row in rows]
    counts = Counter(word for words in said for word in set(words))
    worth = [sum(counts[word] - 1 for word in set(words)) / (len(words) + 5) ** 0.5 for words in said]
    best = sorted(range(len(rows)), key=lambda n: (-worth[n], n))[:most]
    return [rows[n] for n in sorted(best)]


_SAYS_THIS = {"passages": "Find the passage that says this; its section is the answer."}
_IN_ORDER = {"sections": "Read the headings in their order."}
_TELLS = {"ends": "Abstract and conclusion tell a paper in short: read their sentences."}
KIND = QuestionKind("section of a sentence", fits, _SAYS_THIS, take)
HEADING = QuestionKind("heading", fits_heading, _IN_ORDER, take_heading)
SUMMARY = QuestionKind("summary", fits_summary, _TELLS, take_summary)
