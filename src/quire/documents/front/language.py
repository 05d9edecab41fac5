"""The language of a text by its script and its commonest words; "" where neither tells."""

from __future__ import annotations

import re

_WORDS = {
    "en": "the of and to in is that for with as are this we on by be from an it which",
    "de": "der die und das ist von den mit ein eine nicht sich auf für des dem wird werden im zu",
    "fr": "le la les des et est une dans que pour par sur avec qui au du sont pas cette nous",
    "es": "el la los las de que en y una por con para es del se como más al su son",
    "it": "il la di che e un una per con del della sono nel gli dei alla si come è",
    "pt": "o a os as de que e em um uma para com do da não por se dos das mais",
    "nl": "de het een van en is dat op te zijn voor met niet aan er door ook bij om als",
}
_LISTS = {language: frozenset(words.split()) for language, words in _WORDS.items()}
_SCRIPTS = (("ar", "\u0600", "\u06ff"), ("he", "\u0590", "\u05ff"), ("ja", "\u3040", "\u30ff"),
            ("ko", "\uac00", "\ud7af"), ("zh", "\u4e00", "\u9fff"), ("ru", "\u0400", "\u04ff"),
            ("el", "\u0370", "\u03ff"), ("hi", "\u0900", "\u097f"), ("th", "\u0e00", "\u0e7f"))  # fmt: skip

_FIRST = min(first for _, first, _ in _SCRIPTS)


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
    counts = {code: sum(w in known for w in words) for code, known in _LISTS.items()}
    best = max(sorted(counts), key=lambda code: counts[code])
    return best if counts[best] >= 0.08 * len(words) else ""
