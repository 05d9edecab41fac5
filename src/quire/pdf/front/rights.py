"""Who published a paper, and under which licence it may be used, in the words of the pages."""

from __future__ import annotations

import re
from typing import NamedTuple

from quire.pdf.front.printed import FrontLines
from quire.pdf.joining import tidy
from quire.types import Place

_HOUSE = r"(?P<house>[A-Z][\w&.’'-]*(?:[\s][A-Z&][\w&.’'-]*){0,5})"
_PUBLISHERS = (
    re.compile(rf"\b(?:[Pp]ublished\sby|[Ll]icensee:?|[Ee]xclusive\s[Ll]icensee)\s+{_HOUSE}"),
    re.compile(rf"^[Pp]ublisher:\s{_HOUSE}", re.MULTILINE),
    re.compile(
        r"©\s?(?:(?:19|20)\d\d,?\s)?(?P<house>[A-Z][\w&.’'-]*(?:\s[A-Z&][\w&.’'-]*){0,5}\s"
        r"(?:Press|Publish(?:ing|ers?)|Verlag|Ltd|Inc|Wilkins|Sons|Corporation|GmbH|B\.V|Media)\b[^\n.;,]{0,30})"
    ),
    re.compile(
        r"^(?P<house>[A-Z][\w&’'-]*(?:\s[A-Z&][\w&’'-]*){0,4}\s(?:Publishing|Press|Publishers)(?:\s[A-Z]\w+){0,2})$",
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


class Rights(NamedTuple):
    """Publisher and licence; empty where they are not told."""

    publisher: str = ""
    licence: str = ""
    places: tuple[Place, ...] = ()


def read_rights(printed: FrontLines) -> Rights:
    """Publisher and licence with their places."""
    places: list[Place] = []
    publisher = licence = ""
    if named := next((match for pattern in _PUBLISHERS for match in printed.find(pattern)), None):
        publisher = _whole(_ENDS.sub("", tidy(" ".join(named["house"].split()))))
        start = named.start("house")
        places.append(printed.place("publisher", start, start + len(publisher)))
    if told := next(printed.find(_CC), None):
        licence = _licence(printed.text[max(0, told.start() - _BEFORE) : told.start() + _AROUND])
        places.append(printed.place("licence", told.start(), told.end()))
    return Rights(publisher, licence, tuple(places) if licence or publisher else ())


def _whole(house: str) -> str:
    """A name up to the stop that ends its sentence; stops of short forms ("Ltd.") end none."""
    words = house.split()
    end = next(
        (i + 1 for i, word in enumerate(words) if word.endswith(".") and not _FORM.match(word)), len(words)
    )
    return " ".join(words[:end]).strip(" .,;")


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
