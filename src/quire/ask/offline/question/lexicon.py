"""The words by which people ask for things, as one table from concept to words and phrases.

A question is understood by the concepts that its words stand for, not by its wording: "who wrote it",
"name the writers" and "list of authors" all mean `author`. Add words here, never in a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from quire.ask.offline.question.labels import ORDINALS
from quire.ask.offline.question.likeness import same_word, singular, words_of
from quire.search.analyzer import STOP_WORDS

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
    "reading leading meaning beings being female males volumes columns number numbers start starts".split()
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
