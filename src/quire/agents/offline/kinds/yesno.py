"""Yes or no: whether the paper says something, or has something. Only what can be shown is answered."""

from __future__ import annotations

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.taking.passages import join, locate


def fits(reading: Reading) -> float:
    """The question begins with a verb, or its form is true or false."""
    if reading.form.kind == "bool" or reading.form.choices == ("Yes", "No"):
        return 0.9
    return 0.5 if reading.has("yesno") else 0.0


def plan(reading: Reading) -> Plan:
    """Whether a quote is on a page, or whether there is any of a thing; else nothing."""
    if reading.quotes:
        seen = yield fetch.pages(reading.papers, "See whether any page says this.")
        place = locate(max(reading.quotes, key=len), join(seen.rows, "page_content"), least=0.95)
        evidence = evidence_of(place.row, place.quote) if place else ()
        return Finding(_said(reading, place is not None), 0.85 if place else 0.6, evidence)
    for thing, act in (("table", fetch.tables), ("figure", fetch.figures), ("equation", fetch.equations)):
        if reading.has(thing) and not reading.topic:
            seen = yield act(reading.papers, f"See whether there are {thing}s.")
            evidence = evidence_of(seen.rows[0], "") if seen.rows else ()
            return Finding(_said(reading, bool(seen.rows)), 0.8, evidence)
    return NOTHING


def _said(reading: Reading, yes: bool) -> bool | str:
    return yes if reading.form.kind in ("bool", "any") else "Yes" if yes else "No"


KIND = Kind("yes or no", fits, plan)
