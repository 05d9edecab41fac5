"""What the words of one line tell: counts, shapes, and hits in the word lists.

shape("[12] Smith J, Doe A. A title. J Biol. 2010;12(3):4-9.").numbering   # 3, "[12]"
"""

from __future__ import annotations

import re
from functools import cache

from quire.documents.labeller.lexicon import kinds, lists, plain

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
_NUMBERINGS = (
    re.compile(r"^\[\s?(\d{1,4})\s?\]"),
    re.compile(r"^\((\d{1,4})\)"),
    re.compile(r"^(\d{1,4})\s?[.)](?![\d)])"),
    re.compile(r"^\d{1,2}\.(\d{1,2})(?:\.\d{1,2})*\.?(?=\s|$)"),
    re.compile(r"^(\d{1,4})(?=\s|$)"),
)
_OUTLINE = re.compile(r"^(?:[A-Z][.)]|[IVX]{1,5}[.)]?|[A-Z]\.\d+)\s")
KINDS_OF_NUMBERS = len(_NUMBERINGS)
_NONE: frozenset[str] = frozenset()


def numbering(text: str) -> tuple[int, int]:
    """How a line is numbered (0 not, 1 to 5 by form, 6 by letters) and the number (0 where there is none)."""
    for kind, pattern in enumerate(_NUMBERINGS, 1):
        match = pattern.match(text)
        if match:
            return kind, int(match.group(1))
    return (KINDS_OF_NUMBERS + 1, 0) if _OUTLINE.match(text) else (0, 0)


def shape(text: str) -> list[float]:
    """Numbers that describe a line's text, in the order of `SHAPE`."""
    words = _WORD.findall(text)
    lower = [w.lower() for w in words]
    count, size = max(1, len(words)), max(1, len(text))
    letters = sum(map(len, words))
    first, last = text[:1], text.rstrip()[-1:]
    known = lists()
    bare = plain(text)
    whole = kinds().get(bare, _NONE)
    openers = _opening(bare)
    upper = [w[0].isupper() for w in words]
    stops = [w in known["stop"] for w in lower]
    digits = sum(map(str.isdigit, text))
    named = sum(
        (big and not stop) or word in known["particle"]
        for big, stop, word in zip(upper, stops, lower, strict=True)
    )
    return [
        min(len(words), 30), min(letters, 150),
        first.islower(), first.isupper(), first.isdigit(), not first.isalnum(),
        last == ".", last in ",;", last == ":", last in "-‐", last.isdigit(),
        digits / size, sum(map(str.isupper, text)) / max(1, letters),
        len(_INITIAL.findall(text)) / count,
        text.count(",") / count, text.count(".") / count, text.count(";") / count,
        len(_YEAR.findall(text)) if digits > 3 else 0, len(_PAGES.findall(text)) if digits > 1 else 0,
        digits > 1 and bool(_VOLUME.search(text)),
        bool(_ET_AL.search(text)), bool(_URL.search(text)), "@" in text,
        sum(map(text.count, "“”\"„«»")), (text.count("(") + text.count("[")) * 2 / count,
        sum(upper) / count, sum(stops) / count, len(_SHORT.findall(text)) / count,
        sum(w in known["affiliation"] for w in lower) / count,
        sum(w in known["imprint"] for w in lower) / count,
        sum(w in known["month"] for w in lower), sum(w in known["float"] for w in lower) / count,
        named / count, 0 if text.isascii() else len(_NO_SPACE.findall(text)) / size,
        bool(_LEADERS.search(text)), len(_MATHS.findall(text)) / size, bool(_BULLET.match(text)),
        "abstract" in openers, "keywords" in openers, bool(lower) and lower[0] in known["imprint"],
        bool(lower) and lower[0] in known["float"], "back" in openers, "kind" in openers,
        "abstract" in whole, "introduction" in whole, "section" in whole, "references" in whole,
        "back" in whole, "keywords" in whole, "kind" in whole, "contents" in whole,
    ]  # fmt: skip


def opening(text: str) -> frozenset[str]:
    """The kinds of the names that a line begins with."""
    return _opening(plain(text))


def _opening(bare: str) -> frozenset[str]:
    """The kinds of the names that a line begins with, up to four words."""
    words = re.split(r"[\s:.,—–-]+", bare, maxsplit=4)[:4]
    if words[0] not in _first_words():
        return _NONE
    found = _NONE
    for n in range(1, len(words) + 1):
        found |= kinds().get(" ".join(words[:n]), _NONE)
    return found


@cache
def _first_words() -> frozenset[str]:
    """The words with which the names of the lists begin."""
    return frozenset(re.split(r"[\s:.,—–-]+", name)[0] for name in kinds())
