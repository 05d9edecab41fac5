"""What could be the answer: numbers, names, phrases and clauses of the sentences and cells that were found.

    spots = candidates("number", units)
    spots[0].value, spots[0].unit.quote

Linear in the text; at most `_MOST` candidates of one unit are looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

_MOST = 60
_LONGEST = 7  # words of a phrase
_NUMBER = re.compile(
    r"(?<![\w.])[-\u2212+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,]*\w)|(?<![\w.])[-\u2212+]?\d+(?:\.\d+)?|\.\d+"
)
_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100, "twice": 2, "single": 1}
_SPELLED = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_TENS = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty)[- ](one|two|three|four|five|six|seven|eight|nine)\b", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\W_]+(?:[-'\u2019.&/+][^\W_]+)*|[^\w\s]")
_BREAK = frozenset(
    "the a an of in on at by to for from with and or as is are was were be been being it its this that these "
    "those which who whose we our they their he she i had has have did do does not no but than then so such "
    "both using used after before during between into over under while when where if also can could may "
    "might will would should however thus therefore because since per each all any some only".split()
)
_CLAUSE = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|since|in order to|so that|so as to|as a result of|caused by|"
    r"attributed to|explained by|reason (?:is|was|may be) that|thanks to|result of|to)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
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
    """A value and where it stands in its unit: characters `start` to `end` of its quote."""

    value: Any
    unit: Unit
    start: int
    end: int
    kind: str  # number, spelled, phrase, clause or whole
    tokens: tuple[str, ...] = field(default=())


def candidates(wanted: str, units: Sequence[Unit]) -> list[Candidate]:
    """All candidates for a number ("number") or a text ("text")."""
    take = _numbers if wanted == "number" else _texts
    found: list[Candidate] = []
    for unit in units:
        for count, each in enumerate(take(unit)):
            if count == _MOST:
                break
            found.append(each)
    return found


def number_of(text: str) -> int | float:
    """The number that a text spells: "1,024" is 1024."""
    bare = text.replace(",", "").replace("\u2212", "-")
    return float(bare) if "." in bare else int(bare)


def _numbers(unit: Unit) -> Iterator[Candidate]:
    for match in _NUMBER.finditer(unit.quote):
        if len(match[0]) <= 20:
            yield Candidate(number_of(match[0]), unit, match.start(), match.end(), "number")
    if unit.is_cell:
        return
    compound = {match.start(): match for match in _TENS.finditer(unit.quote)}
    for match in _SPELLED.finditer(unit.quote):
        if match.start() in compound:
            both = compound[match.start()]
            value = _WORDS[both[1].lower()] + _WORDS[both[2].lower()]
            yield Candidate(value, unit, both.start(), both.end(), "spelled")
        else:
            yield Candidate(_WORDS[match[0].lower()], unit, match.start(), match.end(), "spelled")


def _texts(unit: Unit) -> Iterator[Candidate]:
    text = unit.quote
    if unit.is_cell:
        yield Candidate(text, unit, 0, len(text), "whole")
        if unit.row_label:
            yield Candidate(unit.row_label.split(" > ")[-1], unit, 0, 0, "label")
        return
    yield Candidate(text, unit, 0, len(text), "whole")
    for match in _CLAUSE.finditer(text):
        rest = re.split(r"[.;](?:\s|$)", text[match.end() :], maxsplit=1)[0].strip(" ,.")
        if len(rest.split()) >= 2:
            start = text.find(rest, match.end())
            yield Candidate(rest, unit, start, start + len(rest), "clause")
    yield from _phrases(unit)


def _phrases(unit: Unit) -> Iterator[Candidate]:
    """Runs of words without a word that only joins, and capitalised runs inside them."""
    run: list[re.Match[str]] = []
    for match in [*_TOKEN.finditer(unit.quote), None]:
        if match is not None and match[0].lower() not in _BREAK and (match[0][0].isalnum()):
            run.append(match)
            continue
        if run and len(run) <= 2 * _LONGEST:
            yield from _parts(unit, run)
        run = []


def _parts(unit: Unit, run: Sequence[re.Match[str]]) -> Iterator[Candidate]:
    spans = {(0, len(run))}
    named = [n for n, match in enumerate(run) if any(c.isupper() or c.isdigit() for c in match[0])]
    if named and len(run) > 1:
        spans.add((named[0], named[-1] + 1))
    for at in range(1, min(len(run), 4)):
        spans.add((at, len(run)))
        spans.add((0, len(run) - at))
    for first, last in sorted(spans):
        if 0 < last - first <= _LONGEST:
            start, end = run[first].start(), run[last - 1].end()
            yield Candidate(unit.quote[start:end], unit, start, end, "phrase")
