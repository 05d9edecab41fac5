"""When a paper was received, accepted and published: full dates beside words that say so.

read_dates(printed)     # {"received": (date(2020, 5, 3), Place(...)), ...}

A date is taken only where day, month and year are printed. Days and months in numbers alone are read day
first, unless that is impossible.
"""

from __future__ import annotations

import re
from datetime import date

from quire.pdf.front.printed import FrontLines
from quire.types import Place

_NAMES = (
    "jan jän ene", "feb fev fév", "mar mär", "apr avr abr", "may mai mayo maj", "jun juin", "jul juil",
    "aug ago aoû aou", "sep set", "oct okt out", "nov", "dec dez déc dic",
)  # fmt: skip
_MONTHS = {name: number for number, names in enumerate(_NAMES, 1) for name in names.split()} | {
    "jan": 1,
    "jän": 1,
    "ene": 1,
}
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
Dated = tuple[date, Place]


def read_dates(printed: FrontLines) -> dict[str, Dated]:
    """The first of each kind; of days of publication the earliest."""
    found: dict[str, Dated] = {}
    for field, pattern in _PATTERNS.items():
        for match in printed.find(pattern):
            when = _date(match)
            if when is None or (field in found and (field != "published" or found[field][0] <= when)):
                continue
            found[field] = (when, printed.place(field, match.start(), match.end()))
    return found


def _date(match: re.Match[str]) -> date | None:
    got = match.groupdict()
    form = next(number for number in "1234" if got[f"y{number}"])
    year, month, day = int(got[f"y{form}"]), _month(got[f"m{form}"]), int(got[f"d{form}"])
    if form == "4" and month > 12:
        day, month = month, day
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.get(text[:4].lower(), _MONTHS.get(text[:3].lower(), 0))
