"""What could be the answer: the numbers of the sentences and cells that were found, and what they count.

    spots = candidates(units)
    spots[0].value, spots[0].unit.quote
    "For how many days did they get it?"    "... 250 mg/kg for 48 days ..."    250: no, 48: yes

Linear in the text; at most `_MOST` candidates of one unit are looked at. The thing that is counted stands
right behind "how many" and right behind its number (before the next one), or among the labels of its cell.
Where a question names no such thing, every number may be meant. `features` is what each is judged by, in the
order of `FEATURES`; the model was trained on these.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

import numpy as np

from quire.ask.answer_format import AnswerFormat
from quire.ask.offline.lexicon import STOP, stem, words_of
from quire.search.analyzer import stem_of, term_numbers, words
from quire.search.asked import UNITS, WANTS, read
from quire.text import NUMBER_WORDS
from quire.trees import Floats

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


FEATURES: tuple[str, ...] = (
    "rank", "score", "behind the best", "is a cell", "candidates", "asked near by", "asked around",
    "asked in the unit", "best of the unit", "in the question", "support", "row's label asked",
    "row's label said", "column's label asked", "column's label said", "labels behind the best",
    "caption asked", "place", "words of the question", "row asked", "neighbouring words", "codes asked",
    "decimals fit", "decimals", "size", "whole", "year", "percent", "after plus-minus", "in brackets",
    "after p", "after n", "unit fits", "unit missing", "counts what is asked", "spelled", "range",
    *(f"asks for a {want}" for want in WANTS),
)  # fmt: skip
_DECIMALS = re.compile(r"(\d) decimal")
_COUNTED = re.compile(r"(?i)\b(?:how many|number of)\s+((?:[^\W\d_]+\W+){1,4})")
_CODE = re.compile(r"\d")  # a word that names by a number: C-11, 65:30:5, 2007
_NEAR, _AROUND = 40, 90  # characters


def features(question: str, form: AnswerFormat, found: Sequence[Candidate]) -> Floats:
    """One row per candidate."""
    asked = _AskedFor(question, form, [candidate.unit for candidate in found])
    said = {(str(candidate.value).lower(), id(candidate.unit)) for candidate in found}
    support = Counter(value for value, _ in said)  # units that say it
    inside = Counter(id(candidate.unit) for candidate in found)
    shared = [_common(asked, each, support, inside) for each in found]
    labels = [row[11] + row[13] for row in shared]
    best = max(labels, default=0.0)
    for row, label in zip(shared, labels, strict=True):
        row[15] = label - best
    rows = [[*row, *_of_number(asked, each), *asked.wants] for row, each in zip(shared, found, strict=True)]
    return np.asarray(rows, dtype=np.float32).reshape(len(rows), len(FEATURES))


class _AskedFor:
    """The question, its words weighted by how rare they are among the units."""

    def __init__(self, question: str, form: AnswerFormat, units: Sequence[FoundUnit]) -> None:
        self.text = question
        self.asked = read(question)
        distinct = {id(unit): unit for unit in units}.values()
        self.terms = {
            id(unit): frozenset(term_numbers(f"{unit.quote} {unit.row_label} {unit.column_label}"))
            for unit in distinct
        }
        count = len(self.terms)
        seen = Counter(term for terms in self.terms.values() for term in terms)
        self.weights: Mapping[int, float] = {
            term: math.log(1 + (count + 0.5) / (seen[term] + 0.5)) for term in self.asked.terms
        }
        self.total = sum(self.weights.values()) or 1.0
        self.codes = {word for word in re.findall(r"[\w.-]+", question.lower()) if _CODE.search(word)}
        self.best = max((unit.score for unit in distinct), default=0.0)
        self.wants = [float(name in self.asked.wants) for name in WANTS]
        match = _DECIMALS.search(form.words)
        self.decimals = int(match[1]) if match else 0 if form.kind == "int" else None
        counted = _COUNTED.search(question)
        self.counted = {word.stem for word in words(counted[1])} if counted else set()

    def share(self, text: str) -> float:
        """The share of the question's words that a text says."""
        said = set(term_numbers(text))
        return sum(weight for term, weight in self.weights.items() if term in said) / self.total

    def share_of(self, text: str) -> float:
        """The share of a text's words that the question says."""
        said = set(term_numbers(text))
        return len(said.intersection(self.weights)) / len(said) if said else 0.0


