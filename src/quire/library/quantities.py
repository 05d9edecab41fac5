"""The number and the unit that a table cell states.

number("10.5 ± 2.3")    10.5          number("<0.001*")   0.001        number("Model 3")    None
unit("93.8%", "")       "%"           unit("62.1", "Weight (kg)")  "kg"
"""

from __future__ import annotations

import math
import re

_SIGNS = str.maketrans({"−": "-", "–": "-", "‐": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "·": "."})
_VALUE = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})+(?:\.\d+)?|\d+,\d{1,2}(?!\d)|\d+(?:\.\d+)?|\.\d+)"
)
_POWER = r"(?:[eE](?P<e>[-+]?\d{1,3})|\s?[×x]\s?10\s?\^?\s?(?P<ten>-?\d{1,3}))"
_NUMBER = re.compile(
    rf"^\(?(?:[<>≤≥≈~=]\s?)?(?:(?:US|[CA])?(?P<money>[$€£¥]))?\s?(?P<sign>[-+±]?)\s?"
    rf"(?:10\s?\^\s?(?P<alone>-?\d{{1,3}})|(?P<value>{_VALUE}){_POWER}?)(?P<rest>.*)$",
    re.DOTALL,
)
_REST = re.compile(
    r"^\s?\)?(?:\s?(?P<unit>[%‰°]C?|[A-Za-zµμΩ]{1,8}(?:/[A-Za-zµμΩ]{1,8}){0,2}))?"
    r"(?:\s?[*†‡§¶#⁰¹²³⁴-⁹]+|\s?\^[\w,*]{1,3})?(?:\s?(?:±|\+/-|\(|\[).*)?$",
    re.DOTALL,
)
_NAMED = re.compile(r"[(\[]([^()\[\]]{1,16})[)\]]\s*$|,\s*([^\s,()]{1,8})\s*$|\bin\s(\S{1,8})\s*$")
_MARKS = frozenset("abcd")  # letters that mark notes more often than they are units
_PREFIXED = "g|m|s|l|L|b|B|M|N|J|W|V|A|K|Pa|Hz|Wh|eV|mol|bp|Da|cal|bit|byte|bytes|Ω|Gy|Bq|U|IU|kat|sec|t|h"
_PLAIN = (
    "%|‰|°|°C|°F|C|min|mins|hr|hrs|hour|hours|day|days|d|week|weeks|wk|month|months|mo|year|years|yr|yrs|y|"
    "second|seconds|minute|minutes|ms|inch|in|ft|mi|mph|lb|lbs|oz|ha|rpm|ppm|ppb|dB|dBm|px|pixel|pixels|USD|EUR|GBP|"
    "point|points|percent|cfu|CFU|copies|cells|mmHg|Torr|bar|atm|mEq|Mbps|Gbps|kbps|FLOPS|FLOPs|params|"
    "[$€£¥]"
)
_ONE = rf"(?:[yzafpnµμmcdhkKMGTP]?(?:{_PREFIXED})|{_PLAIN})(?:\s?\^?-?[123])?"
_UNIT = re.compile(rf"^{_ONE}(?:\s?[/·.]\s?{_ONE}|\s{_ONE}){{0,3}}$")


def number(text: str) -> float | None:
    """The number that a cell begins with, if the cell is a number; None for words, ranges and lists.

    What follows it may be a unit, a mark of a note, a deviation or something in brackets.
    """
    found = _NUMBER.match(text.strip()[:80].translate(_SIGNS))
    rest = _REST.match(found["rest"]) if found else None
    if found is None or rest is None or not _may_follow(rest["unit"]):
        return None
    value = (found["value"] or "1").replace(" ", "")
    if re.fullmatch(r"\d+,\d{1,2}", value):
        value = value.replace(",", ".")
    power = found["alone"] or found["e"] or found["ten"] or "0"
    result = float(f"{value.replace(',', '')}e{power}")
    if not math.isfinite(result):
        return None
    return -result if found["sign"] == "-" else result


def _may_follow(letters: str | None) -> bool:
    """A unit, or the mark of a note."""
    return letters is None or len(letters) == 1 or bool(_UNIT.match(letters))


def unit(text: str, *heads: str) -> str:
    """The unit of a number: as its cell says, else the first of the heads and labels that names one."""
    found = _NUMBER.match(text.strip()[:80].translate(_SIGNS))
    if found is None:
        return ""
    if found["money"]:
        return str(found["money"])
    rest = _REST.match(found["rest"])
    if rest and rest["unit"] and rest["unit"] not in _MARKS and _UNIT.match(rest["unit"]):
        return str(rest["unit"])
    for head in heads:
        for part in _NAMED.findall(head[-80:]):
            named = next((p.strip() for p in part if p), "")
            if _UNIT.match(named):
                return str(named)
    return ""
