"""What an abbreviation stands for, and which abbreviation stands for something.

    long_forms("DY", "The diagnostic yield (DY) was low.")    ->  [LongForm("diagnostic yield", 1.0, ...)]
    long_forms("ECG", "ECG, electrocardiogram; TTE, trans")  ->  [LongForm("electrocardiogram", ...)]

The long form before the brackets is found by matching letters from the right (Schwartz and Hearst 2003),
preferring one word per letter; a list of abbreviations (`ABC: long form;`) is read as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from quire.ask.offline.lexicon import squeeze
from quire.ask.offline.passages import join
from quire.ask.offline.plan import NOTHING, Act, Finding, Plan, QuestionKind, evidence_of, read
from quire.ask.offline.question import QuestionFeatures
from quire.types import Call

_MOST_WORDS = 12
_LINKED = r"\s*(?:[:,=\u2013\u2014-]|indicates|denotes|means|stands for|is short for|refers to)\s*"


@dataclass(frozen=True, slots=True)
class LongForm:
    """A long form, how sure it is (0 to 1), and the (start, end) of the definition in the text."""

    text: str
    fit: float
    start: int
    end: int


def long_forms(short: str, text: str) -> list[LongForm]:
    """All long forms that the text gives for an abbreviation, the surest first."""
    found = [*_before_brackets(short, text), *_inside_brackets(short, text), *_listed(short, text)]
    return sorted(found, key=lambda form: -form.fit)


def _before_brackets(short: str, text: str) -> list[LongForm]:
    found = []
    for match in re.finditer(rf"[(\[]\s*(?:i\.e\.,?\s*)?{_shape(short)}\s*(?:[)\],;:]|or\b|=)", text):
        before = text[max(0, match.start() - 200) : match.start()]
        before = re.split(r"[.;:!?()\[\]]\s|[()\[\]]", before)[-1]
        long = _match_back(short, before)
        if long:
            at = match.start() - len(before) + before.rfind(long[0])
            found.append(LongForm(long[0], long[1], at, match.end()))
    return found


def _inside_brackets(short: str, text: str) -> list[LongForm]:
    found = []
    for match in re.finditer(
        rf"(?<!\w){_shape(short)}\s*[(\[]\s*(?:i\.e\.,?\s*)?([^()\[\]]{{3,120}})[)\]]", text
    ):
        long = _match_back(short, re.split(r"[;,]\s", match[1])[0])
        if long:
            found.append(LongForm(long[0], long[1] * 0.95, match.start(), match.end()))
    return found


def _listed(short: str, text: str) -> list[LongForm]:
    """`ABC: long form;` or `ABC, long form.` or `ABC = long form,` as in notes below tables and figures."""
    found = []
    for match in re.finditer(rf"(?<!\w){_shape(short)}{_LINKED}([^;:.()=]{{4,100}})", text):
        phrase = match[1].strip()
        phrase = re.split(r",\s+(?=[A-Z0-9]{2,})|\sand\s(?=[A-Z]{2,})", phrase)[0].strip(" ,")
        long = _match_back(short, phrase)
        if long and len(long[0]) >= 0.7 * len(phrase):
            found.append(LongForm(phrase, 0.85 * long[1], match.start(), match.end()))
    return found


def _shape(short: str) -> str:
    """The abbreviation as a pattern: a plural s and a break at a hyphen are forgiven."""
    return re.escape(short).replace(r"\-", r"[-\u2010\u2011]?\s*") + "s?"


def _match_back(short: str, phrase: str) -> tuple[str, float] | None:
    """The shortest end of the phrase that holds the abbreviation's letters in order, and how sure that is."""
    letters = [char for char in short.lower() if char.isalnum()]
    if len(letters) > 1 and letters[-1] == "s" and short.endswith("s") and short[:-1].isupper():
        letters.pop()
    words = list(re.finditer(r"\S+", phrase))[-_MOST_WORDS:]
    if not letters or not words:
        return None
    exact = _one_letter_per_word(letters, phrase)
    if exact:
        return exact, 1.0
    place = len(phrase) - 1
    for number in range(len(letters) - 1, -1, -1):
        first = number == 0
        while place >= 0 and (
            phrase[place].lower() != letters[number] or (first and place > 0 and phrase[place - 1].isalnum())
        ):
            place -= 1
        if place < 0:
            return None
        place -= 1
    long = phrase[place + 1 :].strip(" ,-")
    count = len(long.split())
    if count > min(len(letters) + 5, 2 * len(letters)) or len(long) <= len(short):
        return None
    return long, 0.9 if count <= len(letters) + 1 else 0.7


def _one_letter_per_word(letters: list[str], phrase: str) -> str:
    """The last words of the phrase if their initials are the letters; parts joined by hyphens count."""
    parts = list(re.finditer(r"[^\W_]+(?:['\u2019][^\W_]+)?", phrase))
    small = {"of", "the", "and", "in", "for", "to", "a", "on", "with", "by", "or"}
    for skip_small in (False, True):
        at, left = len(parts) - 1, list(letters)
        start = len(phrase)
        while at >= 0 and left:
            word = parts[at][0].lower()
            if word[0] == left[-1]:
                left.pop()
                start = parts[at].start()
            elif not (skip_small and word in small and start < len(phrase)):
                break
            at -= 1
        if not left:
            return phrase[start:].strip(" ,-")
    return ""


def short_forms(long: str, text: str) -> list[str]:
    """The abbreviations that the text gives for a long form."""
    pattern = r"\s+".join(re.escape(word) for word in long.split())
    return [
        match[1]
        for match in re.finditer(
            rf"{pattern}\s*[(\[]\s*([^()\[\],;]{{1,15}}?)\s*[)\],;]", text, re.IGNORECASE
        )
    ]


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
