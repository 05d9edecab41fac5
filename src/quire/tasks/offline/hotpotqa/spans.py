"""Stretches of a sentence that could be an answer, as characters from start to before end.

Names are runs of capitalised words, also their parts ("Treaty of Trianon" and "Trianon") and with "The" or a
region ("Hilo, Hawaii"); times and quotations come from patterns; counts are numbers with up to two
words; phrases are the ends of runs of small words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from quire.tasks.offline.hotpotqa.kinds import MONTH, NUMBER_WORDS
from quire.tasks.offline.hotpotqa.passages import Sentence
from quire.tasks.offline.hotpotqa.words import FUNCTION, Token

_JOINERS = frozenset("of the and & de la le del di da von van der for".split())
_PARTING = frozenset("and & of for 's ’s".split())
_NO_NAME = frozenset(
    "The A An In On At It He She They This His Her Its Their There These Those After Before During When "
    "While As With For From By And But Since Although Both Other Some Many Most Also However Under Until "
    "To Of One That Which Who If Not Born".split()
)
_EMPTY = FUNCTION | frozenset("known based born located used found made called named considered".split())
_TIME = re.compile(
    rf"\b(?:\d{{1,2}} )?{MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?,?)?(?: [12]\d{{3}})?\b"
    r"|\b(?:from |between )?[12]\d{3}s?(?:(?:–|-| to | until | and )(?:[12]\d{3}|\d\d|present))?\b"
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{2,80})[\"”]")
_REGION = re.compile(
    r"[A-Z][\w'’.-]+(?: (?:(?:of|de|la) )?[A-Z][\w'’.-]+)*"
    r"(?:, [A-Z][\w'’-]+(?:\.[A-Z]\.)?(?: [A-Z][\w'’-]+)*){1,2}"
)
_LONGEST_NAME, _LONGEST_PHRASE = 9, 4
Span = tuple[int, int]


def spans(sentence: Sentence) -> Iterator[Span]:
    """All stretches, some of them more than once."""
    yield from _names(sentence.tokens)
    yield from _with_region(sentence.text)
    yield from (match.span() for match in _TIME.finditer(sentence.text))
    yield from (match.span(1) for match in _QUOTED.finditer(sentence.text))
    yield from _counts(sentence.tokens)
    yield from _phrases(sentence.tokens)


def _names(words: Sequence[Token]) -> Iterator[Span]:
    at = 0
    while at < len(words):
        if words[at].capital and words[at].text not in _NO_NAME:
            end = _end_of_name(words, at)
            yield from _parts(words, at, end)
            at = end
        else:
            at += 1


def _end_of_name(words: Sequence[Token], at: int) -> int:
    end = at + 1
    while end < len(words) and end - at < _LONGEST_NAME:
        text = words[end].text
        if words[end].capital or (text[0].isdigit() and len(text) < 4):
            end += 1
            continue
        ahead = end + 1
        while ahead < min(end + 3, len(words)) and words[ahead].text.lower() in _JOINERS:
            ahead += 1
        joins = text in ("'s", "’s") or text.lower() in _JOINERS
        if not joins or ahead >= len(words) or not words[ahead].capital:
            break
        end = ahead + 1
    return end


def _parts(words: Sequence[Token], at: int, end: int) -> Iterator[Span]:
    """The whole name, its pieces between joining words, and the name with its article."""
    yield words[at].start, words[end - 1].end
    start = at
    for place in range(at, end):
        if words[place].text.lower() in _PARTING:
            if place > start:
                yield words[start].start, words[place - 1].end
            start = place + 1
            while start < end and words[start].text.lower() in _JOINERS:
                start += 1
    if at < start < end:
        yield words[start].start, words[end - 1].end
    if at and words[at - 1].text == "The":
        yield words[at - 1].start, words[end - 1].end


def _with_region(text: str) -> Iterator[Span]:
    for match in _REGION.finditer(text):
        yield match.span()
        if match[0].count(", ") > 1:
            yield match.start(), match.start() + match[0].rfind(", ")


def _counts(words: Sequence[Token]) -> Iterator[Span]:
    for place, token in enumerate(words):
        if not (token.text[0].isdigit() or token.text.lower() in NUMBER_WORDS):
            continue
        yield token.start, token.end
        for following in words[place + 1 : place + 3]:
            if not following.text[0].isalpha() or following.text.lower() in FUNCTION:
                break
            yield token.start, following.end


def _phrases(words: Sequence[Token]) -> Iterator[Span]:
    start = None
    for place, token in enumerate([*words, Token(".", 0, 0)]):
        inside = token.text[0].isalpha() and token.text.lower() not in _EMPTY
        if inside and start is None:
            start = place
        ends = not inside or (token.text.islower() and token.text.endswith("ed"))
        if ends and start is not None:
            if place > start and not words[place - 1].capital:
                for first in range(max(start, place - _LONGEST_PHRASE), place):
                    yield words[first].start, words[place - 1].end
            start = start if inside else None
