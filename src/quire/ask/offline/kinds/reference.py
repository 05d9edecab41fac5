"""An entry of the reference list, by its number or content: its title, year, authors, venue, or itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rapidfuzz import fuzz

from quire.ask.observations import SeenRow
from quire.ask.offline.kinds.metadata import people
from quire.ask.offline.lexicon import ordinal, squeeze, words_of
from quire.ask.offline.plan import NOTHING, Finding, QuestionKind, Seen, fitting, found
from quire.ask.offline.question import QuestionFeatures

_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?![\d\u2013-]|\s*[\u2013-]\s*\d)")
_NUMBER = re.compile(r"^\s*[\[(]?(\d{1,4})[\])]?[.:]?\s+(?=\S)")


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
    if row is None:
        return NOTHING
    value = part_of(row, asked_part(reading))
    if isinstance(value, list | tuple):
        # The third reference names no third author.
        before = reading.bare.lower().partition("author")[0].split()[-1:]
        value = people(value, ordinal(" ".join(before)), reading)
    if reading.form.kind == "int" and isinstance(value, str) and value.isdigit():
        value = int(value)
    return found(value, sure, row, body_of(row))


def asked_part(reading: QuestionFeatures) -> str:
    """Which part of an entry the question wants."""
    pointed = bool(reading.labels.reference)
    wanted = {
        "doi": reading.has("doi"),
        "year": reading.has("year", "when") or (reading.form.kind == "int" and pointed),
        "authors": reading.has("author", "who"),
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


def part_of(row: SeenRow, wanted: str) -> Any:
    """One part: "title", "year", "authors", "venue", "doi", "number", else the whole entry."""
    if wanted == "number":
        return number_of(row)
    value = row.get(f"reference_{wanted}") if wanted != "entry" else body_of(row)
    if wanted == "year" and not value and (printed := _YEAR.findall(body_of(row))):
        return int(printed[-1])
    return value


_LOOKS = {"references": "The answer is in the reference list: read its entries."}
KIND = QuestionKind("entry of the reference list", fits, _LOOKS, take)
