"""What an abbreviation stands for, and which abbreviation stands for something."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from quire.ask.offline.kinds.kind import QuestionKind
from quire.ask.offline.plan import NOTHING, Act, Finding, Plan, evidence_of, read
from quire.ask.offline.question.features import QuestionFeatures
from quire.ask.offline.question.likeness import squeeze
from quire.ask.offline.taking.definitions import LongForm, long_forms, short_forms
from quire.ask.offline.taking.passages import join
from quire.types import Call

_ASKED = 0.85  # how well the rule must fit to be asked of papers that nobody named
_LOOKED = 10  # hits among which these are
_PAPERS = 3
_SOURCES = (
    ("passages", "text_content", "Look in the passages for a definition of it."),
    ("figures", "image_caption", "Captions often explain abbreviations: read those of figures."),
    ("tables", "table_caption", "And those of tables."),
    ("pages", "page_content", "Notes below tables stand on the pages only: read them."),
)
_TOKEN = re.compile(r"[\w/&-]+")
_SHORT = re.compile(r"(?<![\w-])(?:[A-Z][\w/&-]{0,11}|[a-z]{1,3}[A-Z][\w/&-]{0,9})(?![\w-])")


def fits(reading: QuestionFeatures) -> float:
    """The meaning of something that looks like an abbreviation is asked, or the short form of a phrase."""
    if reading.gap or reading.has("table", "row", "column"):
        return 0.0
    short = short_in(reading)
    if reading.has("abbreviation"):
        return 0.95 if short or reading.quotes else 0.3
    if short and reading.has("mean", "define"):
        return 0.85
    return (
        0.6
        if short and re.match(r"(?i)what(?:'s| is| are| does)\b", reading.bare) and len(reading.words) <= 7
        else 0.0
    )


def short_in(reading: QuestionFeatures) -> str:
    """The abbreviation that is asked about, "" if there is none."""
    for quote in reading.quotes:
        if len(quote) <= 15 and len(quote.split()) <= 2 and any(char.isupper() for char in quote):
            return quote
    found = [match[0] for match in _SHORT.finditer(reading.bare) if sum(c.isupper() for c in match[0]) >= 2]
    found = [short for short in found if short not in ("PDF", "DOI", "JSON")]
    return max(found, key=len, default="") if not reading.quotes else ""


def meant(reading: QuestionFeatures) -> Plan:
    """Ends with the reading for the papers that a search for the abbreviation finds, where none is named."""
    short = short_in(reading)
    if not short or fits(reading) < _ASKED:
        return NOTHING
    call = Call("Search", {"query": short, "papers": [], "limit": _LOOKED})
    seen = yield Act(f"No paper is given: see which speak of {short}.", call)
    papers = [str(row["pdf_id"]) for row in seen.rows if short in _TOKEN.findall(str(row.get("text") or ""))]
    first = tuple(dict.fromkeys(papers))[:_PAPERS]
    return Finding(replace(reading, papers=first)) if first else NOTHING


def plan(reading: QuestionFeatures) -> Plan:
    """Read passages, captions of tables and figures, and pages until a definition is found."""
    short = short_in(reading)
    take = (
        _longs(short) if short else _shorts(reading.quotes[0] if reading.quotes else " ".join(reading.topic))
    )
    best = NOTHING
    for view, column, thought in _SOURCES:
        seen = yield read(view, reading.papers, thought)
        for passages in join(seen.rows, column):
            found = take(passages.text)
            if found and found[0].fit > best.confidence:
                form = found[0]
                row = passages.row_at(form.start)
                quote = passages.sentence(form.start, form.end)
                best = Finding(
                    form.text,
                    min(form.fit, 0.95),
                    evidence_of(row, quote, "chunks", str(row.get("chunk_id", ""))),
                )
        if best.confidence >= 0.85:
            break
    return best


def _longs(short: str) -> Callable[[str], list[Any]]:
    def take(text: str) -> list[LongForm]:
        forms = long_forms(short, text)
        # A form that is given more often is the likelier one.
        votes: dict[str, int] = {}
        for form in forms:
            votes[squeeze(form.text)] = votes.get(squeeze(form.text), 0) + 1
        return sorted(forms, key=lambda form: (-round(form.fit, 1), -votes[squeeze(form.text)], form.start))

    return take


def _shorts(long: str) -> Callable[[str], list[Any]]:
    def take(text: str) -> list[LongForm]:
        return [
            LongForm(short, 0.9, max(text.find(short), 0), text.find(short) + len(short))
            for short in short_forms(long, text)
        ]

    return take


KIND = QuestionKind("abbreviation", fits, plan)
