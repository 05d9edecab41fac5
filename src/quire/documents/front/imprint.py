"""Where and when a paper appeared, from the lines at the edges of its first pages and above its title.

Publishers print a short citation there ("BMC Public Health 2015, 15:112", "Computers and Geotechnics 62
(2014) 101–112"); it gives name, volume and year at once. Proceedings and bare names of journals come
next. Labels of article types, funders and reference lists are not venues: the caller leaves lists of
references out of the lines.

    read(["Arch Orthop Surg (2012) 132:1201–1209"])   # Imprint("Arch Orthop Surg", "", "132", 2012)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_WORD = r"(?:[A-ZÀ-Þ][\w&.’'()-]*|of|and|in|the|for|on|from|to|&|et|de|des|der|und|für|e)"
_NAME = rf"(?P<name>[A-ZÀ-Þ][\w&.’'-]*(?::?\s{_WORD}){{0,9}}?)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_VOLUME = r"(?P<volume>\d{1,4})"
_CITED = [
    re.compile(rf"^{_NAME},?\s\(?{_YEAR}\)?\s?[;,:.]?\s?(?:[Vv]ol(?:\.|ume)?\s)?{_VOLUME}\s?[:,(]\s?\S*\d"),
    re.compile(rf"^{_NAME},?\s{_VOLUME}\s?\({_YEAR}\)\s?[:,]?\s?\S*\d"),
    re.compile(rf"^{_NAME},?\s\(?{_YEAR}\)?[,:]?\s(?:[Vv][Oo][Ll](?:ume|UME|\.)?)\s?{_VOLUME}"),
    re.compile(rf"^{_NAME},?\s[Vv][Oo][Ll](?:ume|UME|\.)?\s?{_VOLUME}\b(?:.*?\b{_YEAR}\b)?"),
    re.compile(rf"^{_NAME}\s{_VOLUME}\s?\(\d+\)\s?:\s?\S*\d"),
    re.compile(rf"^{_NAME}\s?\|\s?(?:www\.|https?:|doi|DOI|\d|vol|Vol|Article|{_YEAR})"),
]  # fmt: skip
_BEFORE = re.compile(r"^(?:.{3,60}?\set\sal\.?,?\s?/?\s*|[^/]{3,70}\s/\s|published in:?\s)", re.IGNORECASE)
_NO_VENUE = re.compile(
    r"^(?:research|review|original|case|short|brief|rapid|full|regular|mini|clinical|technical|invited)?\s?"
    r"(?:research|article|articles|paper|review|report|communication|letter|editorial|study|access)s?$|"
    r"\b(?:foundation|grant|universit\w*|department|institute|received|accepted|published|publish\w*|revised|"
    r"copyright|licen[sc]ee?|article|figure|table|doi|page|pages|press|correspond\w*|january|february|march|"
    r"april|june|july|august|september|october|november|december|volume|vol|citation|editor|available|"
    r"corporation|elsevier|springer|section|chapter|preprint|arxiv)\b|^(?:may|open access|no|issue)$",
    re.IGNORECASE,
)
_PROCEEDINGS = re.compile(
    r"((?:(?:findings of the|proceedings of(?: the)?)\s[^\n]{10,200}?|(?<!\d)\d+(?:st|nd|rd|"
    r"th) (?:conference|annual|international|european|workshop)[^\n]{5,120}?))"
    r"(?=,?\s(?:pages?|pp\.?)\b|[.,]?\s*$|\s\(|,\s(?:january|february|march|april|may|june|july|"
    r"august|september|october|november|december)|,\s(?:19|20)\d\d)",
    re.IGNORECASE | re.MULTILINE,
)
_JOURNAL = re.compile(
    rf"^(?:{_WORD}\s){{0,8}}(?:Journals?|Research|Practice|International|Letters|Reviews?|Reports|Transactions|"
    r"Diseases|Medicine|Sciences?|Scientific|Annals|Archives|Software|Bulletin|Magazine|Biology|Physics|"
    rf"Chemistry|Advances|Acta|Frontiers|BMC|BMJ|PLOS|PLoS|Nature|Lancet|Cell|Medicina|Zeitschrift)(?:\s{_WORD}){{0,8}}$"
)
_DATED = re.compile(rf"^(?P<name>[A-ZÀ-Þ][\w&’'-]+(?:\s{_WORD}){{2,8}}),\s{_YEAR}$")
_YEARS = [
    re.compile(
        r"(?:©|\(c\)|copyright)\s{0,9}(?:©|\(c\))?\s{0,9}(?:by\s|the\s)?[^.\d\n]{0,40}?((?:19|20)\d\d)", re.I
    ),
    re.compile(r"\bvolume\s((?:19|20)\d\d),\s*article", re.I),
    re.compile(r"\bpublished(?: online)?:?\s[^.\n]{0,24}?((?:19|20)\d\d)", re.I),
]
_LATER_YEARS = [
    re.compile(r"(?:proceedings|conference|workshop|meeting|symposium|journal|transactions|eacl|acl|"
        r"emnlp|naacl|nips|neurips|icml|iclr|cvpr|iccv|coling)[^\n]{0,160}?\b((?:19|"
        r"20)\d\d)\b", re.I),
    re.compile(r"\b(?:vol(?:ume|\.)?|issue|no\.)\s?\d+[^\n]{0,40}?\b((?:19|20)\d\d)\b", re.I),
    re.compile(r"arxiv:[^\n]{5,40}?\b\d{1,2}\s\w{3}\s((?:19|20)\d\d)", re.I),
    re.compile(r"\b(?:january|february|march|april|may|june|july|august|september|october|november|"
        r"december)\s(?:\d{1,2},?\s)?((?:19|20)\d\d)\b", re.I),
    re.compile(r"\b(?:accepted|received):?\s[^.\n]{0,24}?((?:19|20)\d\d)", re.I),
    re.compile(r"^[^\d\n]{3,80},\s((?:19|20)\d\d)$", re.MULTILINE),
    re.compile(r"^(?:\W*(?:spring|summer|autumn|fall|winter)\s)?((?:19|20)\d\d)\W*$", re.I | re.MULTILINE),
]  # fmt: skip
_ARXIV_ID = re.compile(
    r"arxiv\s?:\s?(?:(\d\d)(?:0[1-9]|1[0-2])\.\d{4,5}|[a-z.-]+/(\d\d)\d{5})", re.IGNORECASE
)
_SERIES = {
    "ACL": r"(?:annual meeting of the )?association for computational linguistics|^ACL \d{4}|"
    r"association of computational linguistics",
    "EACL": r"european chapter of the (?:acl|"
    r"association for computational)", "NAACL": r"north american chapter of the",
    "EMNLP": r"empirical methods in natural language", "COLING": r"conference on computational linguistics",
    "NeurIPS": r"neural information processing systems|\bneurips\b|"
    r"\bnips\b", "ICML": r"international conference on machine learning",
    "ICLR": r"conference on learning representations",
    "CVPR": r"computer vision and pattern recognition|\bcvpr\b",
    "ICCV": r"international conference on computer vision", "ECCV": r"european conference on computer vision",
    "AAAI": r"\baaai\b", "IJCAI": r"\bijcai\b", "SIGIR": r"\bsigir\b", "KDD": r"\bkdd\b", "PLDI": r"\bpldi\b",
    "CHI": r"\bCHI ['’]?\d\d", "WWW": r"\bWWW ['’]?\d{2,4}|the web conference",
}  # fmt: skip


class Imprint(NamedTuple):
    """Name of journal or conference, its abbreviation, volume and year; empty where nothing is printed."""

    venue: str = ""
    short: str = ""
    volume: str = ""
    year: int | None = None


def read(edges: Sequence[str], others: Sequence[str] = (), subject: str = "") -> Imprint:
    """Read the imprint from lines at the edges of pages and above the title, and from others that may tell.

    `subject` is the file's own field of that name, in which publishers cite too.
    """
    text = "\n".join([*edges, *others])
    cited = _cited([subject, *edges, *others])
    proceedings = _PROCEEDINGS.search(text)
    if proceedings:
        venue = re.sub(r"\s+", " ", proceedings.group(1)).strip(" ,.")
    else:
        venue = cited.venue or _named([subject, *edges[:60]]) or _dated(others)
    volume = cited.volume if venue == cited.venue else ""
    if not volume:
        found = re.search(r"\bvol(?:ume|\.)?\s?(\d{1,4})\b", text, re.IGNORECASE)
        volume = found.group(1) if found else ""
    return Imprint(venue, _short(venue or text[:6000]), volume, _year(text, cited.year))


def _cited(lines: Sequence[str]) -> Imprint:
    """The first short citation of the paper itself."""
    best = Imprint()
    for line in lines:
        line = _BEFORE.sub("", line.strip())
        for pattern in _CITED:
            match = pattern.match(line)
            if match is None or not _is_venue(match["name"]):
                continue
            got = match.groupdict()
            year = int(got["year"]) if got.get("year") else None
            found = Imprint(match["name"].strip(" ,.:"), "", got.get("volume") or "", year)
            if not best.venue or (best.venue == found.venue and best.year is None):
                best = found
            break
    return best


def _is_venue(name: str) -> bool:
    name = name.strip(" ,.:")
    return len(name) > 2 and name[0].isupper() and not _NO_VENUE.search(name) and "@" not in name


def _named(lines: Sequence[str]) -> str:
    """The first line that is nothing but the name of a journal."""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        line = line.strip()
        numbered = re.match(r"vol(?:ume|\.)?\s?\d", below, re.IGNORECASE) and re.fullmatch(
            rf"(?:{_WORD}\s?){{1,9}}", line
        )
        if (numbered or (_JOURNAL.match(line) and len(line.split()) >= 2)) and _is_venue(line):
            return line
    return _dated(lines)


def _dated(lines: Sequence[str]) -> str:
    """The name in a line such as "Notes from the Window, 2022"."""
    found = (_DATED.match(line.strip()) for line in lines)
    return next((match["name"] for match in found if match and _is_venue(match["name"])), "")


def _short(text: str) -> str:
    for name, pattern in _SERIES.items():
        if re.search(pattern, text, 0 if name == "CHI" else re.IGNORECASE):
            return name
    return ""


def _year(text: str, cited: int | None) -> int | None:
    """Year of publication by the strongest sign; a later year in the paper's own citation is its issue's."""
    for pattern in _YEARS:
        match = pattern.search(text)
        if match:
            return max(int(match.group(1)), cited or 0)
    if cited:
        return cited
    for pattern in _LATER_YEARS:
        match = pattern.search(text)
        if match:
            return int(match.group(1))
    number = _ARXIV_ID.search(text)
    if number:
        digits = int(number.group(1) or number.group(2))
        return digits + (1900 if digits > 90 else 2000)
    return None


def created(date: str, newest_cited: int | None) -> int | None:
    """Year of a file's creation where the paper cites work of it or of the year before; else None.

    Files are made anew long after their papers: the date alone tells nothing.
    """
    match = re.search(r"(?:D:)?((?:19|20)\d\d)\d{4}", date)
    year = int(match.group(1)) if match else None
    return year if year and newest_cited in (year - 1, year) else None
