"""On which page something stands: a table, a figure, a section, a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from quire.agents.offline import fetch
from quire.agents.offline.kinds.cell import label_of
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, Row, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.question.labels import plain
from quire.agents.offline.question.likeness import alike
from quire.agents.offline.taking.passages import join, locate


def fits(reading: Reading) -> float:
    """A page number is wanted."""
    if not reading.has("page") or reading.has("count") or reading.labels.page:
        return 0.0
    return (
        0.93
        if reading.labels.table or reading.labels.figure or reading.labels.equation or reading.quotes
        else 0.3
    )


def plan(reading: Reading) -> Plan:
    """Find the thing; its page is the answer."""
    for wanted, act in (
        (reading.labels.table, fetch.tables),
        (reading.labels.figure, fetch.figures),
        (reading.labels.equation, fetch.equations),
    ):
        if wanted:
            seen = yield act(reading.papers, "Find the page on which it stands.")
            return _labelled(list(seen.rows), wanted)
    quote = max(reading.quotes, key=len, default=" ".join(reading.topic))
    if reading.has("section"):
        seen = yield fetch.sections(reading.papers, "Find the page of that heading.")
        best = max(seen.rows, key=lambda row: alike(str(row.get("section_title")), quote), default=None)
        if best and alike(str(best.get("section_title")), quote) > 0.75:
            return _page(best, str(best.get("section_title")), 0.85)
    seen = yield fetch.pages(reading.papers, "Find the page that says this.")
    place = locate(quote, join(seen.rows, "page_content"))
    return _page(place.row, place.quote, place.fit * 0.95) if place else NOTHING


def _labelled(rows: Sequence[Row], wanted: str) -> Finding:
    for row in rows:
        number = str(row.get("equation_number") or "") or label_of(row)
        if plain(number) == wanted:
            caption = row.get("table_caption") or row.get("image_caption") or row.get("equation_content")
            return _page(row, str(caption or ""), 0.9)
    return NOTHING


def _page(row: Row, quote: str, sure: float) -> Finding:
    return Finding(row.get("page_number"), sure, evidence_of(row, quote[:300]))


KIND = Kind("page", fits, plan)
