"""What a paper says of itself: title, authors, year, venue, DOI, abstract, and what else a title page has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from quire.ask.observations import SeenRow
from quire.ask.offline.plan import (
    NOTHING,
    Finding,
    Fit,
    Looks,
    QuestionKind,
    Seen,
    evidence_of,
    fitting,
    found,
    said_in,
)
from quire.ask.offline.question import QuestionFeatures
from quire.types import Evidence

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
_FEW = 2
# For each part how many topics besides the question may have.
_TOPICS = {"doi": 9, "email": 6, "keyword": 3, "volume": 0, "venue": 4, "abstract": 0, "year": 0}
# Other columns: how well a question asks for them, and the words of it that may do so. No other topic stands
# beside these, but for what is `_AROUND`.
_PRINTED: Mapping[str, tuple[Fit, frozenset[str]]] = {
    column: (
        fitting(*((1.0, f"{rule} -count|yesno|email|doi") for rule in rules)),
        frozenset(re.findall(r"\.(\w+)", " ".join(rules))),
    )
    for column, rules in {
        "accepted": ("when|year .accepted|.acceptance",),
        "received": ("when|year .received|.submitted|.submission",),
        "published": ("publish .date|.day",),
        "publisher": (".publisher",),
        "issue": (".issue .number -volume|year", "venue|publish .issue -volume|year|.main"),
        "licence": (".licence|.license|.licensed|.licenced",),
        "funding": (".funded|.funding|.funder|.funders|.sponsor|.financed|.grant|.grants", "who .paid"),
        "corresponding_author": ("author|who .corresponding",),
        "affiliations": (
            ".affiliation|.affiliations|.affiliated|.institution|.institutions|.university|.universities",
            "author where .work|.based|.from",
        ),
    }.items()
}
_AROUND = frozenset("manuscript receive receives get come agency agencies financial source".split())
_WRITER = r"(?:co-?)?(?:authors?|writers?|researchers?|contributors?)\b"
_AUTHOR_ASKED = re.compile(
    r"(?i)\b(?:first|second|third|\d+(?:st|nd|rd|th)|last|lead|leading|senior|corresponding|principal|all|list"
    r"|list of|names? of|name|identify|which|who (?:is|are|was|were))"
    rf"(?: (?:the|all|every|among|of))*(?: \w+)? {_WRITER}"
    r"|^\W*(?:who|whose|by whom)\b.*\b(?:wrote|written|authored|pens?|penned|authors?|named?|names)\b"
    r"|\bwritten by (?:whom|who)\b"
)
_AUTHOR_ACTS = re.compile(
    rf"(?i)\b(?:do|did|does|have|has|had|can|could|would|is|are|was|were) (?:the |these )?{_WRITER}"
    rf"|\b(?:the|these) {_WRITER} (?!of|list|named?|names|in order)\w+"
)
_THE_PAPER = {"paper", "article", "study", "publication", "work", "document", "manuscript"}
_QUOTES = 5  # of a list that are shown as evidence
_FIRST_PAGES = 2
_UNKNOWN = ("", "uncategorized")


def fits(reading: QuestionFeatures) -> float:
    """Something of the title page is asked, and nothing inside the paper is pointed at."""
    part = asked(reading)
    labels = reading.labels
    pointed = labels.table or labels.figure or labels.reference or labels.equation or reading.gap
    inside = reading.has("caption", "row", "column", "abbreviation")
    inside = inside or (reading.has("reference") and part != "doi")
    return 0.0 if not part or pointed or inside else 0.85


def asked(reading: QuestionFeatures) -> str:
    """Which part of the metadata is asked for, "" if none.

    A part that is only spoken of ("what do the authors conclude", "in which year did the trial begin") is
    not asked for: then the question has other topics as well.
    """
    for part, (fit, own) in _PRINTED.items():
        if part == "funding" and "much" in reading.words:
            continue  # an amount: the sentence that names who paid is no answer
        if fit(reading) and not set(reading.topic) - own - _AROUND:
            return part
    for part, topics in _TOPICS.items():
        if reading.has(part) and len(reading.topic) <= topics:
            return part
    if _is_author(reading):
        return "author"
    if reading.has("publish") and reading.has("year", "when"):
        return "year"
    if reading.has("publish") and reading.has("where"):
        return "venue"
    if reading.has("title") or (reading.has("name") and _THE_PAPER & set(reading.words)):
        return "title" if len(reading.topic) <= _FEW else ""
    return ""


def _is_author(reading: QuestionFeatures) -> bool:
    if _AUTHOR_ASKED.search(reading.bare):
        return True
    if _AUTHOR_ACTS.search(reading.bare):
        return False
    return reading.has("author") and len(reading.topic) <= _FEW


def looks(reading: QuestionFeatures) -> Looks:
    """The metadata; an address stands on the first pages."""
    if (part := asked(reading)) == "email":
        return {"pages": "It may stand on the first page itself."}
    return {"metadata": f"The {part} of a paper stands in its metadata."}


def take(reading: QuestionFeatures, seen: Seen) -> Finding:
    """The part that is asked for: of the first paper, or of all where a list is wanted."""
    part, several = asked(reading), reading.form.kind == "list"
    if "pages" in seen:
        return _addresses(seen["pages"], several)
    rows = seen["metadata"]
    values = [value for row in rows if (value := _value(part, row, reading)) not in (None, "", [])]
    if not values:
        return NOTHING
    listed = isinstance(values[0], list)
    quotes = values[0][:_QUOTES] if listed else [values[0]]
    evidence = _places(rows[0], part) if part in _PRINTED else ()
    evidence = evidence or tuple(each for quote in quotes for each in evidence_of(rows[0], str(quote)))
    value = values if len(rows) > 1 and several and not listed else values[0]
    sure = 0.92 if len(rows) == 1 or several else 0.35
    why = "10." if part == "doi" else " ".join(reading.topic if part in _PRINTED else ())
    return Finding(value, sure, evidence, why)


def _places(row: SeenRow, column: str) -> tuple[Evidence, ...]:
    """Where a column's value is printed, in the words that stand there."""
    printed = [place for place in row.get("places") or () if place["field"] == column][:_QUOTES]
    return tuple(each for place in printed for each in evidence_of({**row, **place}, place["printed"]))


