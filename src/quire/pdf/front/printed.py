"""What the first and last pages print of a paper: dates, publisher and licence, each with its place.

    printed = FrontLines(pages, first=1)
    list(read_dates(printed))     # [(Place(..., "received", "Received: 3 May 2020"), date(2020, 5, 3)), ...]
    list(read_rights(printed))    # [(Place(..., "licence", "CC BY 4.0"), "CC BY 4.0"), ...]

The lines are one text, in which what is found knows its place. A date is taken only where day, month and year
are printed. Days and months in numbers alone are read day first, unless that is impossible.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import accumulate
from typing import Any

from quire.pdf.geometry import around
from quire.pdf.joining import tidy
from quire.pdf.layout.blocks import box_of, sure_of_own
from quire.pdf.layout.rows import Row
from quire.pdf.raw import Line, RawPage
from quire.types import Box, Place

_FRONT, _BACK = 2, 3  # pages at the beginning and at the end
Said = tuple[Place, Any]
"""Where a field of the metadata is told (the place names it), and its value."""


# of the fields whose rows have a label
_LABELS = {"title": "title", "authors": "author", "abstract": "abstract", "affiliations": "affiliation"}


def placed(field: str, rows: Sequence[Row], text: str) -> Place:
    """The place of rows, as far as they stand in the column of the first."""
    sure = sure_of_own(rows, (_LABELS[field],)) if field in _LABELS else None
    return Place(rows[0].page, box_of(rows), field, text, confidence=sure)


def lines_beside(pages: Sequence[RawPage], hidden: Iterable[Row]) -> list[tuple[RawPage, Line]]:
    """The lines of pages that are no pieces of these rows, in the order of the file."""
    gone = defaultdict[int, list[Line]](list)
    for row in hidden:
        gone[row.page].append(row.line)
    return [
        (page, line)
        for page in pages
        for line in page.lines
        if not any(covers(own, line) for own in gone[page.number])
    ]


class FrontLines:
    """The first two and last three pages, line by line in the order of the file."""

    def __init__(self, pages: Sequence[RawPage], first: int, hidden: Sequence[Row] = ()) -> None:
        """Read on from page `first`; hidden rows are left out."""
        own = [page for page in pages if page.number >= first]
        chosen = own[:_FRONT] + own[max(_FRONT, len(own) - _BACK) :]
        self.lines = [(page.number, line) for page, line in lines_beside(chosen, hidden)]
        self._starts = list(accumulate((len(line.text) + 1 for _, line in self.lines), initial=0))
        self.text = "\n".join(line.text for _, line in self.lines)

    def find(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """All matches in the order of the file."""
        return pattern.finditer(self.text)

    def place(self, field: str, start: int, end: int) -> Place:
        """The place of a stretch of the text: its lines on the page where it begins."""
        first = bisect.bisect_right(self._starts, start) - 1
        last = max(first, bisect.bisect_left(self._starts, end) - 1)
        page = self.lines[first][0]
        box = Box.from_edges(*around(line for number, line in self.lines[first : last + 1] if number == page))
        return Place(page, box, field, tidy(" ".join(self.text[start:end].split())))


def covers(own: Line, line: Line) -> bool:
    """Whether a line of a page is a piece of a row's."""
    level = abs(own.baseline - line.baseline) < 1
    return level and own.x0 - 1 <= line.x0 and line.x1 <= own.x1 + 1


_NAMES = (
    "jan jän ene", "feb fev fév", "mar mär", "apr avr abr", "may mai mayo maj", "jun juin", "jul juil",
    "aug ago aoû aou", "sep set", "oct okt out", "nov", "dec dez déc dic",
)  # fmt: skip
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()}
_NAME = r"(?P<{0}>[^\W\d_]{{3,10}})\.?"
_DAY = r"(?P<{0}>[0-3]?\d)(?:\s?(?:st|nd|rd|th)\b)?\.?"
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_DATE = "|".join(
    (
        rf"{_DAY.format('d1')}[\s-]{{0,2}}(?:of\s|de\s)?{_NAME.format('m1')}(?:\sde)?[\s,-]{{1,2}}{_YEAR.format('y1')}",
        rf"{_NAME.format('m2')}\s?{_DAY.format('d2')}\s?,?\s?{_YEAR.format('y2')}",
        rf"{_YEAR.format('y3')}[-/.\s](?P<m3>[01]?\d|[^\W\d_]{{3,9}})[-/.\s](?P<d3>[0-3]?\d)(?!\d)",
        r"(?P<d4>[0-3]?\d)[./-](?P<m4>[0-3]?\d)[./-](?P<y4>(?:19|20)\d\d)",
    )
)
_BEHIND = r"(?: (?:on|for publication|in (?:final|revised) form))?\s{0,2}[:;,.]?\s{0,3}(?:on\s)?"
_WORDS = {
    "received": r"(?:received|submitted|submission date|date of (?:receipt|submission)|recibido|"
    r"eingegangen|recebido|reçu)(?! in revised)",
    "accepted": r"(?:accepted|acceptance(?: date)?|date of acceptance|aceptado|aceito|angenommen|"
    r"accepté)",
    "published": r"(?:(?:first |version of record |date of )?(?:published|publication)"
    r"(?: date)?(?:\s{0,3}[-,:]?\s{0,3}online)?|available online|epub(?: ahead of print)?|"
    r"online (?:publication|since)|publicado|veröffentlicht)",
}
_PATTERNS = {
    field: re.compile(
        rf"(?<![^\W\d_]){word}{_BEHIND}".replace(" ", r"\s{1,3}") + f"(?:{_DATE})", re.IGNORECASE
    )
    for field, word in _WORDS.items()
}


