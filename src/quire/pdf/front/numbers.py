"""Volume, issue and pages from the short citation that a paper prints of itself, in the orders of journals.

read_numbers(["J Clin Exp Dent. 2016;8(3):e230-5."])    # Numbers("8", "3", "e230", "e235"), [0]

What most of the lines say counts, the fullest first; page numbers of single pages ("230") are none of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_YEAR = r"(?:19|20)\d\d"
_V = r"(?P<volume>[A-Z]?\d{1,4})"
_I = r"(?:\s?\((?P<issue>(?!(?:19|20)\d\d\))(?:[Ss]uppl\.?\s?)?[\w/–-]{1,9}(?:\s[Ss]uppl\.?\s?\d{0,2})?)\))?"
_P = (
    r"(?P<first>[A-Za-z]{0,8}\.?\d[\d.]{0,12})(?![\w/])"
    r"(?:\s?[–—-]\s?(?P<last>[A-Za-z]{0,4}\d{1,7}))?(?![\w/])"
)
_NO = r"(?:[Ii]ssue|[Nn]o|[Nn]umber|[Nn]r|N°|Heft)"
_PP = r"(?:pp?\s?[.:]{0,2}|[Pp]ages?:?|[Aa]rticle(?:\s(?:ID|[Nn]o\.?|[Nn]umber))?:?|[Ss]\.)"
_FORMS = [
    re.compile(form)
    for form in (
        rf"(?<!\d){_YEAR}\)?\s?[;,:.]?\s?(?:[A-Z][a-z]{{2,8}}\s?(?:\d{{1,2}})?[;,]\s?)?(?:[Vv]ol(?:\.|ume)?\s)?{_V}{_I}\s?[:,]\s?(?:{_PP}\s?)?{_P}",
        rf"(?<!\d){_YEAR}\s?[;,]\s?{_V}{_I}\s?[:,]\s?{_P}",
        rf"\({_YEAR}\)\s?{_V}{_I}\s?[:,\s]\s?(?:{_PP}\s?)?{_P}",
        rf"(?<![\w.-]){_V}{_I}\s?\({_YEAR}\)\s?[:,]?\s?(?:{_PP}\s?)?{_P}",
        rf"[Vv](?:ol(?:ume|\.)?|OL(?:UME|\.)?)\s?{_V}(?![\w-])(?:[\s,.|;:•·(–-]{{1,4}}{_NO}[.:]{{0,2}}\s?(?P<issue>\d{{1,4}}(?:[-–/]\d{{1,3}})?)\)?)?"
        rf"(?:[\s,.|;:•·(]{{1,4}}(?:{_YEAR}\)?[,:|\s]{{1,3}})?(?:{_PP}\s?|(?=e\d{{4}})){_P})?",
        rf",\s{_V},\s{_P},\s(?:[A-Z][a-z]+\.?\s)?{_YEAR}",
        rf"(?:\||:)\s?{_V}{_I}\s?:\s?{_P}\s?(?:\||$)",
        rf"(?<![\w.]){_V}\((?P<issue>\d{{1,3}})\)\s?:\s?{_P}",
        rf"(?<=\.\s){_V}:{_P}\.?(?:\s?doi|\s*$)",
    )
]
_NONE = re.compile(r"^(?:10|[A-Z]?0)$")


class Numbers(NamedTuple):
    """Volume, issue, first page (or the article's number) and last page; "" where they are not told."""

    volume: str = ""
    issue: str = ""
    first: str = ""
    last: str = ""


def read_numbers(lines: Sequence[str]) -> tuple[Numbers, list[int]]:
    """What most lines say, and which of them (their numbers) say it."""
    said: list[tuple[Numbers, int]] = []
    for number, line in enumerate(lines):
        for form in _FORMS:
            match = form.search(line)
            if match is None:
                continue
            got = match.groupdict()
            first, last = ((got.get(name) or "").strip(".") for name in ("first", "last"))
            said.append(
                (Numbers(got["volume"], got.get("issue") or "", first, _in_full(first, last)), number)
            )
            break
    if not said:
        return Numbers(), []
    votes: Counter[str] = Counter()
    for found, _ in said:
        votes[found.volume] += 1 + bool(found.first)
    volume = max(votes, key=lambda each: votes[each])
    own = [(found, number) for found, number in said if found.volume == volume]
    parts = []
    for name in ("issue", "first", "last"):
        told = Counter(getattr(found, name) for found, _ in own if getattr(found, name))
        parts.append(told.most_common(1)[0][0] if told else "")
    if parts[2] and not any((found.first, found.last) == (parts[1], parts[2]) for found, _ in own):
        parts[2] = ""
    return Numbers(volume, *parts), [number for _, number in own]


def _in_full(first: str, last: str) -> str:
    """The last page with what a short form leaves out: e235 of e230-5."""
    head = re.match(r"\D*", first)
    letters, digits = (head[0] if head else ""), first[len(head[0]) if head else 0 :]
    if last.isdigit() and digits.isdigit():
        if len(last) < len(digits):
            last = digits[: len(digits) - len(last)] + last
        return letters + last
    return last