def _addresses(pages: Sequence[SeenRow], several: bool) -> Finding:
    for row in pages:
        printed = _EMAIL.findall(said_in(row)) if row["page_number"] <= _FIRST_PAGES else []
        if values := list(dict.fromkeys(printed)):
            sure = 0.8 if len(values) == 1 or several else 0.55
            return found(values if several else values[0], sure, row, values[0])
    return NOTHING


def _authors(row: SeenRow, reading: QuestionFeatures) -> Any:
    place = reading.labels.ordinal
    if {"lead", "leading", "principal"} & set(reading.words):
        place = place or 1
    if "senior" in reading.words:
        place = place or -1
    return people(row.get("authors") or (), place, reading)


def people(names: Sequence[str], place: int, reading: QuestionFeatures) -> Any:
    """The one in a place (from 1; -1 is the last), else all of them, in a form that may be asked for."""
    if place and names:
        return names[place] if place < 0 else names[place - 1] if place <= len(names) else None
    return list(names) if reading.form.kind in ("list", "any") else ", ".join(names)


_COLUMNS = {
    "year": ("pub_year",),
    "venue": ("conference_full", "journal", "conference_abbreviation"),
    "keyword": ("keywords", "tags"),
    "published": ("published", "pub_year"),
}


def _value(part: str, row: SeenRow, reading: QuestionFeatures) -> Any:
    """What a row tells of a part; a date as it is written in figures, 2015-09-27, or its year."""
    if part == "author":
        return _authors(row, reading)
    told = (row.get(column) for column in _COLUMNS.get(part, (part,)))
    value = next((each for each in told if each not in (None, *_UNKNOWN)), None)
    if part in ("accepted", "received", "published") and value is not None:
        return str(value)[:4] if reading.has("year") or reading.form.kind in ("int", "float") else str(value)
    if part == "affiliations" and reading.form.kind not in ("list", "any"):
        return "; ".join(value or ())
    return value


KIND = QuestionKind("metadata", fits, looks, take)
