"""A gap in a sentence: the number or the words that the paper has there."""

from __future__ import annotations

from quire.agents.offline import fetch
from quire.agents.offline.kinds.kind import Kind
from quire.agents.offline.plan import NOTHING, Finding, Plan, evidence_of
from quire.agents.offline.question.features import Reading
from quire.agents.offline.taking.gaps import Filled, fill, number_in
from quire.agents.offline.taking.passages import Passages, join


def fits(reading: Reading) -> float:
    """A text with a hole of at least a few words around it."""
    if reading.gap is None:
        return 0.0
    size = len(reading.gap.before.split()) + len(reading.gap.after.split())
    return 1.0 if size >= 3 else 0.3


def plan(reading: Reading) -> Plan:
    """Read the passages, then whole pages, and take what stands in the hole."""
    if reading.gap is None:
        return NOTHING
    best = NOTHING
    sources = (
        (
            fetch.passages(reading.papers, "The sentence with the gap must stand in a passage: read them."),
            "text_content",
        ),
        (fetch.pages(reading.papers, "No passage has that sentence; read the whole pages."), "page_content"),
    )
    for act, column in sources:
        seen = yield act
        for passages in join(seen.rows, column):
            found = _finding(reading, passages)
            best = max(best, found, key=lambda finding: finding.confidence)
        if best.confidence > 0.8:
            break
    return best


def _finding(reading: Reading, passages: Passages) -> Finding:
    assert reading.gap is not None
    filled = fill(reading.gap.before, reading.gap.after, passages.text)
    numeric = reading.form.kind in ("int", "float") or (
        reading.form.kind != "str" and "number" in reading.words
    )
    usable = [each for each in filled if not numeric or number_in(each.text)]
    if not usable:
        return NOTHING
    best = usable[0]
    rivals = {_value(each, numeric) for each in usable if each.fit > best.fit - 0.03}
    confidence = min(best.fit, 0.98) - (0.4 if len(rivals) > 1 else 0.0)
    row = passages.row_at(best.start)
    quote = passages.text[best.start : best.end]
    value = _value(best, numeric)
    return Finding(value, confidence, evidence_of(row, quote, "chunks", str(row.get("chunk_id", ""))))


def _value(filled: Filled, numeric: bool) -> str | float | int:
    if not numeric:
        return filled.text
    text = number_in(filled.text)
    return float(text) if "." in text else int(text)


KIND = Kind("gap in a sentence", fits, plan)
