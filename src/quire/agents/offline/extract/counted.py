"""Whether a number counts what a question asks the number of.

    "For how many days did they get it?"    "... 250 mg/kg for 48 days ..."    250: no, 48: yes

The thing that is counted stands right behind "how many" and right behind its number (before the next one), or
among the labels of its cell. Where a question names no such thing, every number may be meant.
"""

from __future__ import annotations

import re
from itertools import takewhile

from quire.agents.offline.extract.candidates import Candidate
from quire.agents.offline.question.lexicon import STOP
from quire.agents.offline.question.likeness import words_of
from quire.agents.offline.taking.sentences import root

_ASKED = re.compile(r"(?i)\b(?:how many|number of)\b")
_RATE = re.compile(r"(?i)(?:/|\bper\s)\s?\w{1,30}")  # "mg/day" counts no days
_NAMED = 4  # words behind "how many" that may name the thing
_BEHIND = 5  # words behind the number among which it is looked for
_WINDOW = 120  # characters


def counts_what_is_asked(question: str, candidate: Candidate) -> bool:
    """False only where the question names what is counted, and the number's own words do not."""
    match = _ASKED.search(question)
    if match is None:
        return True
    behind = words_of(question[match.end() : match.end() + _WINDOW])[:_NAMED]
    thing = {root(word) for word in takewhile(lambda word: word not in STOP, behind)}
    if not thing:
        return True
    unit = candidate.unit
    if unit.is_cell:
        labels = " ".join((unit.row_label, unit.column_label, unit.unit, unit.context))
        return not thing.isdisjoint(map(root, words_of(labels)))
    said = words_of(_RATE.sub(" ", unit.quote[candidate.end : candidate.end + _WINDOW]))[:_BEHIND]
    own = takewhile(lambda word: not word[0].isdigit(), said)
    return not thing.isdisjoint(map(root, own))
