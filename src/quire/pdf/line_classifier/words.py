"""What the words of one line tell: hits in the word lists, counts, shapes.

shape("[12] Smith J, Doe A. A title. J Biol. 2010;12(3):4-9.")      # a number for each name in SHAPE
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from quire.pdf.vocabulary import kinds, lists, opening_of, plain

SHAPE = (
    "words", "letters", "lower_start", "upper_start", "digit_start", "sign_start", "ends_stop", "ends_comma",
    "ends_colon", "ends_hyphen", "ends_digit", "digits", "capitals", "initials", "commas", "stops",
    "semicolons", "years", "pages", "volume", "et_al", "url", "mail", "quote", "bracket", "capitalised",
    "stopwords", "short_stops", "affiliation", "imprint", "months", "float", "names", "no_space", "leaders",
    "maths", "bullet", "starts_abstract", "starts_keywords", "starts_imprint", "starts_float", "starts_back",
    "starts_kind", "is_abstract", "is_introduction", "is_section", "is_references", "is_back", "is_keywords",
    "is_kind", "is_contents",
)  # fmt: skip
"""The columns of `shape`, in order."""

_WORD = re.compile(r"[^\W\d_]+(?:[.'’-][^\W\d_]+)*")
_INITIAL = re.compile(r"\b[^\W\d_a-z]\.|(?<=[^\W\d_] )[A-Z]{1,3}(?=[,.;\s]|$)")
_YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
_PAGES = re.compile(r"\d\s?[–—-]\s?[eES]?\d")
_VOLUME = re.compile(r"\d\s?\(\d{1,4}\)|[;,]\s?\d{1,4}\s?:|\bvol\b|\bpp\b|\d:\s?\d", re.IGNORECASE)
_ET_AL = re.compile(r"\bet al\b|и др|等")
_URL = re.compile(r"https?:|www\.|doi\b|10\.\d{4}", re.IGNORECASE)
_SHORT = re.compile(r"\b[^\W\d_]{2,6}\.")
_NO_SPACE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_LEADERS = re.compile(r"(?:\.\s?){5,}")
_MATHS = re.compile(r"[=∑∫≤≥∼×±√∂∈→<>+]")
_BULLET = re.compile(r"^(?:[•▪◦‣●○■–—*·∙]|\(?[a-z]\)|\(?[ivx]{1,4}\))")
_COUNTED = ("stop", "particle", "affiliation", "imprint", "month", "float")
_URLS = ("http", "www.", "doi", "10.")


def shape(text: str) -> list[float]:
    """Numbers that describe a line's text, in the order of `SHAPE`."""
    words = _WORD.findall(text)
    lower = [w.lower() for w in words]
    count, size = max(1, len(words)), max(1, len(text))
    letters = sum(map(len, words))
    first, last = text[:1], text.rstrip()[-1:]
    bare = plain(text)
    whole = kinds().get(bare, frozenset())
    openers = opening_of(bare)
    upper = sum([w[0].isupper() for w in words])
    known = map(_kinds_of_words().get, lower)
    hits = [(word, own) for word, own in zip(words, known, strict=True) if own]
    met = Counter([kind for _, own in hits for kind in own])
    digits = sum(map(str.isdigit, text))
    # capitalised words that are no stop words, and particles
    named = upper + sum("particle" in own for _, own in hits)
    named -= sum(w[0].isupper() and ("stop" in own or "particle" in own) for w, own in hits)
    begun = hits[0][1] if hits and hits[0][0] is words[0] else frozenset()
    stops, small = text.count("."), text.lower()
    linked = any([sign in small for sign in _URLS])
    return [
        min(len(words), 30), min(letters, 150),
        first.islower(), first.isupper(), first.isdigit(), not first.isalnum(),
        last == ".", last in ",;", last == ":", last in "-‐", last.isdigit(),
        digits / size, sum(map(str.isupper, text)) / max(1, letters),
        len(_INITIAL.findall(text)) / count,
        text.count(",") / count, stops / count, text.count(";") / count,
        len(_YEAR.findall(text)) if digits > 3 else 0, len(_PAGES.findall(text)) if digits > 1 else 0,
        digits > 1 and bool(_VOLUME.search(text)),
        bool(_ET_AL.search(text)), linked and bool(_URL.search(text)), "@" in text,
        sum(map(text.count, "“”\"„«»")), (text.count("(") + text.count("[")) * 2 / count,
        upper / count, met["stop"] / count, len(_SHORT.findall(text)) / count if stops else 0,
        met["affiliation"] / count, met["imprint"] / count, met["month"], met["float"] / count,
        named / count, 0 if text.isascii() else len(_NO_SPACE.findall(text)) / size,
        stops > 4 and bool(_LEADERS.search(text)), len(_MATHS.findall(text)) / size,
        bool(_BULLET.match(text)),
        "abstract" in openers, "keywords" in openers, "imprint" in begun, "float" in begun,
        "back" in openers, "kind" in openers,
        "abstract" in whole, "introduction" in whole, "section" in whole, "references" in whole,
        "back" in whole, "keywords" in whole, "kind" in whole, "contents" in whole,
    ]  # fmt: skip


@cache
def _kinds_of_words() -> dict[str, frozenset[str]]:
    """The lists that hold a word, of those that are counted."""
    words = {word for kind in _COUNTED for word in lists()[kind]}
    return {word: frozenset(kind for kind in _COUNTED if word in lists()[kind]) for word in words}