def read_dates(printed: FrontLines) -> Iterator[Said]:
    """The first of each kind; of days of publication the earliest."""
    for field, pattern in _PATTERNS.items():
        dated = [(when, match) for match in printed.find(pattern) if (when := _date(match))]
        if dated:
            when, match = min(dated, key=lambda one: one[0]) if field == "published" else dated[0]
            yield printed.place(field, *match.span()), when


def _date(match: re.Match[str]) -> date | None:
    got = match.groupdict()
    form = next(number for number in "1234" if got[f"y{number}"])
    year, named, day = int(got[f"y{form}"]), got[f"m{form}"].lower(), int(got[f"d{form}"])
    month = int(named) if named.isdecimal() else _MONTHS.get(named[:4], _MONTHS.get(named[:3], 0))
    if form == "4" and month > 12:
        day, month = month, day
    try:
        return date(year, month, day)
    except ValueError:
        return None


_HOUSE = (  # "published by Lukic et al." and "Participating genes" are none
    r"(?P<house>[A-Z][\w&.’'-]*+(?:(?<!\w{3}\.)\s[A-Z&][\w&.’'-]*+){0,5}+)"
    r"(?! (?!(?:on|under|in|for|and|as)\b)[a-z])"
)
_PUBLISHERS = (
    re.compile(rf"\b(?:[Pp]ublished\sby|[Ll]icensee:?|[Ee]xclusive\s[Ll]icensee)\s+{_HOUSE}"),
    re.compile(rf"^[Pp]ublisher:\s{_HOUSE}", re.MULTILINE),
    re.compile(
        r"©\s?(?:(?:19|20)\d\d,?\s)?(?P<house>[A-Z][\w&.’'-]*(?:\s[A-Z&][\w&.’'-]*){0,5}\s"
        r"(?:Press|Publish(?:ing|ers?)|Verlag|Ltd|Inc|Wilkins|Sons|Corporation|GmbH|B\.V|Media)\b[^\n.;,]{0,30})"
    ),
    re.compile(
        r"^(?P<house>[A-Z][\w&’'-]*(?: [A-Z&][\w&’'-]*){0,4} (?:Publishing|Press|Publishers)"
        r"(?: [A-Z]\w+){0,2})$",
        re.MULTILINE,
    ),
)
_ENDS = re.compile(r"\s(?:on\sbehalf|under|This|All|Open|in\s|for\s|and\s(?:distrib|is)).*$", re.DOTALL)
_FORM = re.compile(r"^(?:Ltd|Inc|Co|Corp|[A-Z]|(?:[A-Z]\.)+[A-Z]?)\.$")
_CC = re.compile(r"creative\s{0,2}-?\s?commons|\bCC[\s-]?(?:BY|0)\b|creativecommons\.org", re.IGNORECASE)
_KIND = re.compile(
    r"\bCC[\s-]?(BY(?:[\s-](?:NC|ND|SA)){0,2})\b[\s-]?(\d\.\d)?|licenses/(by(?:-(?:nc|nd|sa)){0,2})/(\d\.\d)",
    re.IGNORECASE,
)
_ZERO = re.compile(r"\bCC[\s-]?0\b|publicdomain/zero|public\s+domain\s+dedication", re.IGNORECASE)
_PARTS = (("NC", r"non-?\s?commercial"), ("ND", r"no-?\s?deriv"), ("SA", r"share-?\s?alike"))
_VERSION = re.compile(r"\b([1-4]\.0)\b")
_BEFORE, _AROUND = 60, 450  # letters before and behind the first words of a licence


def read_rights(printed: FrontLines) -> Iterator[Said]:
    """Publisher and licence, as far as they are told."""
    if named := next((match for pattern in _PUBLISHERS for match in printed.find(pattern)), None):
        start = named.start("house")
        if publisher := _whole(_ENDS.sub("", tidy(" ".join(named["house"].split())))):
            yield printed.place("publisher", start, start + len(publisher)), publisher
    if told := next(printed.find(_CC), None):
        if licence := _licence(printed.text[max(0, told.start() - _BEFORE) : told.start() + _AROUND]):
            yield printed.place("licence", *told.span()), licence


def _whole(house: str) -> str:
    """A name up to the stop that ends its sentence; stops of short forms ("Ltd.") end none."""
    words = house.split()
    ends = (i for i, word in enumerate(words, 1) if word.endswith(".") and not _FORM.match(word))
    return " ".join(words[: next(ends, None)]).strip(" .,;")


def _licence(text: str) -> str:
    """The short name of a Creative Commons licence told in words, by its sign or by its address."""
    flat = re.sub(r"-\s+", "-", " ".join(text.split()))
    if _ZERO.search(flat) and not re.search("attribution", flat, re.IGNORECASE):
        return "CC0"
    parts: list[str] = []
    version = ""
    for match in _KIND.finditer(flat):
        kind = (match[1] or match[3]).upper().replace(" ", "-")
        parts = parts if len(parts) > kind.count("-") else kind.split("-")[1:]
        version = version or match[2] or match[4] or ""
    if not parts and not _KIND.search(flat):
        if not re.search("attribution", flat, re.IGNORECASE):
            return ""
        head = flat[: flat.lower().find("attribution") + 90]
        parts = [sign for sign, words in _PARTS if re.search(words, head, re.IGNORECASE)]
    version = version or (found[1] if (found := _VERSION.search(flat)) else "")
    return " ".join(filter(None, ("-".join(["CC BY", *parts]), version)))
