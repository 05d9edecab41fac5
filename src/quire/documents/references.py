"""The list of references: one entry each, with label, title and year, from labelled rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quire.documents.joining import join_rows
from quire.documents.labeller.model import Labelled
from quire.documents.layout.blocks import box_of
from quire.documents.layout.rows import Row
from quire.types import Reference

_YEAR = re.compile(r"(?<![\d.:/-])(1[6-9]\d\d|20\d\d)(?=[a-z]?(?![\d]))")
_QUOTED = re.compile(r"(?<![“\"„«])[“\"„«]\s?(.{8,300}?)[,.]?\s?[”\"“»](?=[\s,.;]|$)")
_TICKED = re.compile(r"(?<![‘`])[‘`]{1,2}(.{12,300}?)[,.]?[’']{1,2}(?=[\s,.;]|$)")
_BRACKET_YEAR = re.compile(r"\(\s?((?:1[6-9]|20)\d\d)[a-z]?(?:,[^)]{1,30})?\s?\)\s?[.,:]?\s*")
_LABEL = re.compile(r"^(?:\[[^\]]{1,40}\]|\(\d{1,4}\)|\d{1,4}[.)]|\d{1,4}(?=\s+[^\W\d_]))\s*")
_INITIAL = r"(?:[A-ZÀ-Þ]\.?(?:[-‐ ]?[A-ZÀ-Þ]\.?){0,3})"
_STOP = re.compile(
    r"(?<!\b[A-Z])(?<!\bvs)(?<!\bJr)(?<!\bSt)(?<!\bno)(?<!\bvol)(?<!\bpp)(?<!\beds)(?<!\bed)"
    r"[.?!](?=\s+(?:[\"“‘'(]?[A-ZÀ-Þ0-9]|arXiv|http|doi|abs/|in\s|the\s[A-Z])|\s*$)"
)
_NAME_PART = r"(?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|el|al|bin|ten|ter)\s)*[A-ZÀ-Þ][\w’'À-ÿ-]*"
_SURNAME_FIRST = re.compile(rf"^{_NAME_PART}(?:\s{_NAME_PART})?,?\s{_INITIAL}(?=[,;.\s&]|$)")
_INITIALS_FIRST = re.compile(rf"^{_INITIAL}\s?{_NAME_PART}(?:\s{_NAME_PART})?(?=[,;.\s&:]|$)")
_BETWEEN = re.compile(
    r"^(?:[.,;]?\s?(?:Jr|Sr|II|III)\.?)?(\s?[,;]?\s?(?:and|&|und|et(?! al))\s|\s?[,;]\s?(?:and\s|&\s)?)"
)
_JOURNAL = re.compile(
    r"^(?:in:?\s|proc(?:eedings|\.)|arxiv|corr\b|journal|trans(?:actions|\.)|lecture notes|advances in|"
    r"technical report|ph\.?\s?d|master)",
    re.IGNORECASE,
)
# What journals print that leave titles out: "Annals of Rivers, 64, 411", "in Proceedings of ...".
_SOURCE = re.compile(
    r"^(?:[^,]{2,80},\s[A-Z]?\d{1,4}[A-Za-z]?(?:\s?\(\d{1,4}\))?,\s[A-Z]?\d[\d–-]*"
    r"|[Ii]n:?\s(?:the\s)?(?:Proc\b|Proceedings|Advances|Lecture|International|Annual)\b.*)$"
)


def parse_entry(text: str) -> tuple[str, int | None]:
    """Title ("" if it cannot be told) and year of publication (None if there is none)."""
    body = _LABEL.sub("", text.strip())
    year = _year(body)
    title = (
        _quoted(body)
        or _between_commas(body)
        or _after_colon(body)
        or _after_bracket_year(body)
        or _by_stops(body)
    )
    return _clean(title), year


def _year(body: str) -> int | None:
    body = re.sub(r"\b\d{4}\.\d{4,5}\b", " ", body)  # arXiv numbers
    without_links = re.sub(r"https?://\S+|doi:?\s?\S+|arXiv:\S+", " ", body, flags=re.IGNORECASE)
    bracket = _BRACKET_YEAR.search(without_links)
    if bracket and 1600 < int(bracket.group(1)) < 2100:
        return int(bracket.group(1))
    after_authors = re.search(
        r"[.,]\s((?:19|20)\d\d)[a-z]?\.\s+\S", without_links[: max(80, len(without_links) // 2)]
    )
    if after_authors:
        return int(after_authors.group(1))
    vancouver = re.search(r"[.,;]\s?((?:19|20)\d\d)(?:\s\w{3,9}\.?(?:\s\d{1,2})?)?\s?;", without_links)
    if vancouver:
        return int(vancouver.group(1))
    pages = re.sub(r"\b\d{1,5}\s?[–-]\s?\d{1,5}\b", " ", without_links)
    years = [int(m.group(1)) for m in _YEAR.finditer(pages)]
    if not years:
        years = [int(m.group(1)) for m in _YEAR.finditer(body)]
    return years[-1] if years else None


def _quoted(body: str) -> str:
    match = _QUOTED.search(body) or _TICKED.search(body)
    if match is None or match.start() > 0.75 * len(body):
        return ""
    # A quotation inside a title is shorter than what surrounds it up to the next stop.
    before = body[: match.start()]
    if before and not re.search(r"[,.:;)\]]\s*$|\band\b\s*$|^\s*$", before):
        return ""
    return match.group(1)


def _between_commas(body: str) -> str:
    """Elsevier: `A. Author, B. Author, Title, Journal 12 (2016) 1–9`."""
    rest, seen = body, 0
    while match := _INITIALS_FIRST.match(rest):
        separator = _BETWEEN.match(rest[match.end() :])
        if separator is None:
            return ""
        rest = rest[match.end() + separator.end() :]
        seen += 1
    rest = re.sub(r"^et al\.?,\s", "", rest)
    source = re.search(
        r",\s(?:in:\s[^()]{4,200}|[A-ZÀ-Þ][^,()]{2,90}\s[A-Z]?\d+[^,()]{0,20}\s?\((?:19|20)\d\d\))", rest
    )
    return rest[: source.start()] if seen and source else ""


def _after_colon(body: str) -> str:
    """LNCS: `Author, A., Author, B.: Title. In: ...`."""
    match = re.match(
        r"^((?:[^:]{3,400}?)(?:(?<![\w.-])[A-ZÀ-Þ]\.(?:[ -]?[A-ZÀ-Þ]\.){0,3}|et al\.?|\(eds?\.\))):\s+(.+)$",
        body,
    )
    if match is None or re.search(r"\.\s[A-Z][a-z]+\s[a-z]+", match.group(1)):
        return ""
    return _to_stop(match.group(2))


def _after_bracket_year(body: str) -> str:
    """APA, PLoS, Harvard: `Author, A. (2016). Title. Journal`."""
    match = _BRACKET_YEAR.search(body)
    if match is None or match.end() > 0.7 * len(body) or not _names_only(body[: match.start()]):
        return ""
    return _to_stop(body[match.end() :])


def _names_only(text: str) -> bool:
    """Whether a text before a year reads as a list of people (or one organisation)."""
    words = re.findall(r"[^\W\d_]+", text)
    lower = [
        w for w in words if w[0].islower() and w not in ("and", "et", "al", "von", "van", "de", "der", "la")
    ]
    return len(lower) <= 0.25 * len(words) or len(words) < 6


def _to_stop(text: str) -> str:
    stop = _STOP.search(text)
    title = text[: stop.start() + (stop.group(0) in "?!")] if stop else text
    if not stop:
        title = re.split(r",\s(?=in\s|[A-Z][\w. ]+,? (?:vol|pp|\d))", title)[0]
    return title


def _by_stops(body: str) -> str:
    """Plain: authors, full stop, title, full stop; a year may stand between them."""
    rest = _past_authors(body)
    if rest is None:
        pieces = [p for p in _pieces(body) if p]
        if len(pieces) < 2 or not _names_only(pieces[0]):
            return pieces[0] if pieces and not _names_only(pieces[0]) else ""
        start = 2 if re.fullmatch(r"\(?(?:1[6-9]|20)\d\d[a-z]?\)?", pieces[1]) and len(pieces) > 2 else 1
        return "" if _JOURNAL.match(pieces[start]) else pieces[start]
    year = re.match(r"^\(?((?:1[6-9]|20)\d\d)[a-z]?\)?[.,:]?\s*", rest)
    if year:
        rest = rest[year.end() :]
    title = _to_stop(rest)
    # Journals that print no titles: "Perlmutter S et al, 1997 Astrophys. J. 483 565".
    return (
        ""
        if len(title.split()) < 3 and re.match(r"\.\s[A-Z][\w.]{0,40}\s?[\w.]{0,40}\s?\d", rest[len(title) :])
        else title
    )


def _pieces(body: str) -> list[str]:
    out, start = [], 0
    for stop in _STOP.finditer(body):
        out.append(body[start : stop.start() + (stop.group(0) in "?!")].strip())
        start = stop.end()
    out.append(body[start:].strip())
    return out


def _past_authors(body: str) -> str | None:
    """What follows a list of authors written surname first; None if the entry does not begin with one."""
    rest, seen = body, 0
    while True:
        match = _SURNAME_FIRST.match(rest) or (_INITIALS_FIRST.match(rest) if seen else None)
        if match is None or (not seen and not _surname_first(rest[match.end() :])):
            break
        seen += 1
        rest = rest[match.end() :]
        separator = _BETWEEN.match(rest)
        if separator is None:
            break
        rest = rest[separator.end() :]
    if not seen:
        return None
    rest = re.sub(r"^[,.;\s]*(?:et al\.?|and others|\(eds?\.?\)|eds?\.)", "", rest)
    rest = re.sub(r"^[\s.,:;]+", "", rest)
    return rest or None


def _surname_first(after: str) -> bool:
    """Whether "Smith J" really was surname and initial, and not the first names of "Michael J. Bommarito"."""
    if re.match(r"^\s?(?:[,;.:(]|and\s|&|et\s|(?:19|20)\d\d\b|$)", after):
        return True
    words = after.split()[:4]
    return any(w[0].islower() and w not in ("and", "von", "van", "de", "der") for w in words if w) and not (
        len(words) > 1 and words[0].endswith(",")
    )


def _clean(title: str) -> str:
    title = re.sub(r"\s+", " ", title).strip(" .,;:“”\"'‘’")
    title = re.sub(r"\s?\[(?:J|C|M|D|Internet|online)\]$", "", title)
    title = re.sub(r",\s(?:[Vv]ol|[Nn]o|[Pp]art|[Ss]er)$", "", title)
    if _SOURCE.match(title) or len(title) < 4 or len(title) > 400 or not re.search(r"[^\W\d_]{3}", title):
        return ""
    return title


_PRINTED = re.compile(r"^(?:\[[^\]]{1,40}\]|\(\d{1,4}\)|\d{1,4}\s?[.)](?!\d)|\d{1,4}(?=\s+[^\W\d_]))")
_SHORTEST = 12  # characters of an entry


def read_references(labelled: Sequence[Labelled]) -> list[Reference]:
    """The references in printed order."""
    entries: list[list[Row]] = []
    for item in labelled:
        if item.label == "ref" or (item.label == "ref2" and not entries):
            entries.append([item.row])
        elif item.label == "ref2":
            entries[-1].append(item.row)
    return [found for rows in entries if (found := _reference(rows)) is not None]


def _reference(rows: Sequence[Row]) -> Reference | None:
    text = join_rows([row.line for row in rows])
    if len(text) < _SHORTEST:
        return None
    label = _PRINTED.match(text)
    title, year = parse_entry(text)
    return Reference(rows[0].page, box_of(rows), text, label.group(0).strip() if label else "", title, year)
