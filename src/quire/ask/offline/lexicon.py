"""The words by which people ask, how two of them are alike, and what they point at by number.

    alike("P value", "p-value")                       ->  1.0
    labels("the 12th entry of the bibliography of Tab. IV")  ->  Labels(table="4", reference="12")

A question is understood by the concepts that its words stand for, not by its wording: "who wrote it", "name
the writers" and "list of authors" all mean `author`. Add words here, never in a rule. Likeness forgives how
a text is set: case, accents, spaces, dashes, footnote marks; it is between 0 and 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from quire.search.analyzer import STOP_WORDS, stem_of
from quire.text import NUMBER_WORDS, ORDINALS

_SIGNS = "<>=%+.\u2264\u2265\u00b1"
_MINUS = re.compile(r"(?:^|(?<=[\s(\[<>=\u2264\u2265]))[-\u2212\u2013](?=\d)")


@lru_cache(maxsize=20_000)
def squeeze(text: str) -> str:
    """The text's letters, digits and signs alone, in lower case; a minus before a number stays."""
    marked = _MINUS.sub("\u00ac", text)
    kept = (
        char
        for char in unicodedata.normalize("NFKD", marked).casefold()
        if char.isalnum() or char in _SIGNS or char == "\u00ac"
    )
    return "".join(kept).strip(".")


@lru_cache(maxsize=20_000)
def alike(a: str, b: str) -> float:
    """Likeness of two names."""
    left, right = squeeze(a), squeeze(b)
    if not left or not right:
        return 0.0
    if left == right:
        return 1.0
    return min(fuzz.ratio(left, right) / 100, 0.99)


def same_word(a: str, b: str) -> bool:
    """Whether two words are the same but for a typing error: one in 5 to 7 letters, two in 8 or more."""
    if a == b:
        return True
    shorter = min(len(a), len(b))
    if shorter < 5:
        return False
    return bool(OSA.distance(a, b, score_cutoff=2) <= (1 if shorter < 8 else 2))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without accents; numbers count as words."""
    plain = re.sub("['\u2019]s\\b", "", unicodedata.normalize("NFKD", text).casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.findall(r"[^\W_]+(?:[.'\u2019][^\W_]+)*", plain)


def covered(name: str, words: Sequence[str]) -> float:
    """The share of the name's words that are among `words`."""
    parts = words_of(name)
    if not parts:
        return 0.0
    return sum(
        any(stem(part) == stem(word) or same_word(part, word) for word in words) for part in parts
    ) / len(parts)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word without the endings of its forms; words that a search leaves out stay as they are."""
    return stem_of(word) or word


def singular(word: str) -> str:
    """A word without its plural ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_CARDINALS = {word: number for word, number in NUMBER_WORDS.items() if 0 < number <= len(ORDINALS)}
_ID = (
    r"([A-Z]?\.?\d+(?:\.\d+)*[a-z]?(?![\w%])|[IVX]{1,5}(?![\w%])|[A-Z]\.?\d*(?![\w%])"
    rf"|\b(?i:{'|'.join(_CARDINALS)})\b)"
)
_PLACE = r"(?<!\d)(\d+)(?:st|nd|rd|th)|\b(" + "|".join(ORDINALS) + r"|last|final)"
_NUMBER = r"\s*+(?:(?:number|no\.?|num\.?|nr\.?|\u2116|#)\s*+)?"
_NOUNS = {
    "table": r"(?:tables?|tabs?\.?|tbl\.?)",
    "figure": r"(?:figures?|figs?\.?)",
    "section": r"(?:sections?|sect?\.?|\u00a7|chapter)",
    "page": r"(?:pages?|pp?\.)",
    "equation": r"(?:equations?|eqs?\.?|eqn\.?|formula)",
}
_REFERENCE = (
    r"(?:references?|refs?\.?|citations?|bibliography|bibliographic|sources?|cited works?|works?|entry|item)"
)
_LIST_WORDS = r"(?:references?|bibliography|bibliographic|cited|citations?|literature|works|sources?)"


