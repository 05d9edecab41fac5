"""The heading of a section by its number or place: section 3.2, the last section, what follows another."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.kinds.section import without_number
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.question.likeness import alike


def fits(reading: Reading) -> float:
    """A section is pointed at by number or order and its heading is wanted."""
    if not reading.has("section") or reading.has("count", "page"):
        return 0.0
    if reading.labels.section and reading.has("title", "name", "section") and not reading.quotes:
        return 0.85
    if reading.quotes and _relation(reading):
        return 0.92
    return 0.8 if reading.labels.ordinal and not reading.quotes else 0.0


def _relation(reading: Reading) -> int:
    if re.search(r"\b(?:after|follows|following|next)\b", reading.bare, re.IGNORECASE):
        return 1
    return -1 if re.search(r"\b(?:before|precedes|preceding|previous)\b", reading.bare, re.IGNORECASE) else 0


def plan(reading: Reading) -> Plan:
    """Read the headings and count to the one that is meant."""
    seen = yield fetch.sections(reading.papers, "Read the headings in their order.")
    row, sure = _choose(reading, list(seen.rows))
    if row is None:
        return NOTHING
    title = str(row.get("section_title") or "")
    return Finding(
        without_number(title, row), sure, evidence_of(row, title, "sections", str(row.get("section_id", "")))
    )


def _choose(reading: Reading, rows: Sequence[Row]) -> tuple[Row | None, float]:
    if reading.labels.section:
        wanted = reading.labels.section
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


KIND = Kind("heading", fits, plan)
