"""An entry of the reference list, by its number or content: its title, year, authors, or itself."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.question.likeness import squeeze, words_of
from quire.agents.offline.taking.entries import body_of, number_of, part_of

_TOPICS = 3  # words that an entry must be described by when none of it is quoted


def fits(reading: Reading) -> float:
    """A reference is pointed at by number, or the list is spoken of and one of its works is quoted."""
    if reading.labels.table or reading.labels.figure:
        return 0.0
    if reading.labels.reference:
        # A bare [4] may be part of a name, as in a table of studies.
        return (
            0.95
            if reading.has("reference", "title", "year", "when", "author", "who", "venue", "name")
            else 0.5
        )
    if reading.has("reference") and not reading.has("count"):
        if reading.quotes:
            return 0.7
        return 0.55 if reading.labels.ordinal else 0.35 if len(reading.topic) >= _TOPICS else 0.0
    return 0.0


def plan(reading: Reading) -> Plan:
    """Read the list, choose the entry, take the part that is asked for."""
    seen = yield fetch.references(reading.papers, "The answer is in the reference list: read its entries.")
    rows = list(seen.rows)
    row, sure = _choose(reading, rows)
    if row is None:
        return NOTHING
    wanted = asked_part(reading)
    value = number_of(row) if wanted == "number" else part_of(row, wanted)
    if value in (None, ""):
        return NOTHING
    if reading.form.kind == "int" and isinstance(value, str) and value.isdigit():
        value = int(value)
    quote = body_of(row)
    return Finding(value, sure, evidence_of(row, quote, "reference", str(row.get("reference_id", ""))))


def asked_part(reading: Reading) -> str:
    """Which part of an entry the question wants."""
    if reading.has("doi"):
        return "doi"
    if reading.has("year", "when") or (reading.form.kind == "int" and reading.labels.reference):
        return "year"
    if reading.has("author", "who"):
        return "author"
    if reading.has("venue"):
        return "venue"
    if not reading.labels.reference and reading.quotes and not reading.has("title"):
        return "number"
    if reading.has("text") or ("entry" in reading.words and not reading.has("title")):
        return "entry"
    return "title"


def _choose(reading: Reading, rows: Sequence[Row]) -> tuple[Row | None, float]:
    wanted = reading.labels.reference
    if not wanted and not reading.quotes and reading.labels.ordinal:
        wanted = str(reading.labels.ordinal)
    if wanted == "-1":
        return (rows[-1], 0.85) if rows else (None, 0.0)
    if wanted:
        named = [row for row in rows if number_of(row) == wanted]
        if named:
            return named[0], 0.92
        placed = [row for row in rows if int(row.get("ordinal") or 0) + 1 == int(wanted)]
        return (placed[0], 0.5) if placed else (None, 0.0)
    return _by_content(reading, rows)


def _by_content(reading: Reading, rows: Sequence[Row]) -> tuple[Row | None, float]:
    best, score = None, 0.0
    for row in rows:
        body = body_of(row)
        if reading.quotes:
            fit = max(fuzz.partial_ratio(squeeze(quote), squeeze(body)) / 100 for quote in reading.quotes)
        else:
            said = set(words_of(body))
            fit = 0.8 * sum(word in said for word in reading.topic) / max(len(reading.topic), 1)
        if fit > score:
            best, score = row, fit
    return (best, score * 0.9) if score >= 0.6 else (None, 0.0)


KIND = Kind("entry of the reference list", fits, plan)