@dataclass(frozen=True, slots=True)
class Labels:
    """Numbers as text, "" where the question names none; `ordinal` counts from 1, -1 is the last."""

    table: str = ""
    figure: str = ""
    reference: str = ""
    section: str = ""
    page: str = ""
    equation: str = ""
    ordinal: int = 0


def labels(text: str) -> Labels:
    """All labels of a question; `text` is the question without its quoted strings."""
    named = {kind: _label(text, noun, kind) for kind, noun in _NOUNS.items()}
    return Labels(reference=_reference(text), ordinal=ordinal(text), **named)


def _label(text: str, noun: str, kind: str) -> str:
    match = re.search(rf"(?<!\w)(?i:{noun}){_NUMBER}[\[(]?{_ID}", text)
    if match and not (kind == "page" and match[1] in ("I", "A")):
        return plain(match[1])
    match = re.search(rf"(?:{_PLACE})\s+(?:{noun})(?!\w)", text, re.IGNORECASE)
    number = _ordinal(match) if match else 0
    return str(number) if number > 0 or (number and kind in ("page", "table", "figure")) else ""


def _reference(text: str) -> str:
    match = re.search(rf"\b{_REFERENCE}{_NUMBER}[\[(]?(\d+)[\])]?(?![\w.]\d)", text, re.IGNORECASE)
    match = match or re.search(r"(?<!\w)\[(\d{1,4})\]", text)
    if match or not re.search(_LIST_WORDS, text, re.IGNORECASE):
        return match[1] if match else ""
    behind = rf"(?:(?:\w+\s+){{0,2}}{_REFERENCE}|(?:one|work|paper|position|place|in)\b)"
    if match := re.search(rf"(?:{_PLACE})\s+{behind}", text, re.IGNORECASE):
        return str(_ordinal(match))
    numbered = r"(?:number|no\.|#|position|index|numbered|labelled|labeled)\s*#?(\d+)"
    match = re.search(numbered, text, re.IGNORECASE)
    return match[1] if match else ""


def _ordinal(match: re.Match[str]) -> int:
    return int(match[1]) if match[1] else ORDINALS.get(match[2].lower(), -1)


def ordinal(text: str) -> int:
    """The first ordinal of the text: 3 for "third" or "3rd", -1 for "last", 0 for none."""
    match = re.search(rf"(?<!\w)(?:{_PLACE})\b", text, re.IGNORECASE)
    return _ordinal(match) if match else 0


def plain(label: str) -> str:
    """A label as compared: no dots around, lower case, Roman numerals and words as numbers."""
    bare = label.strip(" .()[]:").lower()
    number = _roman(bare) if re.fullmatch(r"[ivx]{1,5}", bare) else _CARDINALS.get(bare, 0)
    return str(number or bare)


def _roman(text: str) -> int:
    values = {"i": 1, "v": 5, "x": 10}
    total = 0
    for char, following in zip(text, text[1:] + " ", strict=False):
        value = values[char]
        total += -value if values.get(following, 0) > value else value
    return total


