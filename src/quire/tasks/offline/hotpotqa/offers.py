"""The things a question compares or offers, and the paragraphs about them.

    "Who is older, Ferdi Taygan or Mahesh Bhupathi?" -> Ferdi Taygan, Mahesh Bhupathi

Titles that stand beside the "or" are the surest; what no paragraph is about is read off by its capitals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quire.tasks.offline.hotpotqa.asked import Asked
from quire.tasks.offline.hotpotqa.passages import Paragraph
from quire.tasks.offline.hotpotqa.words import content

_AFTER = re.compile(r"\s*(?:[,?]|$| (?:which|who|is|was|has|have|had|in the|for their)\b)")
_BEFORE = re.compile(r".*(?:, |: |\? |[Bb]etween )", re.DOTALL)
_INSIDE_NAMES = frozenset("of the and de la van von for in on to a &".split())
_QUESTION_WORDS = frozenset("which who what whose between are is was".split())
_COMPARING = frozenset(f"has:{word}" for word in ("first", "older", "younger", "earlier", "larger", "more"))
_MARKS = " ,.\"“”'"


@dataclass(frozen=True, slots=True)
class Offer:
    """One of the things compared, as the question writes it, and the paragraph about it if there is one."""

    text: str
    paragraph: Paragraph | None


def offers(asked: Asked, paragraphs: Sequence[Paragraph]) -> tuple[Offer, ...]:
    """The two things to choose from, or nothing if they cannot be found."""
    for joiner in _joiners(asked):
        for match in reversed(list(re.finditer(rf",?\s+{joiner}\s+", asked.text))):
            before, after = asked.text[: match.start()], asked.text[match.end() :]
            left = _titled(before, paragraphs, at_end=True) or _left(before)
            right = _titled(after, paragraphs, at_end=False) or _right(after)
            if left and right:
                return (Offer(left, _about(left, paragraphs)), Offer(right, _about(right, paragraphs)))
    return ()


def compared(asked: Asked, paragraphs: Sequence[Paragraph]) -> tuple[Paragraph, ...]:
    """The two paragraphs whose titles stand first in the question."""
    lowered = asked.text.lower()
    places: dict[int, Paragraph] = {}
    for paragraph in sorted(paragraphs, key=lambda one: -len(one.name)):
        at = lowered.find(paragraph.name.lower())
        if at >= 0 and not any(p <= at < p + len(one.name) for p, one in places.items()):
            places[at] = paragraph
    return tuple(places[at] for at in sorted(places))[:2]


def _joiners(asked: Asked) -> tuple[str, ...]:
    """Alternatives are joined by "and" only where they are compared: "between A and B which came first"."""
    comparing = asked.form & _COMPARING or re.search(r"\bbetween\b", asked.text, re.IGNORECASE)
    return ("or", "and") if comparing else ("or",)


def _titled(text: str, paragraphs: Sequence[Paragraph], *, at_end: bool) -> str:
    """The longest title with which the text ends or begins, as the text writes it."""
    plain = text.strip(_MARKS)
    padded = f" {plain.lower()} "
    stands = padded.endswith if at_end else padded.startswith
    longest = 0
    for paragraph in paragraphs:
        name = paragraph.name.lower()
        if stands(f" {name} ") and len(name) > longest:
            longest = len(name)
    if not longest:
        return ""
    return plain[-longest:] if at_end else plain[:longest]


def _left(text: str) -> str:
    """The run of capitalised words that ends the text."""
    words = _BEFORE.sub("", text).split()
    start = len(words)
    for place in range(len(words) - 1, -1, -1):
        word = words[place].strip("\"“”'(")
        if word[:1].isupper() or word[:1].isdigit():
            start = place
        elif word.lower() not in _INSIDE_NAMES:
            break
    start = min(start, max(len(words) - 1, 0))
    if start == 0 and len(words) > 1 and words[0].lower() in _QUESTION_WORDS:
        start = 1
    return " ".join(words[start:]).strip(_MARKS)


def _right(text: str) -> str:
    """The text up to a comma, the question mark or a verb."""
    text = re.sub(r"^(?:the|a) (?=[a-z])", "", text)
    end = _AFTER.search(text, 1)
    return (text[: end.start()] if end else text).strip(_MARKS)


def _about(text: str, paragraphs: Sequence[Paragraph]) -> Paragraph | None:
    lowered, own = text.lower(), set(content(text))
    tests: tuple[Callable[[Paragraph], bool], ...] = (
        lambda one: lowered in (one.name.lower(), one.title.lower(), one.subject.lower()),
        lambda one: bool(own) and own == one.name_stems,
        lambda one: bool(own) and own <= set(content(one.subject)),
        lambda one: one.name.lower() in lowered and len(one.name) * 2 > len(text),
    )
    return next((one for test in tests for one in paragraphs if test(one)), None)
