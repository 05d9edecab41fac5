"""A gap in a sentence: the number or the words that the paper has there.

    fill("About", "patients took part.", "In all, about 42 patients took part.")  ->  Filled("42", 1.0, 8, 16)

Both sides are looked for as they are set in print (hyphens, spaces, footnote marks forgiven); where a side
is not found whole, its part next to the gap is tried, down to a few letters, and the fit is less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from quire.ask.offline.passages import Passages, join
from quire.ask.offline.plan import NOTHING, Finding, Plan, QuestionKind, evidence_of, read
from quire.ask.offline.question import QuestionFeatures
from quire.ask.quote_matching import fold

_LONGEST = 60  # characters in a gap
_STEPS = (400, 120, 60, 30, 18, 12, 7)
_NUMBER = re.compile(r"[-\u2212]?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Filled:
    """What fills the gap, how well both sides fit (0 to 1), and (start, end) of it with some context."""

    text: str
    fit: float
    start: int
    end: int


def fill(before: str, after: str, text: str) -> list[Filled]:
    """What may fill the gap, the best first."""
    page = fold(text)
    left, right = fold(before).text, fold(after).text
    found: list[Filled] = []
    for size in _STEPS:
        near_left, near_right = left[-size:], right[:size]
        if len(near_left) + len(near_right) < min(10, len(left) + len(right)):
            break
        for at in _ends(near_left, page.text) if near_left else _starts_only(near_right, page.text):
            found += _between(page.places, page.text, text, at, near_left, near_right, left, right)
        if found and max(each.fit for each in found) > 0.8:
            break
    return sorted(found, key=lambda each: -each.fit)


def _ends(needle: str, text: str) -> Iterator[int]:
    at = text.find(needle)
    while at >= 0:
        yield at + len(needle)
        at = text.find(needle, at + 1)


def _starts_only(needle: str, text: str) -> Iterator[int]:
    """Where a gap that opens a sentence may begin: some way before what follows it."""
    at = text.find(needle)
    while at >= 0:
        yield max(0, at - 12)
        at = text.find(needle, at + 1)


def _between(
    places: Sequence[int],
    folded: str,
    text: str,
    at: int,
    near_left: str,
    near_right: str,
    left: str,
    right: str,
) -> Iterator[Filled]:
    stop = (
        folded.find(near_right, at, at + _LONGEST + len(near_right))
        if near_right
        else min(at + 12, len(folded))
    )
    if stop < 0 or at >= len(places):
        return
    first = places[at]
    last = places[stop - 1] if stop > at else first - 1
    inside = text[first : last + 1].strip()
    # Signs right before a number (a minus, a bracket) are no letters: take them from the text itself.
    if not inside:
        return
    context_left = folded[max(0, at - len(left)) : at]
    context_right = folded[stop : stop + len(right)]
    sides = [
        (fuzz.ratio(left, context_left) / 100, len(left)),
        (fuzz.ratio(right, context_right) / 100, len(right)),
    ]
    weight = sum(size for _, size in sides) or 1
    fit = sum(ratio * size for ratio, size in sides) / weight
    yield Filled(inside, fit, places[max(0, at - len(near_left))], last + 1)


def number_in(text: str) -> str:
    """The first number of a text, without thousands separators; "" if it has none."""
    match = _NUMBER.search(text)
    return match[0].replace(",", "").replace("\u2212", "-") if match else ""


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
