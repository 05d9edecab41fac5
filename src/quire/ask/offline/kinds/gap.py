"""A gap in a sentence: the number or the words that the paper has there."""

from __future__ import annotations

from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.plan import NOTHING, Finding, Plan, evidence_of, read
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.taking.gaps import Filled, fill, number_in
from quire.ask.offline.taking.passages import Passages, join

_SOURCES = (
    ("passages", "text_content", "The sentence with the gap must stand in a passage: read them."),
    ("pages", "page_content", "No passage has that sentence; read the whole pages."),
)


def fits(reading: QuestionFeatures) -> float:
    """A text with a hole of at least a few words around it."""
    if reading.gap is None:
        return 0.0
    size = len(reading.gap.before.split()) + len(reading.gap.after.split())
    return 1.0 if size >= 3 else 0.3


def plan(reading: QuestionFeatures) -> Plan:
    """Read the passages, then whole pages, and take what stands in the hole."""
    if reading.gap is None:
        return NOTHING
    best = NOTHING
    for view, column, thought in _SOURCES:
        seen = yield read(view, reading.papers, thought)
        for passages in join(seen.rows, column):
            best = max(best, _finding(reading, passages), key=lambda finding: finding.confidence)
        if best.confidence > 0.8:
            break
    return best


def _finding(reading: QuestionFeatures, passages: Passages) -> Finding:
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


KIND = QuestionKind("gap in a sentence", fits, plan)
