"""An entry of the reference list, by its number or content: its title, year, authors, venue, or itself.

The store's own columns are used where they are filled; the rest is read from the entry's words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz

from quire.ask.observations import SeenRow
from quire.ask.offline.lexicon import squeeze, words_of
from quire.ask.offline.plan import Finding, QuestionKind, Seen, fitting, found
from quire.ask.offline.question import QuestionFeatures

_ANY_YEAR = r"(?:1[5-9]|20)\d\d"
_YEAR = re.compile(rf"(?<!\d)({_ANY_YEAR})[a-z]?(?![\d\u2013-]|\s*[\u2013-]\s*\d)")
_NUMBER = re.compile(r"^\s*[\[(]?(\d{1,4})[\])]?[.:]?\s+(?=\S)")
_QUOTED = re.compile('["\u201c\u2018](.{8,400}?)[,.]?["\u201d\u2019](?!\\w)')
_PARTED = re.compile(r"(?<=[a-z)\]?])[.?]\s+|(?<=\d\))[.,]\s+")
_AFTER_AUTHORS = re.compile(
    rf"[\s,.(\"\u201c]{{0,9}}(?:\(?{_ANY_YEAR}[a-z]?\)?)?[\s,.:(\"\u201c\u2018]{{0,9}}$"
)


# A bare [4] may be part of a name, as in a table of studies.
fits = fitting(
    (0.95, "#reference reference|title|year|when|author|who|venue|name -#table|#figure"),
    (0.5, "#reference -#table|#figure"),
    (0.7, "reference quote -count|#table|#figure"),
    (0.35, "reference topics -count|#table|#figure"),
)


def take(reading: QuestionFeatures, seen: Seen) -> Finding:
    """Choose the entry, take the part that is asked for."""
    row, sure = _choose(reading, seen["references"])
    value = part_of(row, asked_part(reading)) if row is not None else None
    if reading.form.kind == "int" and isinstance(value, str) and value.isdigit():
        value = int(value)
    return found(value, sure, row, body_of(row) if row else "")


def asked_part(reading: QuestionFeatures) -> str:
    """Which part of an entry the question wants."""
    pointed = bool(reading.labels.reference)
    wanted = {
        "doi": reading.has("doi"),
        "year": reading.has("year", "when") or (reading.form.kind == "int" and pointed),
        "author": reading.has("author", "who"),
        "venue": reading.has("venue"),
        "number": not pointed and bool(reading.quotes) and not reading.has("title"),
        "entry": reading.has("text") or ("entry" in reading.words and not reading.has("title")),
    }
    return next((part for part, asked in wanted.items() if asked), "title")


def _choose(reading: QuestionFeatures, rows: Sequence[SeenRow]) -> tuple[SeenRow | None, float]:
    wanted = reading.labels.reference
    if wanted == "-1":
        return (rows[-1], 0.85) if rows else (None, 0.0)
    if not wanted:
        return _by_content(reading, rows)
    if named := [row for row in rows if number_of(row) == wanted]:
        return named[0], 0.92
    placed = [row for row in rows if int(row.get("ordinal") or 0) + 1 == int(wanted)]
    return (placed[0], 0.5) if placed else (None, 0.0)


def _by_content(reading: QuestionFeatures, rows: Sequence[SeenRow]) -> tuple[SeenRow | None, float]:
    def fit(row: SeenRow) -> float:
        body = body_of(row)
        if reading.quotes:
            return max(fuzz.partial_ratio(squeeze(quote), squeeze(body)) / 100 for quote in reading.quotes)
        said = set(words_of(body))
        return 0.8 * sum(word in said for word in reading.topic) / max(len(reading.topic), 1)

    best = max(((fit(row), -at) for at, row in enumerate(rows)), default=(0.0, 0))
    return (rows[-best[1]], best[0] * 0.9) if best[0] >= 0.6 else (None, 0.0)


def number_of(row: SeenRow) -> str:
    """The printed number of an entry, else its place in the list."""
    if label := re.search(r"\d+", str(row.get("reference_label") or "")):
        return label[0]
    printed = _NUMBER.match(str(row.get("reference_content") or ""))
    return printed[1] if printed else str(int(row.get("ordinal") or 0) + 1)


def body_of(row: SeenRow) -> str:
    """The entry without its number."""
    return _NUMBER.sub("", str(row.get("reference_content") or "")).strip()


def _year_of(row: SeenRow) -> int | None:
    if row.get("reference_year"):
        return int(row["reference_year"])
    body = body_of(row)
    bracketed = re.search(rf"\(({_ANY_YEAR})[a-z]?\)", body)
    found = _YEAR.findall(body)
    return int(bracketed[1]) if bracketed else int(found[-1]) if found else None


def title_of(row: SeenRow) -> str:
    """The title of the cited work."""
    if row.get("reference_title"):
        return str(row["reference_title"])
    body = body_of(row)
    if quoted := _QUOTED.search(body):
        return quoted[1]
    parts = [part.strip() for part in _PARTED.split(body) if part.strip()]
    long = [part for part in parts[1:] if len(part.split()) >= 3]
    return (long or parts[1:] or parts or [""])[0]


def _around_title(row: SeenRow) -> tuple[str, str]:
    """What stands before and after the title; nothing where it is not found."""
    before, title, after = body_of(row).partition(title_of(row) or "\n")
    return (before, after) if title else ("", "")


def _authors_of(row: SeenRow) -> str:
    """As printed: what stands before the title or the year."""
    before = _around_title(row)[0] or re.split(rf"\(?{_ANY_YEAR}", body_of(row))[0]
    return _AFTER_AUTHORS.sub("", before).strip()


def _venue_of(row: SeenRow) -> str:
    """What follows the title, up to the first number."""
    after = re.sub('^[\\s.,"\u201d\u2019?]*(?:[Ii]n[:\\s]+)?', "", _around_title(row)[1])
    return re.split(r"[,;]?(?:(?<!\s)\s++)?(?:vol\.?\s*+)?\(?\d", after)[0].strip(" ,.;:(")


def _doi_of(row: SeenRow) -> str | None:
    match = re.search(r"10\.\d{4,9}/\S+", str(row.get("reference_content") or ""))
    return match[0].rstrip(".,;)") if match else None


_PARTS: Mapping[str, Callable[[SeenRow], Any]] = {
    "doi": _doi_of,
    "title": title_of,
    "year": _year_of,
    "author": _authors_of,
    "venue": _venue_of,
    "number": number_of,
}


def part_of(row: SeenRow, wanted: str) -> Any:
    """One part: "title", "year", "author", "venue", "doi", "number", else the whole entry."""
    return _PARTS.get(wanted, body_of)(row)


_LOOKS = {"references": "The answer is in the reference list: read its entries."}
KIND = QuestionKind("entry of the reference list", fits, _LOOKS, take)
