"""What a paper says of itself: title, authors, year, venue, DOI, e-mail, abstract, key words, volume."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from quire.ask.offline.plan import NOTHING, Finding, Plan, QuestionKind, Row, evidence_of, read
from quire.ask.offline.question import QuestionFeatures

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'<>{}|]+")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
_FEW = 2
# For each part how many topics besides the question may have.
_TOPICS = {"doi": 9, "email": 6, "keyword": 3, "venue": 4, "abstract": 0, "volume": 0, "year": 0}
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
    if not part or labels.table or labels.figure or labels.reference or labels.equation or reading.gap:
        return 0.0
    if reading.has("caption", "row", "column", "abbreviation") or (
        reading.has("reference") and part != "doi"
    ):
        return 0.2
    return 0.85


def asked(reading: QuestionFeatures) -> str:
    """Which part of the metadata is asked for, "" if none.

    A part that is only spoken of ("what do the authors conclude", "in which year did the trial begin") is
    not asked for: then the question has other topics as well.
    """
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
    return "file" if reading.has("file") and reading.has("name") else ""


def _is_author(reading: QuestionFeatures) -> bool:
    if _AUTHOR_ASKED.search(reading.bare):
        return True
    if _AUTHOR_ACTS.search(reading.bare):
        return False
    return reading.has("author") and len(reading.topic) <= _FEW


def plan(reading: QuestionFeatures) -> Plan:
    """Read the metadata; what is not there is looked for on the first page."""
    part = asked(reading)
    seen = yield read("metadata", reading.papers, f"The {part} of a paper stands in its metadata.")
    rows = list(seen.rows)
    values = [value for row in rows if (value := _PARTS[part](row, reading)) not in (None, "", [])]
    if values:
        several = len(rows) > 1
        value = values if several and reading.asks_all() and not isinstance(values[0], list) else values[0]
        sure = 0.92 if not several or reading.asks_all() else 0.35
        quotes = values[0][:_QUOTES] if isinstance(values[0], list) else [values[0]]
        key = str(rows[0]["paper_id"])
        evidence = tuple(
            each for quote in quotes for each in evidence_of(rows[0], str(quote), "metadata", key)
        )
        return Finding(value, sure, evidence, "10." if part == "doi" else "")
    pattern = {"doi": _DOI, "email": _EMAIL}.get(part)
    if pattern is None:
        return NOTHING
    return (yield from _on_first_page(reading, pattern))


def _on_first_page(reading: QuestionFeatures, pattern: re.Pattern[str]) -> Plan:
    seen = yield read("pages", reading.papers, "It may stand on the first page itself.")
    for row in seen.rows:
        if row["page_number"] > _FIRST_PAGES:
            continue
        found = list(
            dict.fromkeys(match.rstrip(".,;)") for match in pattern.findall(str(row.get("page_content"))))
        )
        if found:
            value: Any = found if reading.asks_all() else found[0]
            return Finding(
                value,
                0.8 if len(found) == 1 or reading.asks_all() else 0.55,
                evidence_of(row, found[0], "pages"),
            )
    return NOTHING


def _authors(row: Row, reading: QuestionFeatures) -> Any:
    names = [str(name) for name in row.get("authors") or ()]
    place = reading.labels.ordinal
    if not names:
        return None
    if {"lead", "leading", "principal"} & set(reading.words):
        place = place or 1
    if {"senior"} & set(reading.words):
        place = place or -1
    if place:
        return names[place] if place < 0 else names[place - 1] if place <= len(names) else None
    return names if reading.form.kind in ("list", "any") else ", ".join(names)


def _doi(row: Row, _: QuestionFeatures) -> Any:
    for column in ("doi", "download_url", "bibtex"):
        match = _DOI.search(str(row.get(column) or ""))
        if match:
            return match[0].rstrip(".,;)")
    return None


def _column(*names: str) -> Callable[[Row, QuestionFeatures], Any]:
    def value(row: Row, _: QuestionFeatures) -> Any:
        return next((row[name] for name in names if row.get(name) not in (None, *_UNKNOWN)), None)

    return value


_PARTS: Mapping[str, Callable[[Row, QuestionFeatures], Any]] = {
    "title": _column("title"),
    "author": _authors,
    "year": _column("pub_year"),
    "venue": _column("conference_full", "conference_abbreviation"),
    "doi": _doi,
    "email": lambda row, reading: None,
    "abstract": _column("abstract"),
    "keyword": _column("tags"),
    "volume": _column("volume"),
    "file": _column("pdf_path"),
}

KIND = QuestionKind("metadata", fits, plan)
