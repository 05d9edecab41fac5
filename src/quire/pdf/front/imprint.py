"""Where and when a paper appeared, from the lines at the edges of its first pages and above its title.

Publishers print a short citation there ("BMC Public Health 2015, 15:112", "Computers and Geotechnics 62
(2014) 101–112"); it gives name, volume, year and pages at once. Proceedings and bare names of journals come
next. Labels of article types, funders and reference lists are not venues: the caller leaves lists of
references out of the lines.

    read_imprint(["Arch Orthop Surg (2012) 132:1201–1209"])   # Imprint("Arch Orthop Surg", "", "132", 2012)
    read_numbers(["J Clin Exp Dent. 2016;8(3):e230-5."])    # Numbers("8", "3", "e230", "e235"), 0
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import ascii_letters
from typing import NamedTuple

from quire.pdf.citations import in_full
from quire.pdf.vocabulary import any_of, lists

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
    re.compile(rf"^{_NAME},?\s\({_YEAR}\)\s{_VOLUME}\s[A-Z]{{0,6}}\d{{3,}}"),
    re.compile(rf"^{_NAME}\s?\|$"),
    re.compile(rf"^{_NAME}\s?\|\s?(?:www\.|https?:|doi|DOI|\d|vol|Vol|Article|{_YEAR})"),
]  # fmt: skip
_BEFORE = re.compile(r"^(?:.{3,60}?\set\sal\.?,?\s?/?\s*|[^/]{3,70}\s/\s|published in:?\s)", re.IGNORECASE)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_PROCEEDINGS = re.compile(
    r"((?:(?:findings of the|proceedings of(?: the)?)\s[^\n]{10,200}?|(?<!\d)\d+(?:st|nd|rd|"
    r"th) (?:conference|annual|international|european|workshop)[^\n]{5,120}?))"
    rf"(?=,?\s(?:pages?|pp\.?)\b|[.,]?\s*$|\s\(|,\s(?:{_MONTHS})|,\s(?:19|20)\d\d)",
    re.IGNORECASE | re.MULTILINE,
)
_NAMING = re.compile(rf"(?:{_WORD}\s){{1,16}}{_WORD}")
_DATED = re.compile(rf"^(?P<name>[A-ZÀ-Þ][\w&’'-]+(?:\s{_WORD}){{2,8}}),\s{_YEAR}$")
_YEARS = [
    re.compile(
        r"(?:©|\(c\)|copyright)\s{0,9}(?:©|\(c\))?\s{0,9}(?:by\s|the\s)?[^.\d\n]{0,40}?((?:19|20)\d\d)", re.I
    ),
    re.compile(r"\bvolume\s((?:19|20)\d\d),\s*article", re.I),
    re.compile(r"\bpublished(?: online)?:?\s[^.\n]{0,24}?((?:19|20)\d\d)", re.I),
]
_LATER_YEARS = [
    re.compile(rf"(?:proceedings|conference|workshop|meeting|symposium|journal|transactions|{any_of('series')})"
        r"[^\n]{0,160}?\b((?:19|20)\d\d)\b", re.I),
    re.compile(r"\b(?:vol(?:ume|\.)?|issue|no\.)\s?\d+[^\n]{0,40}?\b((?:19|20)\d\d)\b", re.I),
    re.compile(r"arxiv:[^\n]{5,40}?\b\d{1,2}\s\w{3}\s((?:19|20)\d\d)", re.I),
    re.compile(rf"\b(?:{_MONTHS})\s(?:\d{{1,2}},?\s)?((?:19|20)\d\d)\b", re.I),
    re.compile(r"\b(?:accepted|received):?\s[^.\n]{0,24}?((?:19|20)\d\d)", re.I),
    re.compile(r"^[^\d\n]{3,80},\s((?:19|20)\d\d)$", re.MULTILINE),
    re.compile(r"^(?:\W*(?:spring|summer|autumn|fall|winter)\s)?((?:19|20)\d\d)\W*$", re.I | re.MULTILINE),
]  # fmt: skip
_SOFTWARE = re.compile(
    r"\b(?:version|software|release[ds]?|package|microsoft|windows|adobe)\b", re.IGNORECASE
)  # in lines whose year is that of a program
_ARXIV_ID = re.compile(r"arxiv\s?:\s?(\d\d)(?:0[1-9]|1[0-2])\.\d{4,5}", re.IGNORECASE)
_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_ARXIV = re.compile(r"arxiv\s?:\s?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+")
_OFFICE = re.compile(
    r"(?:journals\.)?(?:permissions?|reprints?|subscriptions?|copyright|customer_?service|support|sales)@",
    re.IGNORECASE,
)
_GROUP = re.compile(r"[{(\[]\s*([\w.+-]+(?:\s?[,;|]\s?[\w.+-]+)+)\s*[})\]]\s?@\s?([\w-]+(?:\.[\w-]+)+)")
_KEYWORDS = re.compile(
    r"^(?:key\s?-?words?(?: and phrases)?|index terms|schlüsselwörter)\s*[.:—–-]*\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SCRIPTS = (("ar", "\u0600", "\u06ff"), ("he", "\u0590", "\u05ff"), ("ja", "\u3040", "\u30ff"),
            ("ko", "\uac00", "\ud7af"), ("zh", "\u4e00", "\u9fff"), ("ru", "\u0400", "\u04ff"),
            ("el", "\u0370", "\u03ff"), ("hi", "\u0900", "\u097f"), ("th", "\u0e00", "\u0e7f"))  # fmt: skip

_FIRST = min(first for _, first, _ in _SCRIPTS)


class Imprint(NamedTuple):
    """Name of journal or conference, its abbreviation, volume and year; empty where nothing is printed."""

    venue: str = ""
    short: str = ""
    volume: str = ""
    year: int | None = None


def read_imprint(edges: Sequence[str], others: Sequence[str] = (), subject: str = "") -> Imprint:
    """Read the imprint from lines at the edges of pages and above the title, and from others that may tell.

    `subject` is the file's own field of that name, in which publishers cite too.
    """
    text = "\n".join([*edges, *others])
    cited = _cited([subject, *edges, *others])
    proceedings = _PROCEEDINGS.search(text)
    if proceedings:
        venue = re.sub(r"\s+", " ", proceedings.group(1)).strip(" ,.")
    else:
        venue = cited.venue or _named([subject, *edges[:60]])
    volume = cited.volume if venue == cited.venue else ""
    told = venue or text[:6000]
    short = next((name for name, pattern in _series().items() if re.search(pattern, told)), "")
    return Imprint(venue, short, volume, _year(text, cited.year))


def is_proceedings(venue: str) -> bool:
    """Whether a name is that of a meeting's papers."""
    return bool(re.search(r"proceedings|conference|workshop|meeting|symposium", venue, re.IGNORECASE))


