"""What could be the answer: the numbers of the sentences and cells that were found, and what they count.

    spots = candidates(units)
    spots[0].value, spots[0].unit.quote
    "For how many days did they get it?"    "... 250 mg/kg for 48 days ..."    250: no, 48: yes

Linear in the text; at most `_MOST` candidates of one unit are looked at. The thing that is counted stands
right behind "how many" and right behind its number (before the next one), or among the labels of its cell.
Where a question names no such thing, every number may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from quire.ask.offline.lexicon import STOP, stem, words_of
from quire.text import NUMBER_WORDS

_MOST = 60
_NUMBER = re.compile(
    r"(?<![\w.])[-\u2212+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]{0,40}\w)|(?<![\w.])[-\u2212+]?\d+(?:\.\d+)?|\.\d+"
)
_WORDS = NUMBER_WORDS | {"twice": 2, "single": 1}
_LABEL = re.compile(
    r"(?i)\b(?:tables?|figs?|figures?|sections?|eqs?|equations?|refs?|references?|appendix|algorithm)\.?\s?\(?$"
)
_SPELLED = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_TENS = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty)[- ](one|two|three|four|five|six|seven|eight|nine)\b", re.IGNORECASE
)

_ASKED = re.compile(r"(?i)\b(?:how many|number of)\b")
_RATE = re.compile(r"(?i)(?:/|\bper\s)\s?\w{1,30}")  # "mg/day" counts no days
# The share that follows a count, "26 (14.6%)" or "26/178 (14.6%)".
SHARE = re.compile(r"(?:\s?/\s?\d[\d,]{0,20})?\s?\(\s?\d{1,20}(?:\.\d{1,20})?\s?%\s?\)")
_NAMED = 4  # words behind "how many" that may name the thing
_BEHIND = 5  # words behind the number among which it is looked for
_WINDOW = 120  # characters


@dataclass(frozen=True, slots=True)
class FoundUnit:
    """A sentence, caption or cell as it was found: `rank` counts from 0, `score` is the search's.

    A cell has the labels of its row and column, and its table's caption as `context`.
    """

    quote: str
    rank: int
    score: float
    page: int
    paper: str
    key: str
    table: str
    box: tuple[float, ...] = ()
    row_label: str = ""
    column_label: str = ""
    context: str = ""
    unit: str = ""
    whole: str = ""  # what is quoted for it, where that is more than `quote`

    @property
    def is_cell(self) -> bool:
        """Whether it is a cell of a table."""
        return self.table == "cells"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A number and where it stands in its unit: characters `start` to `end` of its quote."""

    value: int | float
    unit: FoundUnit
    start: int
    end: int
    spelled: bool = False


def candidates(units: Sequence[FoundUnit]) -> list[Candidate]:
    """All numbers, in figures or words, but those that name a table, a figure or the like."""
    return [each for unit in units for each in islice(_numbers(unit), _MOST)]


def number_of(text: str) -> int | float:
    """The number that a text spells: "1,024" is 1024."""
    bare = text.replace(",", "").replace("\u2212", "-")
    return float(bare) if "." in bare else int(bare)


def _numbers(unit: FoundUnit) -> Iterator[Candidate]:
    for match in _NUMBER.finditer(unit.quote):
        if len(match[0]) <= 20 and not _LABEL.search(unit.quote, max(0, match.start() - 14), match.start()):
            yield Candidate(number_of(match[0]), unit, match.start(), match.end())
    if unit.is_cell:
        return
    compound = {match.start(): match for match in _TENS.finditer(unit.quote)}
    for match in _SPELLED.finditer(unit.quote):
        if match.start() in compound:
            both = compound[match.start()]
            value = _WORDS[both[1].lower()] + _WORDS[both[2].lower()]
            yield Candidate(value, unit, both.start(), both.end(), True)
        else:
            yield Candidate(_WORDS[match[0].lower()], unit, match.start(), match.end(), True)


def counted_in(question: str) -> set[str]:
    """Stems of the words that name what a question asks the number of."""
    match = _ASKED.search(question)
    behind = words_of(question[match.end() : match.end() + _WINDOW])[:_NAMED] if match else []
    return {stem(word) for word in takewhile(lambda word: word not in STOP, behind)}


def behind(candidate: Candidate, most: int) -> str:
    """So many characters behind a number, but for the share in brackets that a count has."""
    quote, end = candidate.unit.quote, candidate.end
    share = SHARE.match(quote, end)
    return quote[share.end() if share else end :][:most]


def as_count(question: str, candidate: Candidate, others: Sequence[Candidate]) -> Candidate:
    """Where a count is asked and this is the share behind one, "26 (14.6%)", that count."""
    if not counted_in(question):
        return candidate
    counts = (each for each in others if each.unit is candidate.unit and each.end <= candidate.start)
    shares = ((each, SHARE.match(each.unit.quote, each.end)) for each in counts)
    return next((each for each, share in shares if share and share.end() > candidate.end), candidate)


def counts_what_is_asked(question: str, candidate: Candidate) -> bool:
    """False only where the question names what is counted, and the number's own words do not."""
    thing = counted_in(question)
    if not thing:
        return True
    unit = candidate.unit
    if unit.is_cell:
        labels = " ".join((unit.row_label, unit.column_label, unit.unit, unit.context))
        return not thing.isdisjoint(map(stem, words_of(labels)))
    said = words_of(_RATE.sub(" ", behind(candidate, _WINDOW)))[:_BEHIND]
    own = takewhile(lambda word: not word[0].isdigit(), said)
    return not thing.isdisjoint(map(stem, own))
