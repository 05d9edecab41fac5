"""A displayed equation by its number, or the one that a topic is about."""

from __future__ import annotations

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.question.labels import plain


def fits(reading: Reading) -> float:
    """An equation is asked for."""
    if not reading.has("equation") or reading.has("count", "page"):
        return 0.0
    return 0.9 if reading.labels.equation else 0.4


def plan(reading: Reading) -> Plan:
    """Read the equations and choose by number; without a number only a lone equation is sure."""
    seen = yield fetch.equations(reading.papers, "Read the displayed equations.")
    rows = list(seen.rows)
    wanted = reading.labels.equation
    chosen = [row for row in rows if plain(str(row.get("equation_number") or "")) == wanted] if wanted else []
    sure = 0.8
    if not chosen and wanted.isdigit() and not any(row.get("equation_number") for row in rows):
        chosen, sure = rows[int(wanted) - 1 : int(wanted)], 0.55
    if not chosen and not wanted and len(rows) == 1:
        chosen, sure = rows, 0.6
    if not chosen:
        return NOTHING
    text = str(chosen[0].get("equation_content") or "")
    return Finding(
        text or None, sure, evidence_of(chosen[0], text, "equations", str(chosen[0].get("equation_id", "")))
    )


KIND = Kind("equation", fits, plan)