def _cited(lines: Sequence[str]) -> Imprint:
    """The first short citation of the paper itself."""
    best = Imprint()
    for line in lines:
        line = _BEFORE.sub("", line.strip())
        matches = (match for pattern in _CITED if (match := pattern.match(line)))
        if match := next((match for match in matches if _is_venue(match["name"])), None):
            got = match.groupdict()
            year = int(got["year"]) if got.get("year") else None
            found = Imprint(got["name"].strip(" ,.:"), "", got.get("volume") or "", year)
            if not best.venue or (best.venue == found.venue and best.year is None):
                best = found
    return best


def _is_venue(name: str) -> bool:
    return not set(re.findall(r"[^\W\d_]+", name.lower())) & lists()["novenue"]


def _named(lines: Sequence[str]) -> str:
    """The first line that is nothing but the name of a journal; else that before a year, as "Notes, 2022"."""
    usual = lists()["venue"]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        line = line.strip()
        numbered = re.match(r"vol(?:ume|\.)?\s?\d", below, re.IGNORECASE)
        # whole words in capitals are of labels
        known = any(word.lower() in usual and not word.isupper() for word in line.split())
        if (numbered or (known and _NAMING.fullmatch(line))) and _is_venue(line):
            return line
    found = (_DATED.match(line.strip()) for line in lines)
    return next((match["name"] for match in found if match and _is_venue(match["name"])), "")


@cache
def _series() -> dict[str, str]:
    """Series of meetings, and how their names are told."""
    found: dict[str, str] = json.loads(resources.files("quire.pdf").joinpath("data/series.json").read_text())
    return found


def _year(text: str, cited: int | None) -> int | None:
    """Year of publication by the strongest sign; a later year in the paper's own citation is its issue's."""
    others = "\n".join(line for line in text.split("\n") if not _SOFTWARE.search(line))
    printed, later = (
        next((int(match.group(1)) for pattern in patterns if (match := pattern.search(lines))), None)
        for patterns, lines in ((_YEARS, text), (_LATER_YEARS, others))
    )
    number = _ARXIV_ID.search(text)
    of_id = 2000 + int(number.group(1)) if number else None
    return max(printed, cited or 0) if printed else cited or later or of_id


def created(date: str, newest_cited: int | None) -> int | None:
    """Year of a file's creation where the paper cites work of it or of the year before; else None.

    Files are made anew long after their papers: the date alone tells nothing.
    """
    match = re.search(r"(?:D:)?((?:19|20)\d\d)\d{4}", date)
    year = int(match.group(1)) if match else None
    return year if year and newest_cited in (year - 1, year) else None


def find_doi(text: str) -> str:
    """The paper's own DOI: the first one printed; "" if none is."""
    text = re.sub(
        r"(10\.\d{4,9}/\S{0,200}[./-])\s*+(?=[\w.]{0,60}\d)", r"\1", re.sub(r"(?<=10\.\d{4}/)\s", "", text)
    )
    found = [match.group(1).rstrip(".,;)]}’'\"") for match in _DOI.finditer(text)]
    # a line break may have cut the first one
    return max((doi for doi in found if doi.startswith(found[0])), key=len, default="")


def find_arxiv(text: str) -> str:
    """The arXiv id without version."""
    match = _ARXIV.search(text)
    return match.group(1) if match else ""


