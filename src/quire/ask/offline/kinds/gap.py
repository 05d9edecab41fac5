"""A gap in a sentence: the number or the words that the paper has there.

    fill("About", "patients took part.", "In all, about 42 patients took part.")  ->  [Span("42", 1.0, 8, 16)]

Both sides are looked for as they are set in print (hyphens, spaces, footnote marks forgiven); where a side
is not found whole, its part next to the gap is tried, down to a few letters, and the fit is less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rapidfuzz import fuzz

from quire.ask.offline.plan import Finding, QuestionKind, Seen, Span, surest
from quire.ask.offline.question import QuestionFeatures
from quire.ask.quote_matching import fold

_LONGEST = 60  # characters in a gap
_OPENING = 12  # characters in a gap that opens or ends the text
_STEPS = (400, 120, 60, 30, 18, 12, 7)
_NUMBER = re.compile(r"[-\u2212]?\d[\d,]*(?:\.\d+)?")


def fill(before: str, after: str, text: str) -> list[Span]:
    """What may fill the gap, the best first; each span begins with what stands before the gap."""
    page = fold(text)
    left, right = fold(before).text, fold(after).text
    filled: list[Span] = []
    for size in _STEPS:
        near_left, near_right = left[-size:], right[:size]
        if len(near_left) + len(near_right) < min(10, len(left) + len(right)):
            break
        for start, end in _holes(near_left, near_right, page.text):
            first = page.places[start]
            last = page.places[end - 1] + 1 if end > start else first
            inside = text[first:last].strip()
            if inside:
                around = page.text[max(0, start - len(left)) : start], page.text[end : end + len(right)]
                place = page.places[max(0, start - len(near_left))], last
                filled.append(Span(inside, _fit(around, (left, right)), *place))
        if filled and max(each.fit for each in filled) > 0.8:
            break
    return sorted(filled, key=lambda each: -each.fit)


def _holes(left: str, right: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a gap between these two may stand: behind the first, or some way before the second."""
    needle = left or right
    at = text.find(needle)
    while at >= 0:
        start = at + len(left) if left else max(0, at - _OPENING)
        end = min(start + _OPENING, len(text))
        if right:
            end = text.find(right, start, start + _LONGEST + len(right))
        if end >= 0 and start < len(text):
            yield start, end
        at = text.find(needle, at + 1)


def _fit(found: tuple[str, str], wanted: tuple[str, str]) -> float:
    """How well what stands before and after a gap is what was asked, by their lengths."""
    weighed = sum(fuzz.ratio(one, other) * len(one) for one, other in zip(wanted, found, strict=True))
    return weighed / 100 / (len("".join(wanted)) or 1)


def number_in(text: str) -> str:
    """The first number of a text, without thousands separators; "" if it has none."""
    match = _NUMBER.search(text)
    return match[0].replace(",", "").replace("\u2212", "-") if match else ""


def fits(reading: QuestionFeatures) -> float:
    """A text with a hole of at least a few words around it."""
    if reading.gap is None:
        return 0.0
    size = len(reading.gap.before.split()) + len(reading.gap.after.split())
    return 1.0 if size >= 3 else 0.3


def take(reading: QuestionFeatures, seen: Seen) -> Finding:
    """What stands in the hole; less sure where several things may."""
    gap, kind = reading.gap, reading.form.kind
    numeric = kind in ("int", "float") or (kind != "str" and "number" in reading.words)

    def filled(text: str) -> Span | None:
        spans = fill(gap.before, gap.after, text) if gap else []
        if numeric:
            spans = [replace(each, text=number) for each in spans if (number := number_in(each.text))]
        rivals = {each.text for each in spans if each.fit > spans[0].fit - 0.03}
        sure = min(spans[0].fit, 0.98) - 0.4 * (len(rivals) > 1) if spans else 0.0
        return replace(spans[0], fit=sure) if spans else None

    finding = surest(seen, filled)
    if not numeric or finding.value is None:
        return finding
    return replace(finding, value=float(finding.value) if "." in finding.value else int(finding.value))


_LOOKS = {
    "passages": "The sentence with the gap must stand in a passage: read them.",
    "pages": "No passage has that sentence; read the whole pages.",
}
KIND = QuestionKind("gap in a sentence", fits, _LOOKS, take, enough=0.8)
