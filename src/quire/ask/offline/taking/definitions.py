"""What an abbreviation stands for, taken out of running text.

    long_forms("DY", "The diagnostic yield (DY) was low.")    ->  [LongForm("diagnostic yield", 1.0, ...)]
    long_forms("ECG", "ECG, electrocardiogram; TTE, trans")  ->  [LongForm("electrocardiogram", ...)]

The long form before the brackets is found by matching letters from the right (Schwartz and Hearst 2003),
preferring one word per letter; a list of abbreviations (`ABC: long form;`) is read as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
