"""Kinds of answers, told from how an answer is written and from its question.

A remembered answer has no paragraphs, so only its own form can say what it was: "yes", a year, a date, a
count, one of the things the question offered, a people's adjective, a person by the given name, a place or a
group by its last word, any other name, a phrase in small letters. Limits: a person or place outside the
short lists of `gazetteer` is a "name"; that something is a work cannot be seen from outside, so a remembered
"name" may have been one.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

from quire.tasks.offline.hotpotqa import gazetteer
from quire.tasks.offline.hotpotqa.words import FUNCTION

Kind = Literal[
    "verdict",
    "offered",
    "year",
    "date",
    "count",
    "people",
    "person",
    "place",
    "group",
    "work",
    "name",
    "phrase",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

MONTHS = "January February March April May June July August September October November December".split()
MONTH = f"(?:{'|'.join(MONTHS)})"
NUMBER_WORDS = frozenset(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen twenty "
    "thirty forty fifty sixty hundred thousand million dozen".split()
)
_DATE = re.compile(rf"\b{MONTH}\b,? ?\d|\d {MONTH}\b|^{MONTH}(?: and {MONTH})?$")
_YEAR = re.compile(
    r"(?:from |between )?(?:c\. ?|circa )?[12]\d{3}s?"
    r"(?:\s*(?:–|-|to|until|and)\s*(?:[12]\d{3}|\d\d|present))?"
)
_COUNT = re.compile(
    r"(?:about |over |approximately |more than |\$|£|€)?\d[\d,.]*(?:st|nd|rd|th|%)?(?:[ –-][^A-Z]*)?"
)
_PEOPLE = re.compile(
    r"[A-Z][a-z]+(?:ian|ean|ican|ish|nese|ench|utch|wiss|reek|elsh|erman|aeli|aqi|ani|zech|rab)"
)


def kind_of(answer: str, question: str) -> Kind:
    """The kind of an answer to this question."""
    text = answer.strip(" .,\"“”'")
    lowered = text.lower()
    if lowered in ("yes", "no"):
        return "verdict"
    if lowered and lowered in question.lower() and re.search(r"\bor\b", question):
        return "offered"
    return written(text)


def written(text: str) -> Kind:
    """The kind that the writing alone tells."""
    words = text.split()
    if _DATE.search(text) and len(words) <= 6:
        return "date"
    if _YEAR.fullmatch(text):
        return "year"
    if words and (_COUNT.fullmatch(text) or words[0].lower() in NUMBER_WORDS and not words[-1][0].isupper()):
        return "count"
    if _PEOPLE.fullmatch(text):
        return "people"
    capitals = sum(word[0].isupper() for word in words)
    meaning = sum(word.lower() not in FUNCTION for word in words)
    return _named(words, text) if capitals and 2 * capitals >= meaning else "phrase"


def _named(words: list[str], text: str) -> Kind:
    last = words[-1].lower().strip(".,")
    if (len(words) > 1 and last in gazetteer.GROUP_ENDINGS) or words[0] in ("University", "Bank", "College"):
        return "group"
    if _is_place(words, text.lower(), last):
        return "place"
    if len(words) <= 5 and words[0].lower() in gazetteer.GIVEN_NAMES and words[-1][0].isupper():
        return "person"
    return "person" if re.match(r"(?:[A-Z]\. ?)+[A-Z]\w+$", text) else "name"


def _is_place(words: list[str], lowered: str, last: str) -> bool:
    if lowered in gazetteer.PLACES or lowered in gazetteer.COUNTRIES:
        return True
    if len(words) > 1 and last in gazetteer.PLACE_ENDINGS:
        return True
    region = lowered.rpartition(", ")[2] if ", " in lowered else ""
    return region in gazetteer.COUNTRIES or region in gazetteer.PLACES
