"""What a paper says of itself: title, authors, year, venue, DOI, e-mail, abstract, key words, volume."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.reading import Reading

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'<>{}|]+")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_THE_PAPER = {"paper", "article", "study", "publication", "work", "document", "manuscript"}
_QUOTES = 5  # of a list that are shown as evidence
_UNKNOWN = ("", "uncategorized")


def fits(reading: Reading) -> float:
    """Something of the title page is asked, and nothing inside the paper is pointed at."""
    part = asked(reading)
    labels = reading.labels
    if not part or labels.table or labels.figure or labels.reference or labels.equation or reading.gap:
        return 0.0
    if reading.has("caption", "row", "column", "abbreviation") or (
        reading.has("reference") and part != "doi"
    ):
        return 0.2
    sure = {"doi": 0.9, "email": 0.9, "author": 0.85, "venue": 0.8, "abstract": 0.8, "keyword": 0.8}.get(
        part, 0.75
    )
    return sure if len(reading.topic) <= 6 or reading.quotes else sure - 0.2


def asked(reading: Reading) -> str:
    """Which part of the metadata is asked for, "" if none."""
    for part in ("doi", "email", "keyword", "venue", "author", "abstract", "volume", "year"):
        if reading.has(part):
            return part
    if reading.has("who"):
        return "author"
    if (
        reading.has("when")
        and reading.has("publish", "page")
        or re.search(r"\bhow old\b", reading.bare, re.I)
    ):
        return "year"
    if reading.has("title") or (reading.has("name") and _THE_PAPER & set(reading.words)):
        return "title"
    if reading.has("where") and reading.has("publish"):
        return "venue"
    return "file" if reading.has("file") and reading.has("name") else ""


def plan(reading: Reading) -> Plan:
    """Read the metadata; what is not there is looked for on the first page."""
    part = asked(reading)
    seen = yield fetch.metadata(reading.papers, f"The {part} of a paper stands in its metadata.")
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
        return Finding(value, sure, evidence)
    pattern = {"doi": _DOI, "email": _EMAIL}.get(part)
    if pattern is None:
        return NOTHING
    return (yield from _on_first_page(reading, pattern))


def _on_first_page(reading: Reading, pattern: re.Pattern[str]) -> Plan:
    seen = yield fetch.pages(reading.papers, "It may stand on the first page itself.", "page_number <= 2")
    for row in seen.rows:
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


def _authors(row: Row, reading: Reading) -> Any:
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


def _doi(row: Row, _: Reading) -> Any:
    for column in ("doi", "download_url", "bibtex"):
        match = _DOI.search(str(row.get(column) or ""))
        if match:
            return match[0].rstrip(".,;)")
    return None


def _column(*names: str) -> Callable[[Row, Reading], Any]:
    def value(row: Row, _: Reading) -> Any:
        return next((row[name] for name in names if row.get(name) not in (None, *_UNKNOWN)), None)

    return value


_PARTS: Mapping[str, Callable[[Row, Reading], Any]] = {
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

KIND = Kind("metadata", fits, plan)