def _common(
    asked: _AskedFor, candidate: Candidate, support: Counter[str], inside: Counter[int]
) -> list[float]:
    unit, text = candidate.unit, candidate.unit.quote
    before = text[max(0, candidate.start - _NEAR) : candidate.start]
    after = text[candidate.end : candidate.end + _NEAR]
    wide = (
        text[max(0, candidate.start - _AROUND) : candidate.start]
        + " "
        + text[candidate.end : candidate.end + _AROUND]
    )
    labels = f"{unit.row_label} {unit.column_label}"
    whole = f"{unit.whole or text} {labels}"
    numbers = term_numbers(whole)
    return [
        unit.rank,
        unit.score,
        unit.score - asked.best,
        float(unit.is_cell),
        min(inside[id(unit)], 40),
        asked.share(f"{before} {after}"),
        asked.share(wide),
        asked.share(f"{text} {labels}"),
        float(unit.rank == 0),
        float(str(candidate.value).lower() in asked.text.lower()),
        support[str(candidate.value).lower()],
        asked.share(unit.row_label),
        asked.share_of(unit.row_label),
        asked.share(unit.column_label),
        asked.share_of(unit.column_label),
        0.0,
        asked.share(unit.context),
        candidate.start / max(1, len(text)),
        len(asked.weights),
        asked.share(whole),
        len(asked.asked.pairs.intersection(zip(numbers, numbers[1:], strict=False)))
        / max(1, len(asked.asked.pairs)),
        len(asked.codes.intersection(re.findall(r"[\w.-]+", whole.lower()))) / max(1, len(asked.codes)),
    ]


def _of_number(asked: _AskedFor, candidate: Candidate) -> list[float]:
    text = candidate.unit.quote
    shown = text[candidate.start : candidate.end]
    before, after = text[: candidate.start], text[candidate.end :]
    decimals = len(shown.partition(".")[2])
    labels = f"{candidate.unit.column_label} {candidate.unit.row_label} {candidate.unit.unit}"
    # What follows another number is told of that one: 37 °C for 4 weeks.
    own = re.split(r"\d", after, maxsplit=1)[0]
    near = f"{shown}{own[:14]} {labels if candidate.unit.is_cell else before[-12:]}"
    units = asked.asked.units
    fitting = sum(bool(UNITS[name].search(near)) for name in units)
    following = {stem_of(word) for word in re.findall(r"[^\W\d_]+", own[:60])[:5]}
    if candidate.unit.is_cell:
        following |= {word.stem for word in words(labels)}
    value = float(candidate.value)
    return [
        float(asked.decimals == decimals) if asked.decimals is not None else 0.5,
        decimals,
        math.log10(abs(value) + 1e-3) if math.isfinite(value) else 0.0,
        float(value == int(value)) if abs(value) < 1e15 else 0.0,
        float(1900 <= value <= 2030 and value == int(value)),
        float(after[:2].strip().startswith("%")),
        float(before.rstrip().endswith(("\u00b1", "+/-"))),
        float(before[-1:] in "([" and after[:1] in ")]") if before and after else 0.0,
        float(bool(re.search(r"\b[pP]\s*[<=>\u2264]\s*$", before[-8:]))),
        float(bool(re.search(r"\b[nN]\s*=\s*$", before[-8:]))),
        fitting / len(units) if units else 0.0,
        float(bool(units) and not fitting),
        len(asked.counted & following) / len(asked.counted) if asked.counted else 0.0,
        float(candidate.spelled),
        float(before[-1:] in "-\u2013\u2014~" or after[:1] in "-\u2013\u2014~") if before or after else 0.0,
    ]