WORDS: dict[str, str] = {
    "author": "author writer wrote written authored coauthor byline penned",
    "who": "who whose whom",
    "count": "count tally",
    "title": "title titled entitled headline",
    "name": "name named called",
    "year": "year",
    "when": "when date",
    "publish": "published publication publish appeared issued released",
    "doi": "doi",
    "venue": "journal conference venue proceedings periodical magazine",
    "email": "email emails mail",
    "abstract": "abstract",
    "keyword": "keyword keywords",
    "volume": "volume",
    "table": "table tab",
    "figure": "figure fig image picture plot diagram chart illustration",
    "caption": "caption captioned legend subtitle",
    "row": "row line",
    "column": "column header",
    "value": "value cell entry number figure amount reported report shown show given give listed list",
    "reference": "reference bibliography cited cites cite citation bibliographic",
    "section": "section heading part chapter subsection headline subheading",
    "say": "say state mention contain appear find sentence passage statement written read occur found assert",
    "where": "where whereabouts",
    "abbreviation": "abbreviation acronym initialism abbreviated expansion expand abbreviate",
    "mean": "mean meaning denote denotes signify means refer",
    "define": "define defined definition",
    "gap": "gap blank missing complete fill omitted",
    "equation": "equation formula",
    "page": "page",
    "list": "list enumerate all every",
    "begin": "begin start beginning starting opens",
    "text": "text wording content verbatim",
    "most": "highest largest most greatest maximum max biggest best",
    "least": "lowest smallest least minimum min fewest worst",
    "file": "file",
    "neutral": "item entry person people researcher sign signed top level main major end come came carry "
    "belong look find know kind label term overall altogether there exist include included contain comprise "
    "consist present printed print provide correspondence used use back order position",
}
PHRASES: dict[str, str] = {
    "count": r"how many|how long is|amount of"
    r"|number of (?!the (?:table|figure|fig|section|page|row|column|work|entry)\b)",
    "abbreviation": r"stands? for|short for|full form|spel(?:t|led|l) out|expands? to|long form"
    r"|full (?:name|version|meaning) of",
    "author": r"co-?authors?|(?:is|was|were|are) (?:it|this|the paper|the article) by",
    "email": r"e-?mail|corresponding address|contact address",
    "doi": r"digital object identifier",
    "reference": r"works? cited|cited works?|reference list|list of references|bibliograph\w+",
    "venue": r"published in which|in which (?:journal|venue)|where (?:was|is|were) .{0,40}published",
    "keyword": r"key ?words?|index terms",
    "gap": r"fill in|left out|left blank|goes in",
    "say": r"talks? about|deals? with|discuss\w*",
    "yesno": r"^(?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should)\b",
}
STOP = STOP_WORDS | frozenset(
    "t s go goes going went gone paper article study work document pdf tell give according answer please "
    "might also yes one ones exactly precisely full printed python string int integer float list many".split()
)

# Common words that look like an asking word with a typing error.
_PLAIN = frozenset(
    "action actions cable fable sable stable tables label labels sorted reaction selection sessions session "
    "eight sixth tenth forth month nights place plate shows where there their these those while whole white "
    "years pages lists lines words parts values papers other others state states study month months heading "
    "reading leading meaning beings being female males volumes columns number numbers start starts "
    "publisher publishers issue issues".split()
)


def in_phrases(text: str) -> frozenset[str]:
    """The words of a text that only ask because they stand in a phrase, like "short" in "short for"."""
    found = (re.findall(pattern, text, re.IGNORECASE) for pattern in PHRASES.values())
    return frozenset(word for said in found for phrase in said for word in words_of(phrase))


@cache
def _vocabulary() -> dict[str, set[str]]:
    table: dict[str, set[str]] = {}
    for concept, words in WORDS.items():
        for word in words.split():
            table.setdefault(singular(word), set()).add(concept)
    return table


def concepts(text: str, words: Iterable[str]) -> frozenset[str]:
    """The concepts that the text's words and phrases stand for."""
    found = {concept for concept, pattern in PHRASES.items() if re.search(pattern, text, re.IGNORECASE)}
    vocabulary = _vocabulary()
    return frozenset(found.union(*(vocabulary.get(singular(word), set()) for word in words)))


def mended(text: str) -> str:
    """The text with typing errors in asking words put right: "frist autor" becomes "first author".

    Only words of five letters or more that begin and end like the word that they stand for, or are off by
    one, are touched; names keep their capitals.
    """
    return re.sub(r"[A-Za-z]{5,}", lambda match: _mended_word(match[0]), text)


@cache
def _mended_word(word: str) -> str:
    lowered = word.lower()
    known = _vocabulary()
    if singular(lowered) in known or lowered in STOP or lowered in ORDINALS or lowered in _PLAIN:
        return word
    near = [each for each in (*known, *ORDINALS) if len(each) >= 5 and same_word(singular(lowered), each)]
    if len(near) != 1 or word.isupper():
        return word
    return near[0] + ("s" if lowered.endswith("s") and not near[0].endswith("s") else "")


def is_asking_word(word: str) -> bool:
    """Whether a word only serves to ask, so that it is no part of what is asked about."""
    return word in STOP or singular(word) in _vocabulary()
