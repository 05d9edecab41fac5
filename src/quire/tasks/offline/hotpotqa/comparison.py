"""Comparing two things by what their paragraphs say: dates, numbers, shared properties.

`choose` picks the offered thing that a comparative asks for (older, first, more, taller), or the one whose
paragraph says more of what the question says. `verdict` answers yes if both paragraphs say it, or if the two
have the asked property (nationality, year, country, ...) in common. Limits: one date and one number per
thing, and no inference ("born in Paris" is not "French").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from quire.tasks.offline.hotpotqa.asked import Asked
from quire.tasks.offline.hotpotqa.kinds import MONTH, MONTHS, written
from quire.tasks.offline.hotpotqa.offers import Offer
from quire.tasks.offline.hotpotqa.passages import Paragraph, Sentence
from quire.tasks.offline.hotpotqa.words import content, stem

_EARLY = frozenset("older oldest first earlier earliest before sooner".split())
_LATE = frozenset("younger youngest later latest newer newest recently last after".split())
_MUCH = frozenset("more most larger largest bigger biggest greater greatest wider".split())
_FAR = frozenset("taller tallest higher highest longer longest".split())
_LITTLE = frozenset("fewer fewest less least smaller smallest lower lowest shorter shortest".split())
_LENGTHS = frozenset("m ft feet metres meters km miles mi kilometres kilometers".split())
_PLACES = frozenset("country state city county province".split())
_NATIONS = frozenset("nationality nationalities".split())
_COMPARING = frozenset(
    stem(word)
    for word in _EARLY | _LATE | _MUCH | _FAR | _LITTLE | frozenset("both same two either compared".split())
)
_YEAR = re.compile(r"\b(1\d{3}|20\d\d)\b")
_FULL_DATE = re.compile(rf"(?:(\d{{1,2}}) )?({MONTH})(?: (\d{{1,2}}),?)? (1\d{{3}}|20\d\d)\b")
_NUMBERS = {
    word: float(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}


def choose(asked: Asked, offered: Sequence[Offer]) -> Offer:
    """The offer that fits the question best; the first where nothing tells them apart."""
    words = _words(asked)
    for signs, measure, sign in _MEASURES:
        if words & signs:
            values = [measure(asked, one.paragraph) if one.paragraph else None for one in offered]
            known = [value for value in values if value is not None]
            if len(known) == len(offered) and len(set(known)) > 1:
                return offered[max(range(len(known)), key=lambda n: sign * known[n])]
    said = _predicate(asked, [one.text for one in offered])
    told = [_told(said, one.paragraph) for one in offered]
    return offered[told.index(max(told))]


def verdict(asked: Asked, things: Sequence[Paragraph]) -> str:
    """`yes` or `no`; with fewer than two paragraphs the usual answer to that form."""
    same = "has:same" in asked.form
    if len(things) < 2:
        return "no" if same else "yes"
    if same:
        return "yes" if _have_in_common(asked, things) else "no"
    said = _predicate(asked, [one.name for one in things])
    return "yes" if all(_told(said, one) >= 0.5 for one in things) else "no"


def _words(asked: Asked) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", asked.text.lower()))


def _predicate(asked: Asked, names: Sequence[str]) -> frozenset[str]:
    """What the question says of the things, without their names."""
    return asked.stems - {one for name in names for one in content(name)} - _COMPARING


def _told(said: frozenset[str], paragraph: Paragraph | None) -> float:
    return len(said & paragraph.stems) / len(said) if paragraph and said else 0.0


def _have_in_common(asked: Asked, things: Sequence[Paragraph]) -> bool:
    words = _words(asked)
    if words & {"year", "time"}:
        dates = [_date(asked, one) for one in things]
        years = {int(date) for date in dates if date is not None}
        return None not in dates and len(years) == 1
    wanted = {"people"} if words & _NATIONS else {"place", "people"} if words & _PLACES else set[str]()
    if not wanted:
        return bool(frozenset.intersection(*(frozenset(content(one.nature)) for one in things)))
    return bool(frozenset.intersection(*(_mentioned(one, wanted) for one in things)))


def _mentioned(paragraph: Paragraph, kinds: set[str]) -> frozenset[str]:
    words = (token.text for sentence in paragraph.sentences for token in sentence.tokens if token.capital)
    return frozenset(word for word in words if written(word) in kinds)


def _date(asked: Asked, paragraph: Paragraph) -> float | None:
    """The paragraph's first date as a year with a fraction: birth, release, founding."""
    year = _YEAR.search(paragraph.text)
    full = _FULL_DATE.search(paragraph.text)
    if full and year and full.start() <= year.start() <= full.end():
        day = int(full[1] or full[3] or 1)
        return int(full[4]) + (MONTHS.index(full[2]) * 31 + day) / 400
    return float(year[1]) if year else None


def _amount(asked: Asked, paragraph: Paragraph) -> float | None:
    """The number that stands among most of the question's words, the largest of those."""
    found = [pair for sentence in paragraph.sentences for pair in _numbers(asked, sentence)]
    return max(found)[1] if found else None


def _extent(asked: Asked, paragraph: Paragraph) -> float | None:
    """The same among numbers with a unit of length."""
    found = [pair for one in paragraph.sentences for pair in _numbers(asked, one, _LENGTHS)]
    return max(found)[1] if found else None


def _numbers(
    asked: Asked, sentence: Sentence, units: frozenset[str] = frozenset()
) -> list[tuple[int, float]]:
    found = []
    for place, token in enumerate(sentence.tokens):
        value = _number(token.text)
        after = {word.text.lower() for word in sentence.tokens[place + 1 : place + 2]}
        if value is not None and (not units or units & after):
            around = frozenset(sentence.stem_at[max(0, place - 3) : place + 5])
            found.append((len(around & asked.stems), value))
    return found


def _number(text: str) -> float | None:
    if text.lower() in _NUMBERS:
        return _NUMBERS[text.lower()]
    plain = text.replace(",", "")
    return float(plain) if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", plain) and not _YEAR.fullmatch(text) else None


_MEASURES: tuple[tuple[frozenset[str], Callable[[Asked, Paragraph], float | None], int], ...] = (
    (_EARLY, _date, -1),
    (_LATE, _date, 1),
    (_FAR, _extent, 1),
    (_MUCH, _amount, 1),
    (_LITTLE, _amount, -1),
)
