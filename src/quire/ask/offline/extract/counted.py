"""Whether a number counts what a question asks the number of.

    "For how many days did they get it?"    "... 250 mg/kg for 48 days ..."    250: no, 48: yes

The thing that is counted stands right behind "how many" and right behind its number (before the next one), or
among the labels of its cell. Where a question names no such thing, every number may be meant.
"""

from __future__ import annotations

import re
from itertools import takewhile

from quire.ask.offline.extract.candidates import Candidate
from quire.ask.offline.lexicon import STOP, stem, words_of

_ASKED = re.compile(r"(?i)\b(?:how many|number of)\b")
_RATE = re.compile(r"(?i)(?:/|\bper\s)\s?\w{1,30}")  # "mg/day" counts no days
_NAMED = 4  # words behind "how many" that may name the thing
_BEHIND = 5  # words behind the number among which it is looked for
_WINDOW = 120  # characters


def counted_in(question: str) -> set[str]:
    """Stems of the words that name what a question asks the number of."""
    match = _ASKED.search(question)
    behind = words_of(question[match.end() : match.end() + _WINDOW])[:_NAMED] if match else []
    return {stem(word) for word in takewhile(lambda word: word not in STOP, behind)}


def counts_what_is_asked(question: str, candidate: Candidate) -> bool:
    """False only where the question names what is counted, and the number's own words do not."""
    thing = counted_in(question)
    if not thing:
        return True
    unit = candidate.unit
    if unit.is_cell:
        labels = " ".join((unit.row_label, unit.column_label, unit.unit, unit.context))
        return not thing.isdisjoint(map(stem, words_of(labels)))
    said = words_of(_RATE.sub(" ", unit.quote[candidate.end : candidate.end + _WINDOW]))[:_BEHIND]
    own = takewhile(lambda word: not word[0].isdigit(), said)
    return not thing.isdisjoint(map(stem, own))
