"""What an abbreviation stands for, and which abbreviation stands for something.

    long_forms("DY", "The diagnostic yield (DY) was low.")    ->  [Span("diagnostic yield", 1.0, ...)]
    long_forms("ECG", "ECG, electrocardiogram; TTE, trans")  ->  [Span("electrocardiogram", ...)]

The long form before the brackets is found by matching letters from the right (Schwartz and Hearst 2003),
preferring one word per letter; a list of abbreviations (`ABC: long form;`) is read as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from quire.ask.offline.lexicon import squeeze
from quire.ask.offline.plan import NOTHING, Finding, Plan, QuestionKind, Seen, Span, surest
from quire.ask.offline.question import QuestionFeatures
from quire.types import Call, Step

_MOST_WORDS = 12
_BEFORE = 200  # characters before brackets in which a long form is looked for
_LINKED = r"\s*(?:[:,=\u2013\u2014-]|indicates|denotes|means|stands for|is short for|refers to)\s*"
_SMALL = frozenset("of the and in for to a on with by or".split())


def long_forms(short: str, text: str) -> list[Span]:
    """All long forms that the text gives for an abbreviation, the surest first."""
    return sorted(_definitions(short, text), key=lambda form: -form.fit)


def _definitions(short: str, text: str) -> Iterator[Span]:
    """`long form (ABC)`; `ABC (long form)`; `ABC: long form;` as in notes below tables and figures."""
    shape = _shape(short)
    for match in re.finditer(rf"[(\[]\s*(?:i\.e\.,?\s*)?{shape}\s*(?:[)\],;:]|or\b|=)", text):
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        before = re.split(r"[.;:!?()\[\]]\s|[()\[\]]", before)[-1]
        if long := _match_back(short, before):
            at = match.start() - len(before) + before.rfind(long[0])
            yield Span(*long, at, match.end())
    for match in re.finditer(rf"(?<!\w){shape}\s*[(\[]\s*(?:i\.e\.,?\s*)?([^()\[\]]{{3,120}})[)\]]", text):
        if long := _match_back(short, re.split(r"[;,]\s", match[1])[0]):
            yield Span(long[0], long[1] * 0.95, match.start(), match.end())
    for match in re.finditer(rf"(?<!\w){shape}{_LINKED}([^;:.()=]{{4,100}})", text):
        phrase = re.split(r",\s+(?=[A-Z0-9]{2,})|\sand\s(?=[A-Z]{2,})", match[1].strip())[0].strip(" ,")
        long = _match_back(short, phrase)
        if long and len(long[0]) >= 0.7 * len(phrase):
            yield Span(phrase, 0.85 * long[1], match.start(), match.end())


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
    for skip_small in (False, True):
        at, left = len(parts) - 1, list(letters)
        start = len(phrase)
        while at >= 0 and left:
            word = parts[at][0].lower()
            if word[0] == left[-1]:
                left.pop()
                start = parts[at].start()
            elif not (skip_small and word in _SMALL and start < len(phrase)):
                break
            at -= 1
        if not left:
            return phrase[start:].strip(" ,-")
    return ""


def short_forms(long: str, text: str) -> list[str]:
    """The abbreviations that the text gives for a long form."""
    pattern = r"\s+".join(re.escape(word) for word in long.split())
    bracketed = rf"{pattern}\s*[(\[]\s*([^()\[\],;]{{1,15}}?)\s*[)\],;]"
    return [match[1] for match in re.finditer(bracketed, text, re.IGNORECASE)]


_ASKED = 0.85  # how well the rule must fit to be asked of papers that nobody named
_LOOKED = 10  # hits among which these are
_PAPERS = 3
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
    bare = short and re.match(r"(?i)what(?:'s| is| are| does)\b", reading.bare) and len(reading.words) <= 7
    return 0.6 if bare else 0.0


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
    seen = yield Step(f"No paper is given: see which speak of {short}.", call)
    papers = [str(row["pdf_id"]) for row in seen.rows if short in _TOKEN.findall(str(row.get("text") or ""))]
    first = tuple(dict.fromkeys(papers))[:_PAPERS]
    return Finding(replace(reading, papers=first)) if first else NOTHING


def take(reading: QuestionFeatures, seen: Seen) -> Finding:
    """The long form, or the short form where a phrase is asked about."""
    short = short_in(reading)
    long = reading.quotes[0] if reading.quotes else " ".join(reading.topic)
    return surest(seen, lambda text: _long_form(short, text) if short else _short_form(long, text))


def _long_form(short: str, text: str) -> Span | None:
    """The surest long form; of those that are as sure the one that is given most often."""
    forms = long_forms(short, text)
    votes = Counter(squeeze(form.text) for form in forms)
    forms.sort(key=lambda form: (-round(form.fit, 1), -votes[squeeze(form.text)], form.start))
    return replace(forms[0], fit=min(forms[0].fit, 0.95)) if forms else None


def _short_form(long: str, text: str) -> Span | None:
    short = next(iter(short_forms(long, text)), "")
    at = text.find(short)
    return Span(short, 0.9, at, at + len(short)) if short else None


_LOOKS = {
    "passages": "Look in the passages for a definition of it.",
    "figures": "Captions often explain abbreviations: read those of figures.",
    "tables": "And those of tables.",
    "pages": "Notes below tables stand on the pages only: read them.",
}
KIND = QuestionKind("abbreviation", fits, _LOOKS, take, enough=0.85)