def find_emails(text: str) -> tuple[str, ...]:
    """Addresses in printed order; "{a,b}@x.org" gives two. Those of publishers are left out."""
    found = [
        f"{name.strip()}@{host}"
        for names, host in _GROUP.findall(text)
        for name in re.split(r"[,;|]", names)
        if name.strip()
    ]
    found += [mail.rstrip(".") for mail in _EMAIL.findall(_GROUP.sub(" ", text))]
    return tuple(dict.fromkeys(mail for mail in found if not _OFFICE.match(mail)))


def opens_keywords(text: str) -> bool:
    """Whether a row begins with the word for keywords."""
    return _KEYWORDS.match(text.strip()) is not None


def find_keywords(text: str) -> tuple[str, ...]:
    """The keywords of a text that begins with that word."""
    match = _KEYWORDS.match(text.strip())
    listed = match.group(1) if match else ""
    listed = listed.replace("\n", " " if re.search(r"[;·•|,]", listed) else "; ")
    separator = r"[;·•|]" if re.search(r"[;·•|]", listed) else r",|\s[–-]\s"
    return tuple(word for each in re.split(separator, listed) if 1 < len(word := each.strip(" .;,")) < 80)


def find_language(text: str) -> str:
    """ISO 639-1 code of most of a text."""
    sample = text[:20_000]
    letters = [c for c in sample if c.isalpha()]
    if len(letters) < 20:
        return ""
    foreign = [c for c in letters if c >= _FIRST]
    for code, first, last in _SCRIPTS:
        if sum(first <= c <= last for c in foreign) > 0.3 * len(letters):
            return code
    words = re.findall(r"[^\W\d_]+", sample.lower())
    known = {kind[-2:]: own for kind, own in lists().items() if kind.startswith("language ")}
    counts = {code: sum(w in own for w in words) for code, own in known.items()}
    best = max(sorted(counts), key=lambda code: counts[code])
    told = known[best].intersection(words)  # one word may be the letter of a figure
    return best if len(told) > 1 and counts[best] >= 0.08 * len(words) else ""


_Y = r"(?:19|20)\d\d"
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
        rf"(?<!\d){_Y}\)?\s?[;,:.]?\s?(?:[A-Z][a-z]{{2,8}}\s?(?:\d{{1,2}})?[;,]\s?)?(?:[Vv]ol(?:\.|ume)?\s)?{_V}{_I}\s?[:,]\s?(?:{_PP}\s?)?{_P}",
        rf"\({_Y}\)\s?{_V}{_I}\s?[:,\s]\s?(?:{_PP}\s?)?{_P}",
        rf"(?<![\w.-]){_V}{_I}\s?\({_Y}\)\s?[:,]?\s?(?:{_PP}\s?)?{_P}",
        rf"[Vv](?:ol(?:ume|\.)?|OL(?:UME|\.)?)\s?{_V}(?![\w-])(?:[\s,.|;:•·(–-]{{1,4}}{_NO}[.:]{{0,2}}\s?(?P<issue>\d{{1,4}}(?:[-–/]\d{{1,3}})?)\)?)?"
        rf"(?:[\s,.|;:•·(]{{1,4}}(?:{_Y}\)?[,:|\s]{{1,3}})?(?:{_PP}\s?|(?=e\d{{4}})){_P})?",
        rf",\s{_V},\s{_P},\s(?:[A-Z][a-z]+\.?\s)?{_Y}",
        rf"(?:\||:)\s?{_V}{_I}\s?:\s?{_P}\s?(?:\||$)",
        rf"(?<![\w.]){_V}\((?P<issue>\d{{1,3}})\)\s?:\s?{_P}",
        rf"(?<=\.\s){_V}:{_P}\.?(?:\s?doi|\s*$)",
    )
]


class Numbers(NamedTuple):
    """Volume, issue, first page (or the article's number) and last page; "" where they are not told."""

    volume: str = ""
    issue: str = ""
    first_page: str = ""
    last_page: str = ""


def read_numbers(lines: Sequence[str]) -> tuple[Numbers, int | None]:
    """What most lines say, and the number of the first line that says so."""
    said: list[tuple[Numbers, int]] = []
    for number, line in enumerate(lines):
        if match := next(filter(None, (form.search(line) for form in _FORMS)), None):
            got = match.groupdict()
            first, last = ((got.get(name) or "").strip(".") for name in ("first", "last"))
            digits = first.lstrip(ascii_letters + ".")
            if last.isdecimal() and digits.isdecimal():
                last = first.removesuffix(digits) + in_full(digits, last)  # e235 of e230-5
            said.append((Numbers(got["volume"], got.get("issue") or "", first, last), number))
    if not said:
        return Numbers(), None
    votes = Counter[str]()
    for found, _ in said:
        votes[found.volume] += 1 + bool(found.first_page)
    volume = votes.most_common(1)[0][0]
    own = [found for found, _ in said if found.volume == volume]
    counts = [Counter(filter(None, told)) for told in zip(*own, strict=True)]
    issue, first, last = (max(count, key=count.__getitem__, default="") for count in counts[1:])
    paired = any((found.first_page, found.last_page) == (first, last) for found in own)
    at = next(number for found, number in said if found.volume == volume)
    return Numbers(volume, issue, first, last if paired else ""), at
