"""A list of all things of a kind: the headings, the tables, the figures, the references."""

from __future__ import annotations

from quire.agents.offline import fetch
from quire.agents.offline.kinds.caption import caption_of
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.kinds.section import without_number
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.taking.entries import title_of


def fits(reading: Reading) -> float:
    """All of something is wanted."""
    if not _thing(reading) or reading.labels.table or reading.labels.figure or reading.quotes:
        return 0.0
    if reading.asks_all():
        return 0.8
    return 0.6 if {"list", "enumerate", "all"} & set(reading.words) else 0.0


def _thing(reading: Reading) -> str:
    return next((thing for thing in ("section", "table", "figure", "reference") if reading.has(thing)), "")


def plan(reading: Reading) -> Plan:
    """Fetch all and name each."""
    thing = _thing(reading)
    fetchers = {
        "section": fetch.sections,
        "table": fetch.tables,
        "figure": fetch.figures,
        "reference": fetch.references,
    }
    seen = yield fetchers[thing](reading.papers, f"List the {thing}s in their order.")
    rows = list(seen.rows)
    if thing == "section" and {"main", "top"} & set(reading.words):
        rows = [row for row in rows if int(row.get("section_level") or 1) == 1]
    values = [name for row in rows if (name := _name(thing, row))]
    if not values:
        return NOTHING
    return Finding(values, 0.7, evidence_of(rows[0], values[0], thing))


def _name(thing: str, row: Row) -> str:
    if thing == "section":
        return without_number(str(row.get("section_title") or ""), row)
    return title_of(row) if thing == "reference" else caption_of(row)


KIND = Kind("list", fits, plan)
